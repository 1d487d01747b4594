#include "json/patch/changed_members.h"

#include <algorithm>

namespace coppice::json {
namespace {

bool ChangesAnything(const Value& object, const std::vector<Member>& changes) {
  return std::ranges::any_of(changes, [&](const Member& change) {
    const Value* before = object.Find(change.name());
    return change.value.IsNull() ? before != nullptr
                                 : before == nullptr || !(*before == change.value);
  });
}

}  // namespace

Value WithChanges(const Value& object, const std::vector<Member>& changes) {
  if (!ChangesAnything(object, changes)) return object;
  std::vector<Member> out;
  out.reserve(object.size() + changes.size());
  auto change = changes.begin();
  const auto add = [&out](const Member& member) {
    if (!member.value.IsNull()) out.push_back(member);
  };
  for (const Member& member : object.Members()) {
    while (change != changes.end() && change->name() < member.name()) add(*change++);
    if (change != changes.end() && change->name() == member.name()) {
      // What stays equal stays shared.
      add(change->value == member.value ? member : *change);
      ++change;
    } else {
      out.push_back(member);
    }
  }
  std::for_each(change, changes.end(), add);
  return Value::Object(std::move(out));
}

}  // namespace coppice::json
