#include "operator/common/merge_diff.h"

namespace coppice::operators {

json::Value MergeDiff(const json::Value& from, const json::Value& to) {
  json::Value patch = json::Value::Object();
  for (const json::Member& member : to.Members()) {
    const json::Value& old = from[member.name()];
    if (old.SameAs(member.value) || old == member.value) continue;
    const bool both_objects = old.IsObject() && member.value.IsObject();
    patch.Set(member.name(), both_objects ? MergeDiff(old, member.value) : member.value);
  }
  for (const json::Member& member : from.Members()) {
    if (!to.Has(member.name())) patch.Set(member.name(), nullptr);
  }
  return patch;
}

}  // namespace coppice::operators
