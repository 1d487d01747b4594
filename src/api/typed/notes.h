#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"

// What a struct's types do not say about its fields: the parts of an OpenAPI schema that
// controllers in other languages write as comments. See api/typed/crd.h for an example.
namespace coppice::api {

// One part of a schema. Objects are merged, lists of rules appended, anything else replaced.
struct SchemaPart {
  std::string key;
  json::Value value;
};

using SchemaParts = std::initializer_list<SchemaPart>;

inline SchemaPart Default(json::Value value) { return {"default", std::move(value)}; }
inline SchemaPart Minimum(double bound) { return {"minimum", bound}; }
inline SchemaPart Maximum(double bound) { return {"maximum", bound}; }
inline SchemaPart Pattern(std::string_view regex) { return {"pattern", regex}; }
inline SchemaPart Format(std::string_view format) { return {"format", format}; }
inline SchemaPart DateTime() { return Format("date-time"); }
inline SchemaPart MinLength(int64_t length) { return {"minLength", length}; }
inline SchemaPart MaxLength(int64_t length) { return {"maxLength", length}; }
inline SchemaPart MinItems(int64_t count) { return {"minItems", count}; }
inline SchemaPart MaxItems(int64_t count) { return {"maxItems", count}; }
inline SchemaPart Type(std::string_view type) { return {"type", type}; }
inline SchemaPart AtomicList() { return {"x-kubernetes-list-type", "atomic"}; }
SchemaPart Enum(std::initializer_list<std::string_view> values);
// A list whose items are identified by these fields.
SchemaPart MapList(std::initializer_list<std::string_view> keys);
// A rule in CEL; `more` may hold reason, fieldPath, messageExpression, optionalOldSelf.
SchemaPart Rule(std::string_view expression, std::string_view message,
                std::initializer_list<std::pair<std::string_view, json::Value>> more = {});
// Parts of the schema of a list's items, of a map's values.
SchemaPart Items(SchemaParts parts);
SchemaPart Values(SchemaParts parts);
// Parts of the schema of one member of the field's object, on top of that struct's own notes.
SchemaPart Member(std::string_view name, SchemaParts parts);
// Names that the field's object must have, on top of that struct's own.
SchemaPart AlsoRequired(std::initializer_list<std::string_view> names);
// The schema of a Kubernetes type from the built-in tables: "core/v1 PodSpec".
SchemaPart External(std::string_view type);

struct FieldNote {
  std::string name;
  std::string about;
  std::vector<SchemaPart> parts;
};

// Notes on one struct, found by argument-dependent lookup:
//
//   StructNotes Notes(const PodCliqueSpec*) { return StructNotes("…").Required({…}).Field(…); }
class StructNotes {
 public:
  StructNotes() = default;
  explicit StructNotes(std::string_view about) : about_(about) {}

  StructNotes& Required(std::initializer_list<std::string_view> names);
  StructNotes& Field(std::string_view name, std::string_view about, SchemaParts parts = {});
  StructNotes& Rule(std::string_view expression, std::string_view message,
                    std::initializer_list<std::pair<std::string_view, json::Value>> more = {});
  // Any other part of the struct's own schema.
  StructNotes& With(SchemaPart part);

  // Puts the notes on a schema that was made from the types.
  void ApplyTo(json::Value& schema) const;

 private:
  std::string about_;
  std::vector<std::string> required_;
  std::vector<FieldNote> fields_;
  std::vector<SchemaPart> parts_;
};

// Merges one part into a schema; External becomes what the tables say.
void ApplyPart(const SchemaPart& part, json::Value& schema);

}  // namespace coppice::api
