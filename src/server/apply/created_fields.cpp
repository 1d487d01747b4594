#include "server/apply/created_fields.h"

#include <unordered_map>

#include "server/apply/field_walk.h"
#include "server/apply/managed_fields.h"

namespace coppice::server {
namespace {

using api::Schema;

constexpr size_t kMaxShapes = 1024;

// Two independent hashes of the same things: equal for different shapes as good as never.
struct ShapeHash {
  uint64_t a = 0x9E3779B97F4A7C15ull;
  uint64_t b = 0xD1B54A32D192ED03ull;

  void Add(uint64_t word) {
    a = (a ^ word) * 0x2545F4914F6CDD1Dull;
    a ^= a >> 29;
    b = (b + word) * 0x9FB21C651E98DF25ull;
    b ^= b >> 32;
  }
  void Add(std::string_view text) { Add(std::hash<std::string_view>()(text)); }
  bool operator==(const ShapeHash&) const = default;
};

struct UseHash {
  size_t operator()(const ShapeHash& hash) const { return hash.a; }
};

void AddShape(const json::Value& value, const Schema* schema, ShapeHash& hash) {
  if (value.IsObject() && !IsAtomicObject(schema)) {
    hash.Add(1 + value.size());
    for (const json::Member& member : value.Members()) {
      hash.Add(member.name());
      AddShape(member.value, schema ? schema->FieldSchema(member.name()) : nullptr, hash);
    }
  } else if (value.IsArray() && IsGranularList(schema)) {
    hash.Add(uint64_t{1} << 32 | value.size());
    for (const json::Value& item : value.Items()) {
      const std::optional<std::string> element = ItemElement(item, *schema);
      hash.Add(element ? *element : std::string());
      if (element) AddShape(item, schema->items, hash);
    }
  } else {
    hash.Add(uint64_t{0});
  }
}

ShapeHash ShapeOf(const Request& request, const json::Value& object) {
  const ObjectSchema schema(request.served->schema);
  ShapeHash hash;
  hash.Add(reinterpret_cast<uintptr_t>(request.served->schema));
  for (const json::Member& member : object.Members()) {
    hash.Add(member.name());
    AddShape(member.value, schema.Member(member.name()), hash);
  }
  return hash;
}

}  // namespace

json::Value CreatedFields(const Request& request, const json::Value& object) {
  // The schema of a custom resource may be replaced by another at the same address.
  if (request.served->custom) return ComputeCreatedFields(request, object);
  thread_local std::unordered_map<ShapeHash, json::Value, UseHash> known;
  const ShapeHash shape = ShapeOf(request, object);
  if (const auto found = known.find(shape); found != known.end()) return found->second;
  if (known.size() >= kMaxShapes) known.clear();
  return known[shape] = ComputeCreatedFields(request, object);
}

json::Value ComputeCreatedFields(const Request& request, const json::Value& object) {
  FieldSet fields =
      Compare(json::Value::Object(), object, ObjectSchema(request.served->schema)).changed;
  LeaveOutNobodys(request, fields);
  return fields.ToJson();
}

}  // namespace coppice::server
