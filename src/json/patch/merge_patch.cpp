#include "json/patch/changed_members.h"
#include "json/patch/patch.h"

namespace coppice::json {

Value ApplyMergePatch(const Value& document, const Value& patch) {
  if (!patch.IsObject()) return patch;
  const Value before = document.IsObject() ? document : Value::Object();
  std::vector<Member> changes;
  changes.reserve(patch.size());
  for (const Member& member : patch.Members()) {
    const bool goes = member.value.IsNull();
    changes.push_back(
        {member.key, goes ? Value() : ApplyMergePatch(before[member.name()], member.value)});
  }
  return WithChanges(before, changes);
}

Value CreateMergePatch(const Value& from, const Value& to) {
  if (!from.IsObject() || !to.IsObject()) return to;
  Value patch = Value::Object();
  for (const Member& member : from.Members()) {
    if (!to.Has(member.name())) patch.Set(member.name(), Value());
  }
  for (const Member& member : to.Members()) {
    const Value* before = from.Find(member.name());
    if (before != nullptr && *before == member.value) continue;
    const bool both_objects = before != nullptr && before->IsObject() && member.value.IsObject();
    patch.Set(member.name(), both_objects ? CreateMergePatch(*before, member.value) : member.value);
  }
  return patch;
}

}  // namespace coppice::json
