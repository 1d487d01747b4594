#include "server/apply/owned_fields.h"

#include "json/patch/changed_members.h"

namespace coppice::server {
namespace {

// Beside fields below it, "." says that a place itself is owned; a place without any always is.
constexpr std::string_view kSelf = ".";

bool OwnsItself(const json::Value& place) { return place.empty() || place.Has(kSelf); }

bool HasBelow(const json::Value& place) {
  return place.size() > 1 || (place.size() == 1 && !place.Has(kSelf));
}

json::Value UnitePlace(const json::Value& place, const FieldSet& more) {
  const bool owned = OwnsItself(place) || more.member;
  json::Value united = UniteFields(place, more);
  if (owned && HasBelow(united) && !united.Has(kSelf)) united.Set(kSelf, json::Value::Object());
  return united;
}

// Null when nothing is left.
json::Value SubtractPlace(const json::Value& place, const FieldSet& less) {
  const bool owned = OwnsItself(place) && !less.member;
  json::Value left = SubtractFields(place, less);
  if (!HasBelow(left)) return owned ? json::Value::Object() : json::Value();
  if (!owned && left.Has(kSelf)) left.Erase(kSelf);
  return left;
}

}  // namespace

json::Value UniteFields(const json::Value& fields, const FieldSet& more) {
  std::vector<json::Member> changes;
  for (const auto& [element, child] : more.children) {
    if (child.empty()) continue;
    const json::Value* place = fields.Find(element);
    json::Value next = place ? UnitePlace(*place, child) : child.ToJson();
    if (!place || !next.SameAs(*place)) changes.push_back({element, std::move(next)});
  }
  return changes.empty() ? fields : json::WithChanges(fields, changes);
}

json::Value SubtractFields(const json::Value& fields, const FieldSet& less) {
  std::vector<json::Member> changes;
  for (const auto& [element, child] : less.children) {
    const json::Value* place = fields.Find(element);
    if (!place) continue;
    json::Value next = SubtractPlace(*place, child);
    if (!next.SameAs(*place)) changes.push_back({element, std::move(next)});
  }
  return changes.empty() ? fields : json::WithChanges(fields, changes);
}

}  // namespace coppice::server
