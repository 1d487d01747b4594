#pragma once

#include <fstream>
#include <memory>
#include <mutex>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "server/admission.h"
#include "server/front/request_info.h"
#include "server/user.h"

namespace coppice::server {

// One JSON line per request: who did what to which object, what came of it, and what admission
// noted about it. Thread-safe.
class AuditLog {
 public:
  static base::Result<std::unique_ptr<AuditLog>> Open(const std::string& path);

  void Write(base::Time time, const User& user, const RequestInfo& info, int code,
             const Remarks& remarks);

 private:
  std::mutex mutex_;  // Guards file_.
  std::ofstream file_;
};

}  // namespace coppice::server
