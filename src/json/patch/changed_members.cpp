#include "json/patch/changed_members.h"

#include <algorithm>

namespace coppice::json {
namespace {

using Changes = std::vector<const Member*>;

// Those that make a difference. What stays equal stays shared.
Changes Effective(const Value& object, const std::vector<Member>& changes) {
  Changes effective;
  effective.reserve(changes.size());
  for (const Member& change : changes) {
    const Value* before = object.Find(change.name());
    const bool same =
        change.value.IsNull() ? before == nullptr : before != nullptr && *before == change.value;
    if (!same) effective.push_back(&change);
  }
  return effective;
}

}  // namespace

Value WithChanges(const Value& object, const std::vector<Member>& changes) {
  const Changes effective = Effective(object, changes);
  if (effective.empty()) return object;
  std::vector<Member> out;
  out.reserve(object.size() + effective.size());
  auto change = effective.begin();
  const auto add = [&out](const Member* member) {
    if (!member->value.IsNull()) out.push_back(*member);
  };
  for (const Member& member : object.Members()) {
    while (change != effective.end() && (*change)->name() < member.name()) add(*change++);
    if (change != effective.end() && (*change)->name() == member.name()) {
      add(*change++);
    } else {
      out.push_back(member);
    }
  }
  std::for_each(change, effective.end(), add);
  return Value::Object(std::move(out));
}

}  // namespace coppice::json
