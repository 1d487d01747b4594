#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "json/patch/changed_members.h"
#include "json/patch/patch.h"
#include "json/write.h"

namespace coppice::json {
namespace {

constexpr std::string_view kPatch = "$patch";
constexpr std::string_view kRetainKeys = "$retainKeys";
constexpr std::string_view kDeletePrefix = "$deleteFromPrimitiveList/";
constexpr std::string_view kOrderPrefix = "$setElementOrder/";

base::Error Bad(std::string message) { return base::InvalidArgument(std::move(message)); }

bool IsDirective(std::string_view name) {
  return name == kPatch || name == kRetainKeys || name.starts_with(kDeletePrefix) ||
         name.starts_with(kOrderPrefix);
}

// Values by what they are, for lists that users make long.
using Identities = std::unordered_set<std::string>;

Identities IdentitiesIn(const Value& list) {
  Identities out;
  for (const Value& item : list.Items()) out.insert(Write(item));
  return out;
}

base::Result<Value> Merge(const Value& document, const Value& patch, const PatchSchema* schema);

const PatchSchema* FieldOf(const PatchSchema* schema, std::string_view name) {
  return schema == nullptr ? nullptr : schema->Field(name);
}

base::Result<Value> WithoutUnretained(const Value& document, const Value& patch) {
  const Value* retained = patch.Find(kRetainKeys);
  if (retained == nullptr) return document;
  if (!retained->IsArray()) return Bad("$retainKeys must be a list of keys");
  const Identities kept = IdentitiesIn(*retained);
  for (const Member& member : patch.Members()) {
    if (IsDirective(member.name()) || member.value.IsNull()) continue;
    if (!kept.contains(Write(member.key))) {
      return Bad("$retainKeys list must contains all fields that are present in the patch");
    }
  }
  std::vector<Member> gone;
  for (const Member& member : document.Members()) {
    if (!kept.contains(Write(member.key))) gone.push_back({member.key, Value()});
  }
  return WithChanges(document, gone);
}

// What an item of a merging list is called: its merge key's value, or the scalar itself.
const Value& IdentityOf(const Value& item, std::string_view merge_key) {
  return item.IsObject() ? item[merge_key] : item;
}

// The index of the first item of each identity in a list. Most lists are short: comparing a few
// identities costs less than writing them down.
class Positions {
 public:
  Positions(const Value& list, std::string_view merge_key) : merge_key_(merge_key) {
    few_.reserve(std::min(list.size(), kFew));
    for (const Value& item : list.Items()) Add(item);
  }
  // The next item of the list.
  void Add(const Value& item) {
    if (count_ < kFew) {
      few_.push_back(IdentityOf(item, merge_key_));
    } else {
      places_.emplace(Write(IdentityOf(item, merge_key_)), count_);
    }
    ++count_;
  }
  std::optional<size_t> Of(const Value& item) const {
    const Value& identity = IdentityOf(item, merge_key_);
    const auto among = std::ranges::find(few_, identity);
    if (among != few_.end()) return static_cast<size_t>(among - few_.begin());
    if (places_.empty()) return std::nullopt;
    const auto found = places_.find(Write(identity));
    return found == places_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  static constexpr size_t kFew = 16;

  std::string_view merge_key_;
  std::vector<Value> few_;                          // The first ones.
  std::unordered_map<std::string, size_t> places_;  // The others, as text.
  size_t count_ = 0;
};

// Items named by `order` come in that order; the others keep their place of `before` as far as that
// goes: each comes before the first ordered item that followed it there.
Value Reordered(const Value& list, const Value& order, const Value& before,
                std::string_view merge_key) {
  const Positions in_list(list, merge_key), in_order(order, merge_key), was(before, merge_key);
  std::vector<Value> ordered;
  for (const Value& wanted : order.Items()) {
    if (const auto at = in_list.Of(wanted)) ordered.push_back(list.At(*at));
  }
  std::vector<Value> out;
  size_t at = 0;
  for (const Value& item : list.Items()) {
    if (in_order.Of(item)) continue;
    const auto place = was.Of(item);
    for (; at < ordered.size(); ++at) {
      const auto other = was.Of(ordered[at]);
      if (place && other && *other > *place) break;
      out.push_back(ordered[at]);
    }
    out.push_back(item);
  }
  out.insert(out.end(), ordered.begin() + static_cast<ptrdiff_t>(at), ordered.end());
  return Value::Array(std::move(out));
}

Value MergeScalars(const Value& document, const Value& patch) {
  Value out = document.IsArray() ? document : Value::Array();
  Identities known = IdentitiesIn(out);
  for (const Value& item : patch.Items()) {
    if (known.insert(Write(item)).second) out.Append(item);
  }
  return out;
}

// Without the items of these identities.
Value Without(const Value& list, const Identities& removed, std::string_view merge_key) {
  Value out = Value::Array();
  for (const Value& item : list.Items()) {
    if (!removed.contains(Write(IdentityOf(item, merge_key)))) out.Append(item);
  }
  return out;
}

class ListMerger {
 public:
  ListMerger(const Value& document, const PatchSchema& schema)
      : schema_(schema), out_(document.IsArray() ? document : Value::Array()) {}

