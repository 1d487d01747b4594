#include "server/webhooks/patched_object.h"

#include <fmt/format.h>

#include "api/schema/builtin.h"
#include "api/schema/decode.h"
#include "api/schema/errors/field_error.h"
#include "json/patch/patch.h"
#include "json/write.h"
#include "server/core/decode.h"
#include "server/model/errors.h"

namespace coppice::server {
namespace {

// "v1.Secret": Go's name of the kind that the object says it is.
std::string VersionedType(const json::Value& object) {
  const auto [group, version] = SplitApiVersion(object["apiVersion"].AsString());
  return fmt::format("{}.{}", version, object["kind"].AsString());
}

// "core.Secret": of Kubernetes' own form of it, whatever the version.
std::string HubType(const json::Value& object) {
  const auto [group, version] = SplitApiVersion(object["apiVersion"].AsString());
  const std::string package = group.empty() ? "core" : group.substr(0, group.find('.'));
  return fmt::format("{}.{}", package, object["kind"].AsString());
}

base::Status CheckCustomKind(const ServedResource& as, const json::Value& shown,
                             const json::Value& patched) {
  Causes causes;
  for (const char* field : {"kind", "apiVersion"}) {
    if (patched[field] == shown[field]) continue;
    causes.push_back(api::InvalidField(field, patched[field].AsString(),
                                       fmt::format("must be {}", shown[field].AsString())));
  }
  if (causes.empty()) return {};
  return api::InvalidObject(as.resource, shown["metadata"]["name"].AsString(), std::move(causes));
}

base::Status CheckKindStays(const ServedResource& as, const json::Value& shown,
                            const json::Value& patched) {
  if (!patched.IsObject() || patched["kind"].AsString().empty()) {
    return InternalError(fmt::format("Object 'Kind' is missing in '{}'", json::Write(patched)));
  }
  if (as.custom) return CheckCustomKind(as, shown, patched);
  if (patched["kind"] == shown["kind"] && patched["apiVersion"] == shown["apiVersion"]) return {};
  const std::string_view version = patched["apiVersion"].AsString();
  const std::string_view kind = patched["kind"].AsString();
  if (!api::BuiltinTypes::For(api::BuiltinTypes::kNewest).FindKind(version, kind)) {
    return InternalError(
        fmt::format("no kind \"{}\" is registered for version \"{}\" in scheme "
                    "\"pkg/api/legacyscheme/scheme.go:30\"",
                    kind, version));
  }
  return base::Internal(fmt::format("converting ({}) to ({}): unknown conversion",
                                    VersionedType(patched), HubType(shown)));
}

// What is sent to a subresource can be of another kind than the resource.
base::Status ReadPatched(const ServedResource& as, const json::Value& shown, json::Value& patched) {
  std::vector<std::string> unknown;
  if (patched["kind"].AsString() == as.resource.kind) {
    return as.schema ? ReadKnownFields(as, &shown, patched, unknown) : base::Status();
  }
  const api::Schema* const schema =
      api::BuiltinTypes::For(api::BuiltinTypes::kNewest)
          .FindKind(patched["apiVersion"].AsString(), patched["kind"].AsString());
  if (!schema) return {};
  COPPICE_ASSIGN(patched, api::DecodeBuiltin(*schema, patched, &unknown, &shown));
  return {};
}

}  // namespace

base::Result<json::Value> PatchedObject(const ServedResource& as, const json::Value& shown,
                                        const json::Value& patch) {
  base::Result<json::Value> patched = json::ApplyJsonPatch(shown, patch);
  if (!patched) return InternalError(patched.error().message());
  COPPICE_TRY(CheckKindStays(as, shown, *patched));
  if (const base::Status read = ReadPatched(as, shown, *patched); !read) {
    return InternalError(read.error().message());
  }
  return patched;
}

}  // namespace coppice::server
