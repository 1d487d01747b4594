#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/schema/model/schema.h"
#include "json/value.h"
#include "server/apply/field_set.h"

// Objects as sets of fields, by their schema. Without a schema, objects are split by member and
// lists are atomic.
namespace coppice::server {

// The schema of a whole object: metadata is the same for every kind, whatever its schema says.
class ObjectSchema {
 public:
  explicit ObjectSchema(const api::Schema* schema);
  const api::Schema* root() const { return schema_; }
  const api::Schema* Member(std::string_view name) const;

 private:
  const api::Schema* schema_;
  const api::Schema* metadata_;
};

// The fields that a configuration names, as apply owns them.
FieldSet FieldsOf(const json::Value& object, const ObjectSchema& schema);

// Duplicate entries of lists that are maps or sets, as messages.
std::vector<std::string> DuplicateEntries(const json::Value& configuration,
                                          const ObjectSchema& schema);

struct FieldDifference {
  FieldSet changed;  // Added or with another value.
  FieldSet removed;
};
FieldDifference Compare(const json::Value& old, const json::Value& now, const ObjectSchema& schema);

// `configuration` over `live`: members merge, lists merge by their keys.
json::Value MergeFields(const json::Value& live, const json::Value& configuration,
                        const ObjectSchema& schema);

// Removes everything in `last` that is not in `kept`.
void RemoveFields(json::Value& object, const FieldSet& last, const FieldSet& kept,
                  const ObjectSchema& schema);

// Of a member; null if unknown.
inline const api::Schema* MemberSchema(const api::Schema* schema, std::string_view name) {
  return schema ? schema->FieldSchema(name) : nullptr;
}
// How lists and objects merge.
bool IsGranularList(const api::Schema* schema);
bool IsAtomicObject(const api::Schema* schema);
// Length of the common prefix of both lists, which needs no comparison.
size_t SameAtFront(const json::Value& old, const json::Value& now);
// The value of this list key in an item, possibly the default; null if there is none.
const json::Value* ItemKey(const json::Value& item, const api::Schema& list, std::string_view key);
// What identifies an item of a granular list; nullopt if its keys are missing.
std::optional<std::string> ItemElement(const json::Value& item, const api::Schema& list);

}  // namespace coppice::server
