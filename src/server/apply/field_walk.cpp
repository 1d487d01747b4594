#include "server/apply/field_walk.h"

#include <set>

#include "api/schema/builtin.h"
#include "json/write.h"

namespace coppice::server {
namespace {

using api::ListType;
using api::Schema;

std::string FieldElement(std::string_view name) { return "f:" + std::string(name); }

const Schema* ItemsSchema(const Schema* schema) { return schema ? schema->items : nullptr; }

// A declared field of a struct, rather than a key of a map.
bool IsDeclared(const Schema* schema, std::string_view name) {
  return schema && schema->FindProperty(name) != nullptr;
}

using Items = std::map<std::string, const json::Value*>;

// Items by what identifies them, also in order. Items without their keys are left out.
std::vector<std::pair<std::string, const json::Value*>> KeyedItems(const json::Value& list,
                                                                   const Schema& schema,
                                                                   size_t from = 0) {
  std::vector<std::pair<std::string, const json::Value*>> items;
  for (const json::Value& item : list.Items().subspan(from)) {
    if (std::optional<std::string> element = ItemElement(item, schema)) {
      items.emplace_back(*std::move(element), &item);
    }
  }
  return items;
}

void CollectFields(const json::Value& value, const Schema* schema, FieldSet& set);

void CollectMember(const json::Value& value, const Schema* schema, bool declared, FieldSet& set) {
  CollectFields(value, schema, set);
  if (value.IsNull() || (value.IsObject() && value.empty()) || !declared) set.member = true;
}

void CollectFields(const json::Value& value, const Schema* schema, FieldSet& set) {
  if (value.IsObject() && !IsAtomicObject(schema)) {
    for (const json::Member& member : value.Members()) {
      CollectMember(member.value, MemberSchema(schema, member.name()),
                    schema == nullptr || IsDeclared(schema, member.name()),
                    set.At(FieldElement(member.name())));
    }
  } else if (value.IsArray() && IsGranularList(schema)) {
    for (const auto& [element, item] : KeyedItems(value, *schema)) {
      FieldSet& child = set.At(element);
      child.member = true;
      if (item->IsObject()) CollectFields(*item, ItemsSchema(schema), child);
    }
  } else {
    set.member = true;
  }
}

void CollectDuplicates(const json::Value& value, const Schema* schema, const std::string& path,
                       std::vector<std::string>& found) {
  if (value.IsObject() && !IsAtomicObject(schema)) {
    for (const json::Member& member : value.Members()) {
      CollectDuplicates(member.value, MemberSchema(schema, member.name()),
                        path + "." + std::string(member.name()), found);
    }
  } else if (value.IsArray() && IsGranularList(schema)) {
    std::set<std::string> seen;
    for (const auto& [element, item] : KeyedItems(value, *schema)) {
      const std::string shown = FieldSet::Shown(element);
      if (!seen.insert(element).second) {
        found.push_back(path + ": duplicate entries for key " + shown);
      }
      CollectDuplicates(*item, ItemsSchema(schema), path + shown, found);
    }
  }
}

// Everything in `value`, the places in between included.
void CollectAll(const json::Value& value, const Schema* schema, FieldSet& set) {
  set.member = true;
  if (value.IsObject() && !IsAtomicObject(schema)) {
    for (const json::Member& member : value.Members()) {
      CollectAll(member.value, MemberSchema(schema, member.name()),
                 set.At(FieldElement(member.name())));
    }
  } else if (value.IsArray() && IsGranularList(schema)) {
    for (const auto& [element, item] : KeyedItems(value, *schema)) {
      CollectAll(*item, ItemsSchema(schema), set.At(element));
    }
  }
}

void CompareValues(const json::Value& old, const json::Value& now, const Schema* schema,
                   FieldSet& changed, FieldSet& removed);

// Of what is known to differ.
void CompareOne(const json::Value* old, const json::Value* now, const Schema* schema,
                const std::string& element, FieldSet& changed, FieldSet& removed) {
  if (!old) {
    CollectAll(*now, schema, changed.At(element));
  } else if (!now) {
    CollectAll(*old, schema, removed.At(element));
  } else {
    FieldSet below_changed, below_removed;
    CompareValues(*old, *now, schema, below_changed, below_removed);
    changed.Add(element, std::move(below_changed));
    removed.Add(element, std::move(below_removed));
  }
}

void CompareLists(const json::Value& old, const json::Value& now, const Schema& schema,
                  FieldSet& changed, FieldSet& removed) {
  const size_t same = SameAtFront(old, now);
  Items before, after;
  for (const auto& [element, item] : KeyedItems(old, schema, same)) before.emplace(element, item);
  for (const auto& [element, item] : KeyedItems(now, schema, same)) after.emplace(element, item);
  for (const auto& [element, item] : after) {
    const auto found = before.find(element);
    const json::Value* old_item = found == before.end() ? nullptr : found->second;
    if (old_item && *old_item == *item) continue;
    CompareOne(old_item, item, schema.items, element, changed, removed);
  }
  for (const auto& [element, item] : before) {
    if (!after.count(element)) CompareOne(item, nullptr, schema.items, element, changed, removed);
  }
}

void CompareValues(const json::Value& old, const json::Value& now, const Schema* schema,
                   FieldSet& changed, FieldSet& removed) {
  if (old.IsObject() && now.IsObject() && !IsAtomicObject(schema)) {
    for (const json::Member& member : now.Members()) {
      const json::Value* before = old.Find(member.name());
      if (before && *before == member.value) continue;
      CompareOne(before, &member.value, MemberSchema(schema, member.name()),
                 FieldElement(member.name()), changed, removed);
    }
    for (const json::Member& member : old.Members()) {
      if (now.Has(member.name())) continue;
      CompareOne(&member.value, nullptr, MemberSchema(schema, member.name()),
                 FieldElement(member.name()), changed, removed);
    }
  } else if (old.IsArray() && now.IsArray() && IsGranularList(schema)) {
    CompareLists(old, now, *schema, changed, removed);
  } else {
    CollectAll(now, schema, changed);
  }
}

json::Value Merge(const json::Value& live, const json::Value& config, const Schema* schema);

json::Value MergeLists(const json::Value& live, const json::Value& config, const Schema& schema) {
  const auto left = KeyedItems(live, schema);
  const auto right = KeyedItems(config, schema);
  Items in_left, in_right;
  for (const auto& [element, item] : left) in_left.emplace(element, item);
  for (const auto& [element, item] : right) in_right.emplace(element, item);
  json::Value merged = json::Value::Array();
  std::set<std::string> done;
  size_t l = 0;
  // The configuration's order rules; items it does not name stay where they were.
  const auto emit_left_only = [&](bool until_shared) {
    while (l < left.size()) {
      const auto& [element, item] = left[l];
      const bool shared = in_right.count(element) > 0;
      if (shared && until_shared && !done.count(element)) return;
      if (!shared) merged.Append(*item);
      ++l;
    }
  };
  for (const auto& [element, item] : right) {
    emit_left_only(true);
    if (!done.insert(element).second) continue;
    const auto found = in_left.find(element);
    merged.Append(found == in_left.end() ? *item : Merge(*found->second, *item, schema.items));
  }
  emit_left_only(false);
  return merged;
}

json::Value Merge(const json::Value& live, const json::Value& config, const Schema* schema) {
  if (config.IsObject() && live.IsObject() && !IsAtomicObject(schema)) {
    json::Value merged = live;
    for (const json::Member& member : config.Members()) {
      const json::Value* before = live.Find(member.name());
      merged.Set(member.name(),
                 before ? Merge(*before, member.value, MemberSchema(schema, member.name()))
                        : member.value);
    }
    return merged;
  }
  if (config.IsArray() && live.IsArray() && IsGranularList(schema)) {
    return MergeLists(live, config, *schema);
  }
  return config;
}

void Remove(json::Value& value, const FieldSet& last, const FieldSet& kept, const Schema* schema);

void RemoveItems(json::Value& list, const FieldSet& last, const FieldSet& kept,
                 const Schema& schema) {
  std::vector<json::Value> items;
  for (const json::Value& item : list.Items()) {
    const std::optional<std::string> element = ItemElement(item, schema);
    const FieldSet* had = element ? last.Find(*element) : nullptr;
    const FieldSet* keeps = element ? kept.Find(*element) : nullptr;
    if (had && !keeps) continue;
    json::Value next = item;
    if (had && next.IsObject()) Remove(next, *had, *keeps, schema.items);
    items.push_back(std::move(next));
  }
  list = json::Value::Array(std::move(items));
}

void Remove(json::Value& value, const FieldSet& last, const FieldSet& kept, const Schema* schema) {
  if (value.IsArray() && IsGranularList(schema)) return RemoveItems(value, last, kept, *schema);
  if (!value.IsObject() || IsAtomicObject(schema)) return;
  for (const auto& [element, had] : last.children) {
    if (element[0] != 'f') continue;
    const std::string_view name = std::string_view(element).substr(2);
    if (!value.Has(name)) continue;
    const FieldSet* keeps = kept.Find(element);
    if (!keeps) {
      value.Erase(name);
    } else if (!had.children.empty()) {
      Remove(value.Mutable(name), had, *keeps, MemberSchema(schema, name));
    }
  }
}

}  // namespace

bool IsGranularList(const api::Schema* schema) {
  return schema && schema->type == api::SchemaType::kArray &&
         schema->list_type != ListType::kAtomic;
}

bool IsAtomicObject(const api::Schema* schema) { return schema && schema->atomic_object; }

size_t SameAtFront(const json::Value& old, const json::Value& now) {
  size_t same = 0;
  while (same < old.size() && same < now.size() && old.At(same) == now.At(same)) ++same;
  return same;
}

const json::Value* ItemKey(const json::Value& item, const Schema& list, std::string_view key) {
  if (const json::Value* value = item.Find(key)) return value;
  const Schema* field = list.items ? list.items->FindProperty(key) : nullptr;
  return field && field->has_default ? &field->default_value : nullptr;
}

std::optional<std::string> ItemElement(const json::Value& item, const api::Schema& list) {
  if (list.list_type == ListType::kSet) return "v:" + json::Write(item);
  std::vector<json::Member> keys;
  for (const std::string& key : list.list_keys) {
    if (const json::Value* value = ItemKey(item, list, key)) keys.push_back({key, *value});
  }
  if (keys.empty()) return std::nullopt;
  return "k:" + json::Write(json::Value::Object(std::move(keys)));
}

ObjectSchema::ObjectSchema(const api::Schema* schema) : schema_(schema) {
  static const Schema* metadata =
      api::BuiltinTypes::For(api::BuiltinTypes::kNewest).FindType("meta/v1 ObjectMeta");
  metadata_ = metadata;
}

const api::Schema* ObjectSchema::Member(std::string_view name) const {
  return name == "metadata" ? metadata_ : MemberSchema(schema_, name);
}

FieldSet FieldsOf(const json::Value& object, const ObjectSchema& schema) {
  FieldSet set;
  for (const json::Member& member : object.Members()) {
    CollectMember(member.value, schema.Member(member.name()), true,
                  set.At(FieldElement(member.name())));
  }
  return set;
}

std::vector<std::string> DuplicateEntries(const json::Value& configuration,
                                          const ObjectSchema& schema) {
  std::vector<std::string> found;
  for (const json::Member& member : configuration.Members()) {
    CollectDuplicates(member.value, schema.Member(member.name()), "." + std::string(member.name()),
                      found);
  }
  return found;
}

FieldDifference Compare(const json::Value& old, const json::Value& now,
                        const ObjectSchema& schema) {
  FieldDifference difference;
  for (const json::Member& member : now.Members()) {
    const json::Value* before = old.Find(member.name());
    if (before && *before == member.value) continue;
    CompareOne(before, &member.value, schema.Member(member.name()), FieldElement(member.name()),
               difference.changed, difference.removed);
  }
  for (const json::Member& member : old.Members()) {
    if (now.Has(member.name())) continue;
    CompareOne(&member.value, nullptr, schema.Member(member.name()), FieldElement(member.name()),
               difference.changed, difference.removed);
  }
  return difference;
}

json::Value MergeFields(const json::Value& live, const json::Value& configuration,
                        const ObjectSchema& schema) {
  json::Value merged = live;
  for (const json::Member& member : configuration.Members()) {
    const json::Value* before = live.Find(member.name());
    merged.Set(member.name(),
               before ? Merge(*before, member.value, schema.Member(member.name())) : member.value);
  }
  return merged;
}

void RemoveFields(json::Value& object, const FieldSet& last, const FieldSet& kept,
                  const ObjectSchema& schema) {
  for (const auto& [element, had] : last.children) {
    const std::string_view name = std::string_view(element).substr(2);
    if (element[0] != 'f' || !object.Has(name)) continue;
    const FieldSet* keeps = kept.Find(element);
    if (!keeps && name != "metadata") {
      object.Erase(name);
    } else {
      static const FieldSet kNothing;
      Remove(object.Mutable(name), had, keeps ? *keeps : kNothing, schema.Member(name));
    }
  }
}

}  // namespace coppice::server
