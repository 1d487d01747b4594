#include "server/apply/created_fields.h"

#include <algorithm>
#include <unordered_map>

#include "json/write.h"
#include "kube/cache/packing/trim.h"
#include "server/apply/field_walk.h"
#include "server/apply/managed_fields.h"
#include "server/apply/shape_hash.h"
#include "server/apply/shared_fields.h"

namespace coppice::server {
namespace {

using api::Schema;

constexpr size_t kMaxShapes = 1024;
constexpr std::string_view kMetadata = "metadata";
constexpr std::string_view kOwners = "ownerReferences";

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
  std::vector<json::Member> fields = {{".", json::Value::Object()}};
  for (const json::Value& owner : owners.Items()) {
    const std::optional<std::string> element = ItemElement(owner, *list);
    if (element) fields.push_back({*element, json::Value::Object()});
  }
  return fields.size() > 1 ? json::Value::Object(std::move(fields)) : json::Value::Object();
}

json::Value WithOwners(const Request& request, const json::Value& object, json::Value fields) {
  if (const json::Value* owners = object[kMetadata].Find(kOwners)) {
    fields.Mutable("f:metadata").Set("f:ownerReferences", OwnerFields(request, *owners));
  }
  return fields;
}

json::Value RememberedFields(const Request& request, const json::Value& object) {
  struct Known {
    ServedPtr served;  // While it lives, no other schema can have its address.
    json::Value fields;
  };
  thread_local std::unordered_map<ShapeHash, Known, ShapeHash::Use> known;
  const ShapeHash shape = ShapeOf(request, object);
  auto found = known.find(shape);
  if (found == known.end()) {
    if (known.size() >= kMaxShapes) known.clear();
    json::Value fields = ShareFields(ComputeCreatedFields(request, WithoutOwners(object)));
    if (IsLargeToKeep(fields)) return WithOwners(request, object, std::move(fields));
    found = known.emplace(shape, Known{request.served, std::move(fields)}).first;
  }
  return WithOwners(request, object, found->second.fields);
}

// In place of names that are drawn.
constexpr std::string_view kCommonName = "kube-api-access-common";

std::string VolumeElement(std::string_view name) {
  return "k:" + json::Write(json::Value::Object({{"name", name}}));
}

// The place of the volume in which a pod gets its token, under a name that is drawn for each pod.
std::optional<size_t> FindTokenVolume(const json::Value& object) {
  const auto volumes = object["spec"]["volumes"].Items();
  const auto is_token = [](const json::Value& volume) {
    return kube::IsTokenName(volume["name"].AsString());
  };
  const auto found = std::ranges::find_if(volumes, is_token);
  if (found == volumes.end() || std::ranges::count_if(volumes, is_token) > 1) return std::nullopt;
  return found - volumes.begin();
}

void NameVolume(size_t place, std::string_view name, json::Value& object) {
  object.Mutable("spec").Mutable("volumes").MutableAt(place).Set("name", name);
}

// What is said about the volume of the common name is about the one of this name.
void RenameVolume(std::string_view name, json::Value& fields) {
  const std::string common = VolumeElement(kCommonName);
  const json::Value* volume = fields["f:spec"]["f:volumes"].Find(common);
  if (!volume) return;
  const json::Value kept = *volume;
  json::Value& volumes = fields.Mutable("f:spec").Mutable("f:volumes");
  volumes.Erase(common);
  volumes.Set(VolumeElement(name), kept);
}

}  // namespace

json::Value CreatedFields(const Request& request, const json::Value& object) {
  const std::optional<size_t> token = FindTokenVolume(object);
  if (!token) return RememberedFields(request, object);
  json::Value alike = object;
  NameVolume(*token, kCommonName, alike);
  json::Value fields = RememberedFields(request, alike);
  RenameVolume(object["spec"]["volumes"].At(*token)["name"].AsString(), fields);
  return fields;
}

json::Value ComputeCreatedFields(const Request& request, const json::Value& object) {
  FieldSet fields =
      Compare(json::Value::Object(), object, ObjectSchema(request.served->schema)).changed;
  LeaveOutNobodys(request, fields);
  // Without status, which is written later.
  if (request.served->has_status && !request.served->rules->KeepsStatusOnCreate()) {
    fields.Erase("f:status");
  }
  return fields.ToJson();
}

}  // namespace coppice::server
