#include "api/schema/schema_reader.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>

#include "api/schema/errors/field_error.h"
#include "api/schema/prune.h"
#include "api/schema/validate/check_fields.h"
#include "api/schema/validate/compiled_rule.h"
#include "api/schema/validate/validate.h"
#include "json/strings.h"

namespace coppice::api {
namespace {

constexpr size_t kMaxDepth = 200;

constexpr std::pair<std::string_view, SchemaType> kTypes[] = {
    {"object", SchemaType::kObject}, {"array", SchemaType::kArray},
    {"string", SchemaType::kString}, {"integer", SchemaType::kInteger},
    {"number", SchemaType::kNumber}, {"boolean", SchemaType::kBoolean},
};

std::optional<double> Number(const json::Value& value) {
  return value.IsNumber() ? std::optional(value.AsDouble()) : std::nullopt;
}

std::optional<int64_t> Integer(const json::Value& value) {
  return value.IsNumber() ? std::optional(value.AsInt()) : std::nullopt;
}

bool HasConstraints(const json::Value& openapi) {
  static constexpr std::string_view kKeys[] = {"minimum",
                                               "maximum",
                                               "multipleOf",
                                               "minLength",
                                               "maxLength",
                                               "minItems",
                                               "maxItems",
                                               "pattern",
                                               "minProperties",
                                               "maxProperties",
                                               "uniqueItems",
                                               "enum",
                                               "allOf",
                                               "anyOf",
                                               "oneOf",
                                               "not",
                                               "x-kubernetes-validations"};
  return std::ranges::any_of(kKeys, [&](std::string_view key) { return openapi.Has(key); });
}

}  // namespace

bool SchemaReader::TooDeep(const std::string& path) {
  if (depth_ <= kMaxDepth) return false;
  problems_.push_back(ForbiddenField(path, "the schema nests too deeply"));
  return true;
}

void SchemaReader::ReadRoot(const json::Value& openapi) {
  if (openapi["type"].AsString() != "object") {
    problems_.push_back(
        InvalidField("type", openapi["type"].AsString(), "must be object at the root"));
    return;
  }
  out_.root_ = Read(openapi, "");
  if (problems_.empty()) CheckDefaults(*out_.root_, "");
}

// Every default is a value that its own schema allows, complete with the defaults within it.
void SchemaReader::CheckDefaults(const Schema& schema, const std::string& path) {
  if (schema.has_default && !(schema.default_value.IsNull() && schema.nullable)) {
    const std::string place = Child(path, "default");
    const json::Value& value = schema.default_value;
    std::vector<std::string> unknown;
    Prune(schema, value, &unknown);
    for (const std::string& field : unknown) {
      problems_.push_back(InvalidField(place, value, "must not have unknown fields: " + field));
    }
    const json::Value whole = ApplyDefaults(schema, value);
    for (base::FieldCause cause : ValidateObject(schema, whole)) {
      cause.field = cause.field.empty() ? place : Child(place, cause.field);
      problems_.push_back(std::move(cause));
    }
  }
  for (const Property& property : schema.properties) {
    CheckDefaults(*property.schema,
                  fmt::format("{}[{}]", Child(path, "properties"), property.name));
  }
  if (schema.items != nullptr) CheckDefaults(*schema.items, Child(path, "items"));
  if (schema.additional != nullptr) {
    CheckDefaults(*schema.additional, Child(path, "additionalProperties"));
  }
}

const Schema* SchemaReader::Read(const json::Value& openapi, const std::string& path) {
  Schema& schema = out_.arena_.New();
  ++depth_;
  if (!TooDeep(path)) {
    ReadType(openapi, path, schema);
    ReadChildren(openapi, path, schema);
    ReadLists(openapi, path, schema);
    ReadConstraints(openapi, path, schema);
  }
  --depth_;
  return &schema;
}

const Schema* SchemaReader::ReadNested(const json::Value& openapi, const std::string& path) {
  Schema& schema = out_.arena_.New();
  ++depth_;
  if (!TooDeep(path)) {
    if (openapi.Has("type")) ReadType(openapi, path, schema);
    schema.format = openapi["format"].ToString();
    schema.required = json::ReadStrings(openapi["required"]);
    for (const json::Member& member : openapi["properties"].Members()) {
      const std::string place = fmt::format("{}[{}]", Child(path, "properties"), member.name());
      schema.properties.push_back({std::string(member.name()), ReadNested(member.value, place)});
    }
    if (openapi["items"].IsObject()) {
      schema.items = ReadNested(openapi["items"], Child(path, "items"));
    }
    if (openapi["additionalProperties"].IsObject()) {
      schema.additional =
          ReadNested(openapi["additionalProperties"], Child(path, "additionalProperties"));
    }
    ReadConstraints(openapi, path, schema);
  }
  --depth_;
  return &schema;
}

void SchemaReader::ReadType(const json::Value& openapi, const std::string& path, Schema& schema) {
  schema.format = openapi["format"].ToString();
  schema.description = openapi["description"].ToString();
  schema.nullable = openapi["nullable"].AsBool();
  schema.int_or_string = openapi["x-kubernetes-int-or-string"].AsBool();
  schema.preserve_unknown = openapi["x-kubernetes-preserve-unknown-fields"].AsBool();
  schema.embedded_resource = openapi["x-kubernetes-embedded-resource"].AsBool();
  schema.atomic_object = openapi["x-kubernetes-map-type"].AsString() == "atomic";
  if (const json::Value* value = openapi.Find("default")) {
    schema.default_value = *value;
    schema.has_default = true;
  }
  const std::string_view type = openapi["type"].AsString();
  if (type.empty()) {
    if (!schema.int_or_string && !schema.preserve_unknown) {
      problems_.push_back(
          RequiredField(Child(path, "type"), "must not be empty for specified object fields"));
    }
    return;
  }
  const auto* known = std::ranges::find(kTypes, type, [](const auto& pair) { return pair.first; });
  if (known == std::end(kTypes)) {
    problems_.push_back(UnsupportedField(
        Child(path, "type"), type, {"array", "boolean", "integer", "number", "object", "string"}));
    return;
  }
  schema.type = known->second;
}

void SchemaReader::ReadChildren(const json::Value& openapi, const std::string& path,
                                Schema& schema) {
  for (const json::Member& member : openapi["properties"].Members()) {
    const std::string place = fmt::format("{}[{}]", Child(path, "properties"), member.name());
    schema.properties.push_back({std::string(member.name()), Read(member.value, place)});
  }
  schema.required = json::ReadStrings(openapi["required"]);
  const json::Value& additional = openapi["additionalProperties"];
  schema.any_additional = additional.AsBool();
  if (additional.IsObject()) {
    schema.additional = Read(additional, Child(path, "additionalProperties"));
  }
  if (schema.type != SchemaType::kArray) return;
  if (openapi["items"].IsObject()) {
    schema.items = Read(openapi["items"], Child(path, "items"));
  } else {
    problems_.push_back(RequiredField(Child(path, "items"), "must be specified"));
  }
}

void SchemaReader::ReadLists(const json::Value& openapi, const std::string& path, Schema& schema) {
  const std::string_view type = openapi["x-kubernetes-list-type"].AsString();
  schema.atomic_list = type == "atomic";
  if (type == "set") schema.list_type = ListType::kSet;
  if (type != "map") return;
  schema.list_type = ListType::kMap;
  schema.list_keys = json::ReadStrings(openapi["x-kubernetes-list-map-keys"]);
  if (schema.list_keys.empty()) {
    problems_.push_back(RequiredField(Child(path, "x-kubernetes-list-map-keys"),
                                      "must not be empty if x-kubernetes-list-type is map"));
  }
}

void SchemaReader::ReadConstraints(const json::Value& openapi, const std::string& path,
                                   Schema& schema) {
  if (!HasConstraints(openapi)) return;
  auto out = std::make_shared<Constraints>();
  out->minimum = Number(openapi["minimum"]);
  out->maximum = Number(openapi["maximum"]);
  out->multiple_of = Number(openapi["multipleOf"]);
  out->exclusive_minimum = openapi["exclusiveMinimum"].AsBool();
  out->exclusive_maximum = openapi["exclusiveMaximum"].AsBool();
  out->min_length = Integer(openapi["minLength"]);
  out->max_length = Integer(openapi["maxLength"]);
  out->min_items = Integer(openapi["minItems"]);
  out->max_items = Integer(openapi["maxItems"]);
  out->min_properties = Integer(openapi["minProperties"]);
  out->max_properties = Integer(openapi["maxProperties"]);
  out->unique_items = openapi["uniqueItems"].AsBool();
  const auto values = openapi["enum"].Items();
  out->enumeration.assign(values.begin(), values.end());
  ReadPattern(openapi, path, *out);
  ReadAlternatives(openapi, path, *out);
  ReadRules(openapi, path, schema, *out);
  schema.constraints = std::move(out);
}

void SchemaReader::ReadPattern(const json::Value& openapi, const std::string& path,
                               Constraints& out) {
  out.pattern = openapi["pattern"].ToString();
  if (out.pattern.empty()) return;
  re2::RE2::Options options;
  options.set_log_errors(false);
  auto regex = std::make_shared<const re2::RE2>(out.pattern, options);
  if (!regex->ok()) {
    problems_.push_back(InvalidField(Child(path, "pattern"), out.pattern,
                                     fmt::format("must be a valid regular expression, but isn't: "
                                                 "{}",
                                                 regex->error())));
    return;
  }
  out.regex = std::move(regex);
}

void SchemaReader::ReadAlternatives(const json::Value& openapi, const std::string& path,
                                    Constraints& out) {
  const auto read = [&](std::string_view key, std::vector<const Schema*>& into) {
    for (size_t i = 0; i < openapi[key].size(); ++i) {
      into.push_back(ReadNested(openapi[key].At(i), Index(Child(path, key), i)));
    }
  };
  read("allOf", out.all_of);
  read("anyOf", out.any_of);
  read("oneOf", out.one_of);
  if (openapi["not"].IsObject()) out.negated = ReadNested(openapi["not"], Child(path, "not"));
}

void SchemaReader::ReadRules(const json::Value& openapi, const std::string& path,
                             const Schema& schema, Constraints& out) {
  const json::Value& rules = openapi["x-kubernetes-validations"];
  for (size_t i = 0; i < rules.size(); ++i) {
    const std::string place = Child(Index(Child(path, "x-kubernetes-validations"), i), "rule");
    const json::Value& text = rules.At(i)["rule"];
    auto rule = CompiledRule::Compile(rules.At(i));
    std::string problem =
        rule ? TypeProblem(rule->program(), schema, "bool") : rule.error().message();
    if (rule && problem.empty() && rule->message_program()) {
      problem = TypeProblem(*rule->message_program(), schema, "string");
    }
    if (!problem.empty()) {
      problems_.push_back(
          InvalidField(place, text, fmt::format("compilation failed: ERROR: <input>:{}", problem)));
      continue;
    }
    out.rules.push_back(std::make_shared<const CompiledRule>(*std::move(rule)));
  }
}

base::Result<std::shared_ptr<const SchemaDocument>> SchemaDocument::Parse(
    const json::Value& openapi) {
  std::shared_ptr<SchemaDocument> document(new SchemaDocument());
  SchemaReader reader(*document);
  reader.ReadRoot(openapi);
  auto problems = reader.TakeProblems();
  if (problems.empty()) return std::shared_ptr<const SchemaDocument>(std::move(document));
  std::string message = Describe(problems);
  return base::Error(base::ErrorCode::kInvalid, std::move(message)).WithCauses(std::move(problems));
}

}  // namespace coppice::api
