#include "services/workloads/status.h"

#include <charconv>

namespace coppice::services::workloads {

using json::Value;

void SetCondition(Value& status, std::string_view type, bool is_true, std::string_view reason,
                  std::string_view message, const std::string& now) {
  const std::string_view wanted = is_true ? "True" : "False";
  Value fresh = Value::Object({{"type", type}, {"status", wanted}, {"lastTransitionTime", now}});
  if (!reason.empty()) fresh.Set("reason", reason);
  if (!message.empty()) fresh.Set("message", message);
  std::vector<Value>& list = status.Mutable("conditions").MutableItems();
  for (Value& condition : list) {
    if (condition["type"].AsString() != type) continue;
    if (condition["status"].AsString() == wanted) {
      fresh.Set("lastTransitionTime", condition["lastTransitionTime"]);
      if (condition.Has("lastUpdateTime")) fresh.Set("lastUpdateTime", condition["lastUpdateTime"]);
      if (condition.Has("lastProbeTime")) fresh.Set("lastProbeTime", condition["lastProbeTime"]);
    }
    condition = std::move(fresh);
    return;
  }
  list.push_back(std::move(fresh));
}

int64_t IntOrPercent(const Value& value, int64_t total, bool round_up, int64_t fallback) {
  if (value.IsInt()) return value.AsInt();
  const std::string_view text = value.AsString();
  int64_t percent = 0;
  if (!text.ends_with('%') ||
      std::from_chars(text.data(), text.data() + text.size() - 1, percent).ec != std::errc()) {
    return fallback;
  }
  return (total * percent + (round_up ? 99 : 0)) / 100;
}

}  // namespace coppice::services::workloads
