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
constexpr std::string_view kMetadata = "metadata";
constexpr std::string_view kOwners = "ownerReferences";

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

// The owners are left out: they are known by uids that no other object names.
void AddMetadataShape(const json::Value& metadata, const Schema* schema, ShapeHash& hash) {
  for (const json::Member& member : metadata.Members()) {
    if (member.name() == kOwners) continue;
    hash.Add(member.name());
    AddShape(member.value, schema ? schema->FieldSchema(member.name()) : nullptr, hash);
  }
}

ShapeHash ShapeOf(const Request& request, const json::Value& object) {
  const ObjectSchema schema(request.served->schema);
  ShapeHash hash;
  hash.Add(uint64_t{reinterpret_cast<uintptr_t>(request.served->schema)});
  for (const json::Member& member : object.Members()) {
    hash.Add(member.name());
    const Schema* inner = schema.Member(member.name());
    if (member.name() == kMetadata) {
      AddMetadataShape(member.value, inner, hash);
    } else {
      AddShape(member.value, inner, hash);
    }
  }
  return hash;
}

json::Value WithoutOwners(json::Value object) {
  if (json::Value* metadata = object.FindMutable(kMetadata)) metadata->Erase(kOwners);
  return object;
}

// Those of the owners alone: the list itself and each of its items as a whole.
json::Value OwnerFields(const Request& request, const json::Value& owners) {
  const Schema* metadata = ObjectSchema(request.served->schema).Member(kMetadata);
  const Schema* list = metadata->FieldSchema(kOwners);
  json::Value fields = json::Value::Object({{".", json::Value::Object()}});
  for (const json::Value& owner : owners.Items()) {
    const std::optional<std::string> element = ItemElement(owner, *list);
    if (element) fields.Set(*element, json::Value::Object());
  }
  return fields.size() > 1 ? fields : json::Value::Object();
}

}  // namespace

json::Value CreatedFields(const Request& request, const json::Value& object) {
  struct Known {
    ServedPtr served;  // As long as it lives, no other schema has the address of its own.
    json::Value fields;
  };
  thread_local std::unordered_map<ShapeHash, Known, ShapeHash::Use> known;
  const ShapeHash shape = ShapeOf(request, object);
  auto found = known.find(shape);
  if (found == known.end()) {
    if (known.size() >= kMaxShapes) known.clear();
    json::Value fields = ShareFields(ComputeCreatedFields(request, WithoutOwners(object)));
    found = known.emplace(shape, Known{request.served, std::move(fields)}).first;
  }
  json::Value fields = found->second.fields;
  if (const json::Value* owners = object[kMetadata].Find(kOwners)) {
    fields.Mutable("f:metadata").Set("f:ownerReferences", OwnerFields(request, *owners));
  }
  return fields;
}

json::Value ComputeCreatedFields(const Request& request, const json::Value& object) {
  FieldSet fields =
      Compare(json::Value::Object(), object, ObjectSchema(request.served->schema)).changed;
  LeaveOutNobodys(request, fields);
  // A status comes later, from whom it may concern.
  if (request.served->has_status && !request.served->rules->KeepsStatusOnCreate()) {
    fields.Erase("f:status");
  }
  return fields.ToJson();
}

}  // namespace coppice::server
