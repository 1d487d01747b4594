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

// One JSON line per request: who did what to which object, the result, and admission's audit
// annotations. Thread-safe. While the disk is full, requests continue and their lines are lost,
// which is logged.
class AuditLog {
 public:
  AuditLog(std::FILE* file, std::string path) : path_(std::move(path)), file_(file, &std::fclose) {}

  // Opens a file that only its owner can read; appends to an existing one.
  static base::Result<std::unique_ptr<AuditLog>> Open(const std::string& path);

  void Write(base::Time time, const User& user, const RequestInfo& info, int code,
             const Remarks& remarks);

 private:
  const std::string path_;
  std::mutex mutex_;  // Guards all below.
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  bool torn_ = false;  // The last line is missing or incomplete.
};

}  // namespace coppice::server
