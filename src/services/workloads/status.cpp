#include "services/workloads/status.h"

#include <charconv>

#include "api/edit/meta.h"
#include "api/key/apps.h"
#include "api/key/batch.h"
#include "api/key/meta.h"
#include "api/view/meta.h"

namespace coppice::services::workloads {

using json::Value;

namespace {

// The times that stay while the status is the same; kinds differ in which they have.
void KeepTimes(const Value& before, Value& fresh) {
  for (const std::string_view field :
       {key::meta::Condition::lastTransitionTime, key::apps::DeploymentCondition::lastUpdateTime,
        key::batch::JobCondition::lastProbeTime}) {
    if (const Value* time = before.Find(field)) fresh.Set(field, *time);
  }
}

}  // namespace

void SetCondition(Value& conditions, std::string_view type, std::string_view wanted,
                  std::string_view reason, std::string_view message, const std::string& now) {
  Value fresh = Value::Object();
  const edit::meta::Condition edit(fresh);
  edit.set_type(type).set_status(wanted).set_lastTransitionTime(now);
  if (!reason.empty()) edit.set_reason(reason);
  if (!message.empty()) edit.set_message(message);
  std::vector<Value>& list = conditions.MutableItems();
  for (Value& condition : list) {
    const view::meta::Condition before(condition);
    if (before.type() != type) continue;
    if (before.status() == wanted) KeepTimes(condition, fresh);
    condition = std::move(fresh);
    return;
  }
  list.push_back(std::move(fresh));
}

Value NonZero(int64_t count) { return count ? Value(count) : Value(); }

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
