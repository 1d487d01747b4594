#include "api/schema/publish.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "api/schema/model/type_name.h"
#include "json/strings.h"

namespace coppice::api {
namespace {

constexpr std::string_view kQuantityPattern =
    "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\."
    "[0-9]*)?)|(\\.[0-9]+))))?$";

json::Value SortedTexts(std::vector<std::string> texts) {
  std::sort(texts.begin(), texts.end());
  return json::StringList(texts);
}

void WriteListMarks(const Schema& schema, json::Value& out) {
  if (schema.list_type == ListType::kMap) {
    out.Set("x-kubernetes-list-type", "map");
    out.Set("x-kubernetes-list-map-keys", json::StringList(schema.list_keys));
  } else {
    out.Set("x-kubernetes-list-type", schema.list_type == ListType::kSet ? "set" : "atomic");
  }
}

void WriteMergeMarks(const Schema& schema, json::Value& out) {
  if (schema.merges) out.Set("x-kubernetes-patch-strategy", "merge");
  if (!schema.merge_key.empty()) out.Set("x-kubernetes-patch-merge-key", schema.merge_key);
  if (schema.retains_keys) {
    out.Set("x-kubernetes-patch-strategy", schema.merges ? "merge,retainKeys" : "retainKeys");
  }
}

// Turns schemas of the tables into OpenAPI; `Embedded` decides what a struct type becomes.
class Publisher {
 public:
  virtual ~Publisher() = default;

  json::Value Any(const Schema& schema) {
    json::Value out = json::Value::Object();
    if (!schema.description.empty()) out.Set("description", schema.description);
    if (schema.has_default) out.Set("default", schema.default_value);
    if (schema.nullable) out.Set("nullable", true);
    if (schema.int_or_string || schema.format == "quantity") {
      return IntOrString(schema, std::move(out));
    }
    if (schema.type != SchemaType::kAny) out.Set("type", TypeName(schema.type));
    if (!schema.format.empty()) out.Set("format", PublishedFormat(schema.format));
    if (schema.type == SchemaType::kObject) WriteObject(schema, out);
    if (schema.type == SchemaType::kArray) WriteList(schema, out);
    if (schema.preserve_unknown) WriteUnknown(out);
    return out;
  }

 protected:
  virtual json::Value Embedded(const Schema& schema) = 0;
  virtual json::Value IntOrString(const Schema& schema, json::Value out) = 0;
  virtual void WriteUnknown(json::Value& out) = 0;
  virtual std::string_view PublishedFormat(std::string_view format) { return format; }
  virtual void WriteExtra(const Schema&, json::Value&) {}

 private:
  void WriteObject(const Schema& schema, json::Value& out) {
    json::Value properties = json::Value::Object();
    for (const Property& property : schema.properties) {
      properties.Set(property.name, Embedded(*property.schema));
    }
    if (!properties.empty()) out.Set("properties", std::move(properties));
    if (!schema.required.empty()) out.Set("required", SortedTexts(schema.required));
    if (schema.additional != nullptr) {
      out.Set("additionalProperties", Embedded(*schema.additional));
    }
    if (schema.atomic_object) out.Set("x-kubernetes-map-type", "atomic");
  }

  void WriteList(const Schema& schema, json::Value& out) {
    out.Set("items", Embedded(*schema.items));
    WriteExtra(schema, out);
  }
};

// Everything in place.
class StructuralPublisher : public Publisher {
 protected:
  json::Value Embedded(const Schema& schema) override {
    // A type inside itself cannot be written down; its members stay unchecked.
    if (!schema.name.empty() && !open_.insert(schema.name).second) {
      return json::Value::Object(
          {{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}});
    }
    json::Value out = Any(schema);
    if (schema.embeds_atomic) out.Set("x-kubernetes-map-type", "atomic");
    // Embedded metadata is left to the API server.
    if (schema.name == "meta/v1 ObjectMeta") out = json::Value::Object({{"type", "object"}});
    open_.erase(schema.name);
    return out;
  }

  json::Value IntOrString(const Schema& schema, json::Value out) override {
    out.Set("anyOf", json::Value::Array({json::Value::Object({{"type", "integer"}}),
                                         json::Value::Object({{"type", "string"}})}));
    if (schema.format == "quantity") out.Set("pattern", kQuantityPattern);
    return out.Set("x-kubernetes-int-or-string", true);
  }

  void WriteUnknown(json::Value& out) override {
    out.Set("x-kubernetes-preserve-unknown-fields", true);
  }

  std::string_view PublishedFormat(std::string_view format) override {
    return format == "micro-time" ? "date-time" : format;
  }

  void WriteExtra(const Schema& schema, json::Value& out) override {
    if (schema.list_type != ListType::kAtomic || schema.atomic_list) WriteListMarks(schema, out);
  }

 private:
  std::set<std::string, std::less<>> open_;
};

// Struct types by reference, collected along the way.
class ReferencePublisher : public Publisher {
 public:
  explicit ReferencePublisher(std::string_view prefix) : prefix_(prefix) {}