  // `order` names the items in the order they shall have; null: that of the patch.
  base::Result<Value> Merge(const Value& patch, const Value* order) {
    const bool replaces = std::ranges::any_of(
        patch.Items(), [](const Value& item) { return item[kPatch].AsString() == "replace"; });
    if (replaces) out_ = Value::Array();
    Value kept = Value::Array();
    Identities removed;
    for (const Value& item : patch.Items()) {
      const std::string_view directive = item[kPatch].AsString();
      if (directive == "replace") continue;
      COPPICE_TRY(CheckKey(item));
      if (directive == "delete") {
        removed.insert(Write(item[schema_.MergeKey()]));
      } else {
        kept.Append(item);
      }
    }
    if (!removed.empty()) out_ = Without(out_, removed, schema_.MergeKey());
    const Value before = out_;
    Positions places(out_, schema_.MergeKey());
    for (const Value& item : kept.Items()) COPPICE_TRY(MergeItem(item, places));
    return Reordered(out_, order == nullptr ? kept : *order, before, schema_.MergeKey());
  }

 private:
  base::Status CheckKey(const Value& item) const {
    if (!item[schema_.MergeKey()].IsNull()) return {};
    return Bad(fmt::format("map: {} does not contain declared merge key: {}", Write(item),
                           schema_.MergeKey()));
  }

  base::Status MergeItem(const Value& item, Positions& places) {
    const auto at = places.Of(item);
    COPPICE_ASSIGN(Value merged, json::Merge(at ? out_.At(*at) : Value(), item, schema_.Item()));
    if (at) {
      out_.MutableAt(*at) = std::move(merged);
    } else {
      places.Add(item);
      out_.Append(std::move(merged));
    }
    return {};
  }

  const PatchSchema& schema_;
  Value out_;
};

base::Result<Value> MergeList(const Value& document, const Value& patch, const PatchSchema* schema,
                              const Value* order) {
  if (schema == nullptr || !schema->MergesItems()) return patch;
  if (order != nullptr && !order->IsArray()) return Bad("$setElementOrder must be a list");
  const bool objects = std::ranges::any_of(patch.Items(), &Value::IsObject) ||
                       std::ranges::any_of(document.Items(), &Value::IsObject);
  if (!objects) {
    const Value merged = MergeScalars(document, patch);
    return Reordered(merged, order == nullptr ? patch : *order, document, "");
  }
  if (schema->MergeKey().empty()) return Bad("cannot merge lists without merge key");
  return ListMerger(document, *schema).Merge(patch, order);
}

base::Result<Value> MergeField(const Value& document, const Value& patch, const PatchSchema* schema,
                               const Value* order) {
  if (patch.IsArray()) return MergeList(document, patch, schema, order);
  const bool replaced = schema != nullptr && schema->IsReplaced();
  return Merge(replaced ? Value() : document, patch, schema);
}

// The orders of lists that the patch does not change otherwise.
base::Status ApplyOrders(const Value& before, const Value& patch, const PatchSchema* schema,
                         Value& out) {
  for (const Member& member : patch.Members()) {
    if (!member.name().starts_with(kOrderPrefix)) continue;
    const std::string_view name = member.name().substr(kOrderPrefix.size());
    const PatchSchema* field = FieldOf(schema, name);
    const Value* list = out.Find(name);
    if (list == nullptr || !list->IsArray() || field == nullptr || !field->MergesItems()) continue;
    if (patch.Has(name)) continue;
    if (!member.value.IsArray()) return Bad(fmt::format("{} must be a list", member.name()));
    out.Set(name, Reordered(*list, member.value, before[name], field->MergeKey()));
  }
  return {};
}

base::Result<Value> MergeMembers(const Value& document, const Value& patch,
                                 const PatchSchema* schema) {
  COPPICE_ASSIGN(Value out, WithoutUnretained(document, patch));
  if (!out.IsObject()) out = Value::Object();
  std::vector<Member> changes;
  const bool has_orders = std::ranges::any_of(patch.Members(), [](const Member& member) {
    return member.name().starts_with(kOrderPrefix);
  });
  for (const Member& member : patch.Members()) {
    const std::string_view name = member.name();
    if (name.starts_with(kDeletePrefix)) {
      const std::string_view list = name.substr(kDeletePrefix.size());
      if (out[list].IsArray()) out.Set(list, Without(out[list], IdentitiesIn(member.value), ""));
    }
    if (IsDirective(name)) continue;
    if (member.value.IsNull()) {
      changes.push_back(member);
      continue;
    }
    const Value* order = has_orders ? patch.Find(fmt::format("{}{}", kOrderPrefix, name)) : nullptr;
    COPPICE_ASSIGN(Value merged, MergeField(out[name], member.value, FieldOf(schema, name), order));
    changes.push_back({member.key, std::move(merged)});
  }
  out = WithChanges(out, changes);
  COPPICE_TRY(ApplyOrders(document, patch, schema, out));
  return out;
}

base::Result<Value> Merge(const Value& document, const Value& patch, const PatchSchema* schema) {
  if (!patch.IsObject()) return patch;
  const Value* directive = patch.Find(kPatch);
  const std::string_view kind = directive == nullptr ? "merge" : directive->AsString();
  if (kind == "delete") return Value::Object();
  if (kind == "replace") {
    Value out = patch;
    out.Erase(kPatch);
    return out;
  }
  if (kind != "merge") {
    return Bad(fmt::format("unknown patch type: {} in map: {}", kind, Write(patch)));
  }
  return MergeMembers(document.IsObject() ? document : Value::Object(), patch, schema);
}

}  // namespace

base::Result<Value> ApplyStrategicMergePatch(const Value& document, const Value& patch,
                                             const PatchSchema* schema) {
  if (!patch.IsObject()) return Bad("a strategic merge patch must be an object");
  return Merge(document, patch, schema);
}

}  // namespace coppice::json
