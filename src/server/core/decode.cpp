#include "server/core/decode.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/schema/builtin.h"
#include "api/schema/decode.h"
#include "api/schema/prune.h"
#include "server/apply/field_walk.h"
#include "server/model/errors.h"

namespace coppice::server {
namespace {

base::Status CheckStrictness(const Request& request, const std::vector<std::string>& problems) {
  if (problems.empty()) return {};
  if (request.field_validation == "Strict") {
    std::string text;
    for (const std::string& problem : problems) text += (text.empty() ? "" : ", ") + problem;
    return BadRequest(fmt::format(
        "{} in version \"{}\" cannot be handled as a {}: strict decoding error: {}",
        request.resource().kind, request.resource().version, request.resource().kind, text));
  }
  if (request.field_validation != "Ignore" && request.remarks) {
    for (const std::string& problem : problems) request.remarks->Warn(problem);
  }
  return {};
}

const api::Schema& MetadataSchema() {
  static const api::Schema* schema =
      api::BuiltinTypes::For(api::BuiltinTypes::kNewest).FindType("meta/v1 ObjectMeta");
  return *schema;
}

// What apply demands of a configuration: every field is declared, and no list that is a map or a
// set has the same entry twice.
base::Status CheckTyped(const Request& request, const json::Value& configuration,
                        const std::vector<std::string>& undeclared) {
  std::vector<std::string> problems =
      DuplicateEntries(configuration, ObjectSchema(request.served->schema));
  for (const std::string& field : undeclared) {
    problems.push_back(fmt::format(".{}: field not declared in schema", field));
  }
  if (problems.empty()) return {};
  std::string text = problems.size() == 1 ? problems[0] : "errors:";
  for (size_t i = 0; problems.size() > 1 && i < problems.size(); ++i) text += "\n  " + problems[i];
  const api::Resource& resource = request.resource();
  return base::Internal(
      fmt::format("failed to create typed patch object ({}/{}; {}/{}, Kind={}): {}", request.ns,
                  request.name, resource.group, resource.version, resource.kind, text));
}

// Reading first: writing access copies what is shared.
json::Value WithoutNulls(json::Value value) {
  if (value.IsArray()) {
    for (size_t i = 0; i < value.size(); ++i) {
      json::Value item = WithoutNulls(value.At(i));
      if (!item.SameAs(value.At(i))) value.MutableAt(i) = std::move(item);
    }
    return value;
  }
  if (!value.IsObject()) return value;
  const auto members = value.Members();
  const auto is_null = [](const json::Member& member) { return member.value.IsNull(); };
  if (std::any_of(members.begin(), members.end(), is_null)) {
    std::erase_if(value.MutableMembers(), is_null);
  }
  for (size_t i = 0; i < value.size(); ++i) {
    json::Value inner = WithoutNulls(value.Members()[i].value);
    if (inner.SameAs(value.Members()[i].value)) continue;
    value.MutableMembers()[i].value = std::move(inner);
  }
  return value;
}

}  // namespace

base::Status ReadKnownFields(const ServedResource& served, const json::Value* before,
                             json::Value& object, std::vector<std::string>& unknown) {
  if (!served.custom) {
    COPPICE_ASSIGN(object, api::DecodeBuiltin(*served.schema, object, &unknown, before));
    return {};
  }
  COPPICE_ASSIGN(json::Value metadata,
                 api::DecodeBuiltin(MetadataSchema(), object["metadata"], &unknown,
                                    before ? before->Find("metadata") : nullptr));
  for (std::string& field : unknown) field = "metadata." + field;
  if (!(metadata == object["metadata"])) object.Set("metadata", std::move(metadata));
  object = api::Prune(*served.schema, object, &unknown);
  return {};
}

base::Status DecodeObject(const Request& request, json::Value& object, const json::Value* before) {
  const ServedResource& served = *request.served;
  std::vector<std::string> unknown;
  if (served.schema) {
    const base::Status decoded = ReadKnownFields(served, before, object, unknown);
    if (!decoded) {
      return BadRequest(fmt::format("{} in version \"{}\" cannot be handled as a {}: {}",
                                    served.resource.kind, served.resource.version,
                                    served.resource.kind, decoded.error().message()));
    }
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

base::Status DecodeApplied(const Request& request, json::Value& configuration) {
  json::Value whole = configuration;
  std::vector<std::string> undeclared;
  if (request.served->schema && ReadKnownFields(*request.served, nullptr, whole, undeclared)) {
    COPPICE_TRY(CheckTyped(request, configuration, undeclared));
  }
  whole = configuration;
  COPPICE_TRY(DecodeObject(request, whole));
  if (!request.served->schema) return {};
  configuration = api::Prune(*request.served->schema, configuration);
  if (!request.served->custom) configuration = WithoutNulls(std::move(configuration));
  return {};
}

}  // namespace coppice::server