  json::Value Take() && { return std::move(components_); }

  void AddType(const Schema& schema) {
    const std::string name = OpenApiName(schema.name);
    if (!seen_.insert(name).second) return;
    components_.Set(name, Any(schema));
  }

  // A kind: its schema says which kind it is; its list is a type of its own.
  void AddKind(const BuiltinTypes::Kind& kind) {
    AddType(*kind.schema);
    const size_t slash = kind.api_version.find('/');
    const bool core = slash == std::string::npos;
    json::Value identity = json::Value::Object(
        {{"group", core ? "" : kind.api_version.substr(0, slash)},
         {"kind", kind.kind},
         {"version", core ? kind.api_version : kind.api_version.substr(slash + 1)}});
    const std::string name = OpenApiName(kind.schema->name);
    components_.Mutable(name).Set("x-kubernetes-group-version-kind",
                                  json::Value::Array({identity}));
    identity.Set("kind", kind.kind + "List");
    components_.Set(name + "List", ListOf(name, identity));
  }

 protected:
  json::Value Embedded(const Schema& schema) override {
    if (schema.name.empty()) return Any(schema);
    AddType(schema);
    json::Value reference = Reference(OpenApiName(schema.name));
    if (!schema.has_default) return reference;
    // Siblings of $ref are ignored by readers, hence the wrapping.
    return json::Value::Object(
        {{"allOf", json::Value::Array({reference})}, {"default", schema.default_value}});
  }

  json::Value IntOrString(const Schema& schema, json::Value out) override {
    out.Set("oneOf", json::Value::Array({json::Value::Object({{"type", "string"}}),
                                         json::Value::Object({{"type", "number"}})}));
    if (schema.format == "int-or-string") {
      out.Set("oneOf", json::Value::Array({json::Value::Object({{"type", "integer"}}),
                                           json::Value::Object({{"type", "string"}})}));
      out.Set("format", "int-or-string");
    }
    return out;
  }

  void WriteUnknown(json::Value&) override {}

  std::string_view PublishedFormat(std::string_view format) override {
    return format == "micro-time" ? "date-time" : format;
  }

  void WriteExtra(const Schema& schema, json::Value& out) override {
    if (schema.list_type != ListType::kAtomic || schema.atomic_list) WriteListMarks(schema, out);
    WriteMergeMarks(schema, out);
  }

 private:
  json::Value Reference(std::string_view name) const {
    return json::Value::Object({{"$ref", fmt::format("{}{}", prefix_, name)}});
  }

  json::Value ListOf(std::string_view name, const json::Value& identity) const {
    const json::Value text = json::Value::Object({{"type", "string"}});
    return json::Value::Object(
        {{"type", "object"},
         {"required", json::Value::Array({"items"})},
         {"properties",
          json::Value::Object(
              {{"apiVersion", text},
               {"kind", text},
               {"metadata", Reference(OpenApiName("meta/v1 ListMeta"))},
               {"items", json::Value::Object({{"type", "array"}, {"items", Reference(name)}})}})},
         {"x-kubernetes-group-version-kind", json::Value::Array({identity})}});
  }

  std::string prefix_;
  std::set<std::string> seen_;
  json::Value components_ = json::Value::Object();
};

}  // namespace

json::Value StructuralSchema(const Schema& schema) {
  class Opened : public StructuralPublisher {
   public:
    json::Value Make(const Schema& root) { return Embedded(root); }
  };
  return Opened().Make(schema);
}

json::Value OpenApiComponents(const BuiltinTypes& types, std::string_view api_version) {
  ReferencePublisher publisher("#/components/schemas/");
  if (const Schema* meta = types.FindType("meta/v1 ListMeta")) publisher.AddType(*meta);
  for (const auto& kind : types.kinds()) {
    if (kind.api_version == api_version) publisher.AddKind(kind);
  }
  return std::move(publisher).Take();
}

json::Value OpenApiDefinitions(const BuiltinTypes& types) {
  ReferencePublisher publisher("#/definitions/");
  if (const Schema* meta = types.FindType("meta/v1 ListMeta")) publisher.AddType(*meta);
  for (const auto& kind : types.kinds()) publisher.AddKind(kind);
  return std::move(publisher).Take();
}

std::string OpenApiName(std::string_view table_name) {
  const size_t slash = table_name.find('/');
  const size_t space = table_name.find(' ');
  const std::string_view group = table_name.substr(0, slash);
  std::string_view prefix = "io.k8s.api";
  if (group == "meta") prefix = "io.k8s.apimachinery.pkg.apis";
  if (group == "apiextensions") prefix = "io.k8s.apiextensions-apiserver.pkg.apis";
  return fmt::format("{}.{}.{}.{}", prefix, group, table_name.substr(slash + 1, space - slash - 1),
                     table_name.substr(space + 1));
}

}  // namespace coppice::api
