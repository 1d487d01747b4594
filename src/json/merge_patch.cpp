#include "json/patch.h"

namespace coppice::json {

Value ApplyMergePatch(const Value& document, const Value& patch) {
  if (!patch.IsObject()) return patch;
  Value out = document.IsObject() ? document : Value::Object();
  for (const Member& member : patch.Members()) {
    if (member.value.IsNull()) {
      out.Erase(member.name());
      continue;
    }
    const Value& before = out[member.name()];
    Value after = ApplyMergePatch(before, member.value);
    if (!out.Has(member.name()) || !(after == before)) out.Set(member.name(), std::move(after));
  }
  return out;
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
