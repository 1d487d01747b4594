#include "kube/client/counting_client.h"

#include <fmt/format.h>

namespace coppice::kube {

base::Status CountingClient::Before(const Call& call) {
  if (call.writes() && call.dry_run) return {};
  std::lock_guard lock(mutex_);
  ++counts_[{call.verb, call.What()}];
  return {};
}

int64_t CountingClient::Count(Verb verb, const std::string& what) const {
  std::lock_guard lock(mutex_);
  int64_t total = 0;
  for (const auto& [key, count] : counts_) {
    if (key.first == verb && (what.empty() || key.second == what)) total += count;
  }
  return total;
}

int64_t CountingClient::Writes() const {
  std::lock_guard lock(mutex_);
  int64_t total = 0;
  for (const auto& [key, count] : counts_) {
    if (IsWrite(key.first)) total += count;
  }
  return total;
}

std::string CountingClient::ToString(bool writes_only) const {
  std::lock_guard lock(mutex_);
  std::string text;
  for (const auto& [key, count] : counts_) {
    if (writes_only && !IsWrite(key.first)) continue;
    text += fmt::format("{} {}: {}\n", kube::ToString(key.first), key.second, count);
  }
  return text;
}

void CountingClient::Reset() {
  std::lock_guard lock(mutex_);
  counts_.clear();
}

}  // namespace coppice::kube
