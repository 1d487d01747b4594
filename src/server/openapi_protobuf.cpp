#include "server/openapi_protobuf.h"

#include <cstring>

#include "json/write.h"

namespace coppice::server {
namespace {

// Field numbers of the messages of openapi.v2, as far as they are written here.
namespace field {
namespace document {
constexpr int kSwagger = 1, kInfo = 2, kPaths = 8, kDefinitions = 9;
}
namespace info {
constexpr int kTitle = 1, kVersion = 2;
}
namespace named {  // NamedSchema and NamedAny, and the maps of them.
constexpr int kEntry = 1, kName = 1, kValue = 2;
}
namespace any {
constexpr int kYaml = 2;
}
namespace schema {
constexpr int kRef = 1, kFormat = 2, kTitle = 3, kDescription = 4, kDefault = 5, kMaximum = 7,
              kMinimum = 9, kMaxLength = 11, kMinLength = 12, kPattern = 13, kMaxItems = 14,
              kMinItems = 15, kRequired = 19, kEnum = 20, kAdditionalProperties = 21, kType = 22,
              kItems = 23, kProperties = 25, kVendorExtension = 31;
}
namespace paths {
constexpr int kPath = 2;
}
namespace path_item {
constexpr int kPatch = 8;
}
namespace operation {
constexpr int kParameters = 8, kVendorExtension = 13;
}
namespace parameter {  // ParametersItem, Parameter, NonBodyParameter, QueryParameterSubSchema.
constexpr int kParameter = 1, kNonBody = 2, kQuery = 3, kIn = 2, kName = 4;
}
namespace wrapper {  // AdditionalPropertiesItem, TypeItem, ItemsItem.
constexpr int kSchema = 1, kBoolean = 2, kTypeValue = 1, kItemSchema = 1;
}
}  // namespace field

enum WireType { kVarint = 0, kFixed64 = 1, kBytes = 2 };

void PutVarint(uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

void PutTag(int number, WireType type, std::string& out) {
  PutVarint(static_cast<uint64_t>(number) << 3 | type, out);
}

void PutBytes(int number, std::string_view bytes, std::string& out) {
  PutTag(number, kBytes, out);
  PutVarint(bytes.size(), out);
  out += bytes;
}

void PutText(int number, const json::Value& value, std::string& out) {
  if (value.IsString()) PutBytes(number, value.AsString(), out);
}

void PutInteger(int number, const json::Value& value, std::string& out) {
  if (!value.IsNumber()) return;
  PutTag(number, kVarint, out);
  PutVarint(static_cast<uint64_t>(value.AsInt()), out);
}

void PutDouble(int number, const json::Value& value, std::string& out) {
  if (!value.IsNumber()) return;
  PutTag(number, kFixed64, out);
  const double number_value = value.AsDouble();
  char bytes[sizeof number_value];
  std::memcpy(bytes, &number_value, sizeof bytes);
  out.append(bytes, sizeof bytes);
}

// Any value travels as YAML, which JSON is.
std::string Any(const json::Value& value) {
  std::string out;
  PutBytes(field::any::kYaml, json::Write(value), out);
  return out;
}

std::string Named(std::string_view name, const std::string& value) {
  std::string out;
  PutBytes(field::named::kName, name, out);
  PutBytes(field::named::kValue, value, out);
  return out;
}

void PutExtensions(int number, const json::Value& object, std::string& out) {
  for (const json::Member& member : object.Members()) {
    if (!member.name().starts_with("x-")) continue;
    PutBytes(number, Named(member.name(), Any(member.value)), out);
  }
}

std::string Schema(const json::Value& schema);

std::string SchemaMap(const json::Value& schemas) {
  std::string out;
  for (const json::Member& member : schemas.Members()) {
    PutBytes(field::named::kEntry, Named(member.name(), Schema(member.value)), out);
  }
  return out;
}

void PutLimits(const json::Value& schema, std::string& out) {
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
    PutBytes(field::schema::kEnum, Any(value), out);
  }
}

void PutAdditionalProperties(const json::Value& additional, std::string& out) {
  std::string item;
  if (additional.IsObject()) {
    PutBytes(field::wrapper::kSchema, Schema(additional), item);
  } else if (additional.IsBool()) {
    PutTag(field::wrapper::kBoolean, kVarint, item);
    PutVarint(additional.AsBool(), item);
  } else {
    return;
  }
  PutBytes(field::schema::kAdditionalProperties, item, out);
}

void PutShape(const json::Value& schema, std::string& out) {
  PutAdditionalProperties(schema["additionalProperties"], out);
  if (schema["type"].IsString()) {
    std::string item;
    PutText(field::wrapper::kTypeValue, schema["type"], item);
    PutBytes(field::schema::kType, item, out);
  }
  if (schema["items"].IsObject()) {
    std::string item;
    PutBytes(field::wrapper::kItemSchema, Schema(schema["items"]), item);
    PutBytes(field::schema::kItems, item, out);
  }
  if (schema["properties"].IsObject()) {
    PutBytes(field::schema::kProperties, SchemaMap(schema["properties"]), out);
  }
}

std::string Schema(const json::Value& schema) {
  std::string out;
  PutText(field::schema::kRef, schema["$ref"], out);
  PutText(field::schema::kFormat, schema["format"], out);
  PutText(field::schema::kTitle, schema["title"], out);
  PutText(field::schema::kDescription, schema["description"], out);
  if (schema.Has("default")) PutBytes(field::schema::kDefault, Any(schema["default"]), out);
  PutLimits(schema, out);
  PutShape(schema, out);
  PutExtensions(field::schema::kVendorExtension, schema, out);
  return out;
}

std::string QueryParameter(const json::Value& parameter) {
  std::string query, non_body, any, item;
  PutText(field::parameter::kIn, parameter["in"], query);
  PutText(field::parameter::kName, parameter["name"], query);
  PutBytes(field::parameter::kQuery, query, non_body);
  PutBytes(field::parameter::kNonBody, non_body, any);
  PutBytes(field::parameter::kParameter, any, item);
  return item;
}

std::string OperationMessage(const json::Value& operation) {
  std::string out;
  for (const json::Value& parameter : operation["parameters"].Items()) {
    PutBytes(field::operation::kParameters, QueryParameter(parameter), out);
  }
  PutExtensions(field::operation::kVendorExtension, operation, out);
  return out;
}

// Clients look at patches alone, to learn which kinds know dry-run.
std::string Paths(const json::Value& paths) {
  std::string out;
  for (const json::Member& path : paths.Members()) {
    if (!path.value.Has("patch")) continue;
    std::string item;
    PutBytes(field::path_item::kPatch, OperationMessage(path.value["patch"]), item);
    PutBytes(field::paths::kPath, Named(path.name(), item), out);
  }
  return out;
}

}  // namespace

std::string EncodeOpenApiV2(const json::Value& document) {
  std::string info;
  PutText(field::info::kTitle, document["info"]["title"], info);
  PutText(field::info::kVersion, document["info"]["version"], info);
  std::string out;
  PutText(field::document::kSwagger, document["swagger"], out);
  PutBytes(field::document::kInfo, info, out);
  PutBytes(field::document::kPaths, Paths(document["paths"]), out);
  PutBytes(field::document::kDefinitions, SchemaMap(document["definitions"]), out);
  return out;
}

}  // namespace coppice::server
