#include "server/discovery/openapi_protobuf.h"

#include "base/wire_writer.h"
#include "json/write.h"

namespace coppice::server {
namespace {

// Field numbers of the messages of openapi.v2, as far as they are written here.
namespace field {
namespace document {
constexpr uint64_t kSwagger = 1, kInfo = 2, kPaths = 8, kDefinitions = 9;
}
namespace info {
constexpr uint64_t kTitle = 1, kVersion = 2;
}
namespace named {  // NamedSchema and NamedAny, and the maps of them.
constexpr uint64_t kEntry = 1, kName = 1, kValue = 2;
}
namespace any {
constexpr uint64_t kYaml = 2;
}
namespace schema {
constexpr uint64_t kRef = 1, kFormat = 2, kTitle = 3, kDescription = 4, kDefault = 5, kMaximum = 7,
                   kMinimum = 9, kMaxLength = 11, kMinLength = 12, kPattern = 13, kMaxItems = 14,
                   kMinItems = 15, kRequired = 19, kEnum = 20, kAdditionalProperties = 21,
                   kType = 22, kItems = 23, kProperties = 25, kVendorExtension = 31;
}
namespace paths {
constexpr uint64_t kPath = 2;
}
namespace path_item {
constexpr uint64_t kPatch = 8;
}
namespace operation {
constexpr uint64_t kParameters = 8, kVendorExtension = 13;
}
namespace parameter {  // ParametersItem, Parameter, NonBodyParameter, QueryParameterSubSchema.
constexpr uint64_t kParameter = 1, kNonBody = 2, kQuery = 3, kIn = 2, kName = 4;
}
namespace wrapper {  // AdditionalPropertiesItem, TypeItem, ItemsItem.
constexpr uint64_t kSchema = 1, kBoolean = 2, kTypeValue = 1, kItemSchema = 1;
}
}  // namespace field

using base::WireWriter;

void PutText(uint64_t number, const json::Value& value, WireWriter& out) {
  if (value.IsString()) out.AddBytes(number, value.AsString());
}

void PutInteger(uint64_t number, const json::Value& value, WireWriter& out) {
  if (value.IsNumber()) out.AddVarint(number, static_cast<uint64_t>(value.AsInt()));
}

void PutDouble(uint64_t number, const json::Value& value, WireWriter& out) {
  if (value.IsNumber()) out.AddDouble(number, value.AsDouble());
}

// Any value travels as YAML, which JSON is.
std::string Any(const json::Value& value) {
  WireWriter out;
  out.AddBytes(field::any::kYaml, json::Write(value));
  return out.Take();
}

std::string Named(std::string_view name, const std::string& value) {
  WireWriter out;
  out.AddBytes(field::named::kName, name);
  out.AddBytes(field::named::kValue, value);
  return out.Take();
}

void PutExtensions(uint64_t number, const json::Value& object, WireWriter& out) {
  for (const json::Member& member : object.Members()) {
    if (!member.name().starts_with("x-")) continue;
    out.AddBytes(number, Named(member.name(), Any(member.value)));
  }
}

std::string Schema(const json::Value& schema);

std::string SchemaMap(const json::Value& schemas) {
  WireWriter out;
  for (const json::Member& member : schemas.Members()) {
    out.AddBytes(field::named::kEntry, Named(member.name(), Schema(member.value)));
  }
  return out.Take();
}

void PutLimits(const json::Value& schema, WireWriter& out) {
  PutDouble(field::schema::kMaximum, schema["maximum"], out);
  PutDouble(field::schema::kMinimum, schema["minimum"], out);
  PutInteger(field::schema::kMaxLength, schema["maxLength"], out);
  PutInteger(field::schema::kMinLength, schema["minLength"], out);
  PutText(field::schema::kPattern, schema["pattern"], out);
  PutInteger(field::schema::kMaxItems, schema["maxItems"], out);
  PutInteger(field::schema::kMinItems, schema["minItems"], out);
  for (const json::Value& name : schema["required"].Items()) {
    PutText(field::schema::kRequired, name, out);
  }
  for (const json::Value& value : schema["enum"].Items()) {
    out.AddBytes(field::schema::kEnum, Any(value));
  }
}

void PutAdditionalProperties(const json::Value& additional, WireWriter& out) {
  WireWriter item;
  if (additional.IsObject()) {
    item.AddBytes(field::wrapper::kSchema, Schema(additional));
  } else if (additional.IsBool()) {
    item.AddVarint(field::wrapper::kBoolean, additional.AsBool() ? 1 : 0);
  } else {
    return;
  }
  out.AddBytes(field::schema::kAdditionalProperties, item.Take());
}

void PutShape(const json::Value& schema, WireWriter& out) {
  PutAdditionalProperties(schema["additionalProperties"], out);
  if (schema["type"].IsString()) {
    WireWriter item;
    PutText(field::wrapper::kTypeValue, schema["type"], item);
    out.AddBytes(field::schema::kType, item.Take());
  }
  if (schema["items"].IsObject()) {
    WireWriter item;
    item.AddBytes(field::wrapper::kItemSchema, Schema(schema["items"]));
    out.AddBytes(field::schema::kItems, item.Take());
  }
  if (schema["properties"].IsObject()) {
    out.AddBytes(field::schema::kProperties, SchemaMap(schema["properties"]));
  }
}

std::string Schema(const json::Value& schema) {
  WireWriter out;
  PutText(field::schema::kRef, schema["$ref"], out);
  PutText(field::schema::kFormat, schema["format"], out);
  PutText(field::schema::kTitle, schema["title"], out);
  PutText(field::schema::kDescription, schema["description"], out);
  if (schema.Has("default")) out.AddBytes(field::schema::kDefault, Any(schema["default"]));
  PutLimits(schema, out);
  PutShape(schema, out);
  PutExtensions(field::schema::kVendorExtension, schema, out);
  return out.Take();
}

std::string QueryParameter(const json::Value& parameter) {
  WireWriter query, non_body, any, item;
  PutText(field::parameter::kIn, parameter["in"], query);
  PutText(field::parameter::kName, parameter["name"], query);
  non_body.AddBytes(field::parameter::kQuery, query.Take());
  any.AddBytes(field::parameter::kNonBody, non_body.Take());
  item.AddBytes(field::parameter::kParameter, any.Take());
  return item.Take();
}

std::string OperationMessage(const json::Value& operation) {
  WireWriter out;
  for (const json::Value& parameter : operation["parameters"].Items()) {
    out.AddBytes(field::operation::kParameters, QueryParameter(parameter));
  }
  PutExtensions(field::operation::kVendorExtension, operation, out);
  return out.Take();
}

// Clients only read patches, to learn which kinds support dry-run.
std::string Paths(const json::Value& paths) {
  WireWriter out;
  for (const json::Member& path : paths.Members()) {
    if (!path.value.Has("patch")) continue;
    WireWriter item;
    item.AddBytes(field::path_item::kPatch, OperationMessage(path.value["patch"]));
    out.AddBytes(field::paths::kPath, Named(path.name(), item.Take()));
  }
  return out.Take();
}

}  // namespace

std::string EncodeOpenApiV2(const json::Value& document) {
  WireWriter info;
  PutText(field::info::kTitle, document["info"]["title"], info);
  PutText(field::info::kVersion, document["info"]["version"], info);
  WireWriter out;
  PutText(field::document::kSwagger, document["swagger"], out);
  out.AddBytes(field::document::kInfo, info.Take());
  out.AddBytes(field::document::kPaths, Paths(document["paths"]));
  out.AddBytes(field::document::kDefinitions, SchemaMap(document["definitions"]));
  return out.Take();
}

}  // namespace coppice::server
