#include "server/apply/shape_hash.h"

#include <algorithm>
#include <span>
#include <unordered_map>

#include "server/apply/field_walk.h"

namespace coppice::server {
namespace {

using api::Schema;

enum class Step : uint64_t { kLeaf, kAdded, kRemoved, kChanged, kEnd };

void AddStep(Step step, ShapeHash& hash) { hash.Add(static_cast<uint64_t>(step)); }

// What identifies an item among its list's; null where it lacks a key.
const json::Value& KeyOf(const json::Value& item, const Schema& list, std::string_view key) {
  static const json::Value kNone;
  const json::Value* value = ItemKey(item, list, key);
  return value ? *value : kNone;
}

void AddElement(const json::Value& item, const Schema& list, ShapeHash& hash) {
  if (list.list_type == api::ListType::kSet) return hash.Add(item);
  for (const std::string& key : list.list_keys) hash.Add(KeyOf(item, list, key));
}

bool HasElement(const json::Value& item, const Schema& list) {
  return list.list_type == api::ListType::kSet ||
         std::ranges::any_of(list.list_keys, [&](const std::string& key) {
           return ItemKey(item, list, key) != nullptr;
         });
}

bool IsSameElement(const json::Value& a, const json::Value& b, const Schema& list) {
  if (list.list_type == api::ListType::kSet) return a == b;
  return std::ranges::all_of(list.list_keys, [&](const std::string& key) {
    return KeyOf(a, list, key) == KeyOf(b, list, key);
  });
}

void AddItem(Step step, const json::Value& item, const Schema& list, ShapeHash& hash) {
  AddStep(step, hash);
  AddElement(item, list, hash);
  if (HasElement(item, list)) AddShape(item, list.items, hash);
}

// The items of a list by what identifies them. Few are looked through; users make lists long.
class Elements {
 public:
  Elements(std::span<const json::Value> items, const Schema& list) : items_(items), list_(list) {
    if (items.size() <= kFew) return;
    for (const json::Value& item : items) index_.emplace(HashOf(item), &item);
  }

  // The first that is the same element; null when there is none.
  const json::Value* Find(const json::Value& item) const {
    if (items_.size() <= kFew) return LookThrough(item);
    const auto found = index_.find(HashOf(item));
    if (found == index_.end()) return nullptr;
    return IsSameElement(item, *found->second, list_) ? found->second : LookThrough(item);
  }

 private:
  static constexpr size_t kFew = 16;

  ShapeHash HashOf(const json::Value& item) const {
    ShapeHash hash;
    AddElement(item, list_, hash);
    return hash;
  }

  const json::Value* LookThrough(const json::Value& item) const {
    for (const json::Value& other : items_) {
      if (IsSameElement(item, other, list_)) return &other;
    }
    return nullptr;
  }

  const std::span<const json::Value> items_;
  const Schema& list_;
  std::unordered_map<ShapeHash, const json::Value*, ShapeHash::Use> index_;
};

void AddLists(const json::Value& old, const json::Value& now, const Schema& list, ShapeHash& hash) {
  const size_t same = SameAtFront(old, now);
  const auto before = old.Items().subspan(same), after = now.Items().subspan(same);
  const Elements had(before, list), has(after, list);
  for (const json::Value& item : after) {
    const json::Value* found = had.Find(item);
    if (found == nullptr) {
      AddItem(Step::kAdded, item, list, hash);
    } else {
      AddStep(Step::kChanged, hash);
      AddElement(item, list, hash);
      if (!(*found == item)) AddDifference(*found, item, list.items, hash);
    }
  }
  for (const json::Value& item : before) {
    if (has.Find(item) == nullptr) AddItem(Step::kRemoved, item, list, hash);
  }
}

}  // namespace

void AddShape(const json::Value& value, const Schema* schema, ShapeHash& hash) {
  if (value.IsObject() && !IsAtomicObject(schema)) {
    hash.Add(uint64_t{1 + value.size()});
    for (const json::Member& member : value.Members()) {
      hash.Add(member.name());
      AddShape(member.value, MemberSchema(schema, member.name()), hash);
    }
  } else if (value.IsArray() && IsGranularList(schema)) {
    hash.Add(uint64_t{1} << 32 | value.size());
    for (const json::Value& item : value.Items()) AddItem(Step::kAdded, item, *schema, hash);
  } else {
    AddStep(Step::kLeaf, hash);
  }
}

void AddDifference(const json::Value& old, const json::Value& now, const Schema* schema,
                   ShapeHash& hash) {
  if (old.IsObject() && now.IsObject() && !IsAtomicObject(schema)) {
    for (const json::Member& member : now.Members()) {
      const json::Value* before = old.Find(member.name());
      if (before && *before == member.value) continue;
      const Schema* field = MemberSchema(schema, member.name());
      AddStep(before ? Step::kChanged : Step::kAdded, hash);
      hash.Add(member.name());
      before ? AddDifference(*before, member.value, field, hash)
             : AddShape(member.value, field, hash);
    }
    for (const json::Member& member : old.Members()) {
      if (now.Has(member.name())) continue;
      AddStep(Step::kRemoved, hash);
      hash.Add(member.name());
      AddShape(member.value, MemberSchema(schema, member.name()), hash);
    }
  } else if (old.IsArray() && now.IsArray() && IsGranularList(schema)) {
    AddLists(old, now, *schema, hash);
  } else {
    AddShape(now, schema, hash);
  }
  AddStep(Step::kEnd, hash);
}

}  // namespace coppice::server
