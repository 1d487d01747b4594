#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/patch/patch.h"
#include "json/value.h"

namespace re2 {
class RE2;
}

namespace coppice::api {

enum class SchemaType : uint8_t {
  kAny,
  kObject,
  kArray,
  kString,
  kInteger,
  kNumber,
  kBoolean,
};

// How a list is merged by apply, and what makes its items unique.
enum class ListType : uint8_t { kAtomic, kSet, kMap };

class CompiledRule;
class Schema;

struct Property {
  std::string name;
  const Schema* schema;
  // How Kubernetes writes the field (tables only): absent and zero differ; written even if empty;
  // omitted if zero.
  bool pointer = false;
  bool always_written = false;
  bool omits_zero = false;
};

// The limits that few fields have.
struct Constraints {
  std::optional<double> minimum, maximum, multiple_of;
  bool exclusive_minimum = false;
  bool exclusive_maximum = false;
  std::optional<int64_t> min_length, max_length, min_items, max_items, min_properties,
      max_properties;
  bool unique_items = false;
  std::string pattern;
  std::shared_ptr<const re2::RE2> regex;
  std::vector<json::Value> enumeration;
  std::vector<const Schema*> all_of, any_of, one_of;
  const Schema* negated = nullptr;
  std::vector<std::shared_ptr<const CompiledRule>> rules;
};

// The schema of one position in an object: the same for built-in kinds (from the tables) and for
// custom resources (from a CRD's openAPIV3Schema). Immutable once built; schemas of one document
// point at each other and are owned by it. Recursive types are cycles.
//
// It defines how patches merge (json::PatchSchema) and what to prune, default, validate and
// publish; those are free functions in their own headers.
class Schema final : public json::PatchSchema {
 public:
  // "core/v1 PodSpec" for the struct types of the tables, "" otherwise.
  std::string name;
  SchemaType type = SchemaType::kAny;
  ListType list_type = ListType::kAtomic;
  bool nullable = false;
  bool int_or_string = false;
  bool preserve_unknown = false;
  bool embedded_resource = false;
  // additionalProperties: true.
  bool any_additional = false;
  // Apply replaces the whole object (x-kubernetes-map-type: atomic).
  bool atomic_object = false;
  // A part that is inlined here is atomic; CRD generators then call the whole atomic.
  bool embeds_atomic = false;
  // The list is marked atomic, rather than just not marked.
  bool atomic_list = false;
  bool has_default = false;
  // Strategic merge.
  bool merges = false;
  bool replaced = false;
  bool retains_keys = false;
  std::string merge_key;
  // As written: "int32", "date-time", "quantity" (tables only).
  std::string format;
  std::string description;
  std::vector<Property> properties;  // Sorted by name.
  const Schema* additional = nullptr;
  const Schema* items = nullptr;
  std::vector<std::string> required;
  std::vector<std::string> list_keys;
  json::Value default_value;
  std::shared_ptr<const Constraints> constraints;  // Null when there are none.

  // The schema of a member: a property, or a map's values. Null when nothing is known.
  const Schema* FieldSchema(std::string_view name) const;
  const Schema* FindProperty(std::string_view name) const;

  const json::PatchSchema* Field(std::string_view field) const override {
    return FieldSchema(field);
  }
  const json::PatchSchema* Item() const override { return items; }
  bool MergesItems() const override { return merges; }
  std::string_view MergeKey() const override { return merge_key; }
  bool IsReplaced() const override { return replaced; }
};

// Owns schemas that point at each other.
class SchemaArena {
 public:
  SchemaArena() = default;
  SchemaArena(const SchemaArena&) = delete;
  SchemaArena& operator=(const SchemaArena&) = delete;

  Schema& New() { return nodes_.emplace_back(); }

 private:
  std::deque<Schema> nodes_;
};

}  // namespace coppice::api
