#include "server/front/audit_log.h"

#include "json/value.h"
#include "json/write.h"

namespace coppice::server {

base::Result<std::unique_ptr<AuditLog>> AuditLog::Open(const std::string& path) {
  auto log = std::make_unique<AuditLog>();
  log->file_.open(path, std::ios::app);
  if (!log->file_) return base::Internal("cannot open the audit log " + path);
  return log;
}

void AuditLog::Write(base::Time time, const User& user, const RequestInfo& info, int code,
                     const Remarks& remarks) {
  json::Value line = json::Value::Object({{"time", base::FormatRfc3339Micro(time)},
                                          {"user", user.name},
                                          {"verb", info.verb},
                                          {"path", info.path},
                                          {"code", code}});
  if (info.is_resource) {
    line.Set("resource", info.resource).Set("group", info.group);
    if (!info.subresource.empty()) line.Set("subresource", info.subresource);
    if (!info.ns.empty()) line.Set("namespace", info.ns);
    const std::string& name = info.name.empty() ? remarks.name() : info.name;
    if (!name.empty()) line.Set("name", name);
  }
  for (const auto& [key, value] : remarks.annotations()) {
    line.Mutable("annotations").Set(key, value);
  }
  const std::string text = json::Write(line) + "\n";
  std::lock_guard lock(mutex_);
  file_ << text << std::flush;
}

}  // namespace coppice::server
