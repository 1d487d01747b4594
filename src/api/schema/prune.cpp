#include "api/schema/prune.h"

#include <algorithm>

#include "api/schema/errors/field_path.h"

namespace coppice::api {
namespace {

bool IsRootField(std::string_view name) {
  return name == "apiVersion" || name == "kind" || name == "metadata";
}

class Pruner {
 public:
  explicit Pruner(std::vector<std::string>* unknown) : unknown_(unknown) {}

  json::Value Any(const Schema* schema, const json::Value& value, const FieldPath& path,
                  bool is_resource) {
    if (value.IsArray()) return List(schema, value, path);
    if (value.IsObject()) return Object(schema, value, path, is_resource);
    return value;
  }

 private:
  json::Value List(const Schema* schema, const json::Value& value, const FieldPath& path) {
    const Schema* items = schema == nullptr ? nullptr : schema->items;
    if (items == nullptr && schema != nullptr && schema->preserve_unknown) return value;
    json::Value out = value;
    for (size_t i = 0; i < value.size(); ++i) {
      json::Value pruned = Any(items, value.At(i), path.Index(i), false);
      if (!pruned.SameAs(value.At(i))) out.MutableAt(i) = std::move(pruned);
    }
    return out;
  }

  json::Value Object(const Schema* schema, const json::Value& value, const FieldPath& path,
                     bool is_resource) {
    is_resource = is_resource || (schema != nullptr && schema->embedded_resource);
    const bool keeps_all =
        schema != nullptr && (schema->preserve_unknown || schema->any_additional);
    json::Value out = value;
    for (const json::Member& member : value.Members()) {
      const std::string_view name = member.name();
      if (is_resource && IsRootField(name)) continue;
      const Schema* field = schema == nullptr ? nullptr : schema->FieldSchema(name);
      if (field == nullptr && keeps_all) continue;
      if (field == nullptr) {
        if (unknown_ != nullptr) unknown_->push_back(path.Child(name).ToString());
        out.Erase(name);
        continue;
      }
      json::Value pruned = Any(field, member.value, path.Child(name), false);
      if (!pruned.SameAs(member.value)) out.Set(name, std::move(pruned));
    }
    return out;
  }

  std::vector<std::string>* unknown_;
};

bool IsUnwantedNull(const Schema& schema, const json::Value& value) {
  return value.IsNull() && !schema.nullable;
}

}  // namespace

json::Value Prune(const Schema& schema, const json::Value& object,
                  std::vector<std::string>* unknown) {
  json::Value out = Pruner(unknown).Any(&schema, object, FieldPath(), true);
  if (unknown != nullptr) std::sort(unknown->begin(), unknown->end());
  return out;
}

json::Value ApplyDefaults(const Schema& schema, const json::Value& value) {
  if (value.IsArray() && schema.items != nullptr) {
    json::Value out = value;
    for (size_t i = 0; i < value.size(); ++i) {
      json::Value item = ApplyDefaults(*schema.items, value.At(i));
      if (!item.SameAs(value.At(i))) out.MutableAt(i) = std::move(item);
    }
    return out;
  }
  if (!value.IsObject()) return value;
  json::Value out = value;
  for (const Property& property : schema.properties) {
    const json::Value* found = out.Find(property.name);
    if (found != nullptr && IsUnwantedNull(*property.schema, *found)) {
      out.Erase(property.name);
      found = nullptr;
    }
    if (found == nullptr && !property.schema->has_default) continue;
    const json::Value before = found == nullptr ? property.schema->default_value : *found;
    json::Value after = ApplyDefaults(*property.schema, before);
    if (found == nullptr || !after.SameAs(before)) out.Set(property.name, std::move(after));
  }
  if (schema.additional == nullptr) return out;
  for (const json::Member& member : value.Members()) {
    if (schema.FindProperty(member.name()) != nullptr) continue;
    if (IsUnwantedNull(*schema.additional, member.value)) {
      out.Erase(member.name());
      continue;
    }
    json::Value after = ApplyDefaults(*schema.additional, member.value);
    if (!after.SameAs(member.value)) out.Set(member.name(), std::move(after));
  }
  return out;
}

}  // namespace coppice::api
