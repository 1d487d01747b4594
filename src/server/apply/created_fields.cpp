#include "server/apply/created_fields.h"

#include <unordered_map>

#include "json/content_hash.h"
#include "server/apply/field_walk.h"
#include "server/apply/managed_fields.h"
#include "server/apply/shared_fields.h"

namespace coppice::server {
namespace {

using api::Schema;

constexpr size_t kMaxShapes = 1024;

using ShapeHash = json::ContentHash;

void AddShape(const json::Value& value, const Schema* schema, ShapeHash& hash) {
  if (value.IsObject() && !IsAtomicObject(schema)) {
    hash.Add(uint64_t{1 + value.size()});
    for (const json::Member& member : value.Members()) {
      hash.Add(member.name());
      AddShape(member.value, schema ? schema->FieldSchema(member.name()) : nullptr, hash);
    }
  } else if (value.IsArray() && IsGranularList(schema)) {
    hash.Add(uint64_t{1} << 32 | value.size());
    for (const json::Value& item : value.Items()) {
      const std::optional<std::string> element = ItemElement(item, *schema);
      hash.Add(std::string_view(element ? *element : std::string()));
      if (element) AddShape(item, schema->items, hash);
    }
  } else {
    hash.Add(uint64_t{0});
  }
}

ShapeHash ShapeOf(const Request& request, const json::Value& object) {
  const ObjectSchema schema(request.served->schema);
  ShapeHash hash;
  hash.Add(uint64_t{reinterpret_cast<uintptr_t>(request.served->schema)});
  for (const json::Member& member : object.Members()) {
    hash.Add(member.name());
    AddShape(member.value, schema.Member(member.name()), hash);
  }
  return hash;
}

}  // namespace

json::Value CreatedFields(const Request& request, const json::Value& object) {
  struct Known {
    ServedPtr served;  // As long as it lives, no other schema has the address of its own.
    json::Value fields;
  };
  thread_local std::unordered_map<ShapeHash, Known, ShapeHash::Use> known;
  const ShapeHash shape = ShapeOf(request, object);
  if (const auto found = known.find(shape); found != known.end()) return found->second.fields;
  if (known.size() >= kMaxShapes) known.clear();
  json::Value fields = ShareFields(ComputeCreatedFields(request, object));
  known[shape] = {request.served, fields};
  return fields;
}

json::Value ComputeCreatedFields(const Request& request, const json::Value& object) {
  FieldSet fields =
      Compare(json::Value::Object(), object, ObjectSchema(request.served->schema)).changed;
  LeaveOutNobodys(request, fields);
  return fields.ToJson();
}

}  // namespace coppice::server
