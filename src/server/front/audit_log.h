#pragma once

#include <cstdio>
#include <memory>
#include <mutex>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "server/model/admission.h"
#include "server/model/user.h"
#include "server/wire/request_info.h"

namespace coppice::server {

// One JSON line per request: who did what to which object, what came of it, and what admission
// noted about it. Thread-safe. Requests go on while the disk is full; their lines are lost, which
// is logged, and those after them are written again.
class AuditLog {
 public:
  AuditLog(std::FILE* file, std::string path) : path_(std::move(path)), file_(file, &std::fclose) {}

  // A file that only its owner can read; lines are added to one that is there.
  static base::Result<std::unique_ptr<AuditLog>> Open(const std::string& path);

  void Write(base::Time time, const User& user, const RequestInfo& info, int code,
             const Remarks& remarks);

 private:
  const std::string path_;
  std::mutex mutex_;  // Guards all below.
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  bool torn_ = false;  // The last line is not there, or not whole.
};

}  // namespace coppice::server
