#pragma once

#include <fstream>
#include <memory>
#include <mutex>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "server/front/request_info.h"
#include "server/user.h"

namespace coppice::server {

// One JSON line per request: who did what to which object, and what came of it. Thread-safe.
class AuditLog {
 public:
  static base::Result<std::unique_ptr<AuditLog>> Open(const std::string& path);

  void Write(base::Time time, const User& user, const RequestInfo& info, int code);

 private:
  std::mutex mutex_;  // Guards file_.
  std::ofstream file_;
};

}  // namespace coppice::server
