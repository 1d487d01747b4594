#include "server/decode.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/schema/builtin.h"
#include "api/schema/field_error.h"
#include "api/schema/prune.h"
#include "base/quantity.h"
#include "server/errors.h"

namespace coppice::server {
namespace {

using api::Schema;
using api::SchemaType;

std::string_view GoKind(const json::Value& value) {
  switch (value.type()) {
    case json::Type::kBool:
      return "bool";
    case json::Type::kInt:
    case json::Type::kDouble:
      return "number";
    case json::Type::kString:
      return "string";
    case json::Type::kArray:
      return "array";
    case json::Type::kObject:
      return "object";
    case json::Type::kNull:
      break;
  }
  return "null";
}

std::string_view GoType(const Schema& schema) {
  switch (schema.type) {
    case SchemaType::kObject:
      return schema.properties.empty() ? "map[string]string" : "struct";
    case SchemaType::kArray:
      return "[]string";
    case SchemaType::kString:
      return "string";
    case SchemaType::kInteger:
      return schema.format == "int64" ? "int64" : "int32";
    case SchemaType::kNumber:
      return "float64";
    case SchemaType::kBoolean:
      return "bool";
    case SchemaType::kAny:
      break;
  }
  return "value";
}

bool HasType(const Schema& schema, const json::Value& value) {
  if (schema.int_or_string) return value.IsInt() || value.IsString();
  if (schema.format == "quantity") return value.IsString() || value.IsNumber();
  switch (schema.type) {
    case SchemaType::kObject:
      return value.IsObject();
    case SchemaType::kArray:
      return value.IsArray();
    case SchemaType::kString:
      return value.IsString();
    case SchemaType::kInteger:
      return value.IsInt();
    case SchemaType::kNumber:
      return value.IsNumber();
    case SchemaType::kBoolean:
      return value.IsBool();
    case SchemaType::kAny:
      return true;
  }
  return true;
}

// Checks types and takes out nulls. `path` is for the message.
base::Status Coerce(const Schema& schema, json::Value& value, const std::string& path);

bool HasNull(const json::Value& value) {
  for (const json::Member& member : value.Members()) {
    if (member.value.IsNull()) return true;
  }
  return false;
}

base::Status CoerceMembers(const Schema& schema, json::Value& object, const std::string& path) {
  if (HasNull(object)) {
    std::erase_if(object.MutableMembers(), [](const json::Member& m) { return m.value.IsNull(); });
  }
  // Read first: writing access to a member copies what is shared.
  for (size_t i = 0; i < object.Members().size(); ++i) {
    const json::Member& member = object.Members()[i];
    const Schema* field = schema.FieldSchema(member.name());
    if (!field) continue;
    json::Value changed = member.value;
    COPPICE_TRY(Coerce(*field, changed, api::Child(path, member.name())));
    if (!changed.SameAs(member.value)) object.MutableMembers()[i].value = std::move(changed);
  }
  return {};
}

base::Status Coerce(const Schema& schema, json::Value& value, const std::string& path) {
  if (!HasType(schema, value)) {
    return BadRequest(fmt::format("json: cannot unmarshal {} into Go struct field {} of type {}",
                                  GoKind(value), path, GoType(schema)));
  }
  if (schema.format == "quantity" && !schema.int_or_string) {
    if (value.IsNumber()) {
      value = value.IsInt() ? std::to_string(value.AsInt()) : fmt::format("{}", value.AsDouble());
    }
    if (!base::Quantity::Parse(value.AsString())) {
      return BadRequest(
          "quantities must match the regular expression "
          "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
    }
  } else if (value.IsObject()) {
    return CoerceMembers(schema, value, path);
  } else if (value.IsArray() && schema.items) {
    for (size_t i = 0; i < value.size(); ++i) {
      if (value.At(i).IsNull()) continue;
      json::Value changed = value.At(i);
      COPPICE_TRY(Coerce(*schema.items, changed, path));
      if (!changed.SameAs(value.At(i))) value.MutableAt(i) = std::move(changed);
    }
  }
  return {};
}

base::Status CheckStrictness(const Request& request, const std::vector<std::string>& problems) {
  if (problems.empty()) return {};
  if (request.field_validation == "Strict") {
    std::string text;
    for (const std::string& problem : problems) text += (text.empty() ? "" : ", ") + problem;
    return BadRequest(fmt::format(
        "{} in version \"{}\" cannot be handled as a {}: strict decoding error: {}",
        request.resource().kind, request.resource().version, request.resource().kind, text));
  }
  if (request.field_validation != "Ignore" && request.warnings) {
    for (const std::string& problem : problems) request.warnings->Add(problem);
  }
  return {};
}

const Schema& MetadataSchema() {
  static const Schema* schema =
      api::BuiltinTypes::For(api::BuiltinTypes::kNewest).FindType("meta/v1 ObjectMeta");
  return *schema;
}

// The metadata of custom resources obeys the same rules as everyone's.
base::Status DecodeCustomMetadata(json::Value& object, std::vector<std::string>& unknown) {
  json::Value metadata = object["metadata"];
  COPPICE_TRY(Coerce(MetadataSchema(), metadata, "ObjectMeta"));
  const size_t known = unknown.size();
  metadata = api::Prune(MetadataSchema(), metadata, &unknown);
  for (size_t i = known; i < unknown.size(); ++i) unknown[i] = "metadata." + unknown[i];
  if (!metadata.SameAs(object["metadata"])) object.Set("metadata", std::move(metadata));
  return {};
}

}  // namespace

base::Status DecodeObject(const Request& request, json::Value& object) {
  const ServedResource& served = *request.served;
  std::vector<std::string> unknown;
  if (served.schema) {
    if (!served.custom) {
      const base::Status typed = Coerce(*served.schema, object, served.resource.kind);
      if (!typed) {
        return BadRequest(fmt::format("{} in version \"{}\" cannot be handled as a {}: {}",
                                      served.resource.kind, served.resource.version,
                                      served.resource.kind, typed.error().message()));
      }
    } else {
      COPPICE_TRY(DecodeCustomMetadata(object, unknown));
    }
    object = api::Prune(*served.schema, object, &unknown);
  }
  std::sort(unknown.begin(), unknown.end());
  std::vector<std::string> problems;
  for (const std::string& field : request.duplicate_fields) {
    problems.push_back(fmt::format("duplicate field \"{}\"", field));
  }
  for (const std::string& field : unknown) {
    problems.push_back(fmt::format("unknown field \"{}\"", field));
  }
  return CheckStrictness(request, problems);
}

}  // namespace coppice::server
