#include "server/kinds/checks/conditions.h"

namespace coppice::server {

void SetCondition(json::Value& object, std::string_view type, std::string_view status,
                  std::string_view reason, std::string_view message, base::Time now) {
  std::vector<json::Value>& conditions =
      object.Mutable("status").Mutable("conditions").MutableItems();
  json::Value* condition = nullptr;
  for (json::Value& each : conditions) {
    if (each["type"].AsString() == type) condition = &each;
  }
  if (!condition) {
    conditions.push_back(json::Value::Object({{"type", type}}));
    condition = &conditions.back();
  }
  if ((*condition)["status"].AsString() != status) {
    condition->Set("lastTransitionTime", base::FormatRfc3339(now));
  }
  condition->Set("status", status);
  for (const auto& [key, text] : {std::pair{"reason", reason}, std::pair{"message", message}}) {
    if (text.empty()) {
      condition->Erase(key);
    } else {
      condition->Set(key, text);
    }
  }
}

void SetPodCondition(json::Value& pod, std::string_view type, std::string_view status,
                     std::string_view reason, std::string_view message, base::Time now) {
  SetCondition(pod, type, status, reason, message, now);
  for (json::Value& each : pod.Mutable("status").Mutable("conditions").MutableItems()) {
    if (each["type"].AsString() == type) each.SetDefault("lastProbeTime", json::Value());
  }
}

}  // namespace coppice::server
