#include "server/front/audit_log.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "base/log.h"
#include "json/value.h"
#include "json/write.h"

namespace coppice::server {

base::Result<std::unique_ptr<AuditLog>> AuditLog::Open(const std::string& path) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  std::FILE* file = descriptor < 0 ? nullptr : fdopen(descriptor, "a");
  if (file == nullptr) {
    return base::Internal(
        fmt::format("cannot open the audit log {}: {}", path, std::strerror(errno)));
  }
  std::setvbuf(file, nullptr, _IONBF, 0);  // What could not be written is not tried again.
  return std::make_unique<AuditLog>(file, path);
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
  std::lock_guard lock(mutex_);
  const std::string text = (torn_ ? "\n" : "") + json::Write(line) + "\n";
  const bool whole = std::fwrite(text.data(), 1, text.size(), file_.get()) == text.size();
  if (!whole && !torn_) {
    base::LogError("the audit log cannot be written",
                   {{"file", path_}, {"error", std::strerror(errno)}});
  }
  torn_ = !whole;
  std::clearerr(file_.get());
}

}  // namespace coppice::server
