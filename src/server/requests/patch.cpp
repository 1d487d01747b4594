#include <fmt/format.h>

#include "api/schema/errors/field_error.h"
#include "server/apply/managed_fields.h"
#include "server/core/core.h"
#include "server/core/decode.h"
#include "server/model/conversion.h"
#include "server/model/errors.h"
#include "server/model/object_meta.h"
#include "server/requests/patching.h"
#include "server/requests/scale.h"
#include "server/requests/subresources.h"
#include "server/requests/write_rules.h"

namespace coppice::server {
namespace {

// Whether the patch itself names the version it is meant for.
bool IsConditional(kube::PatchType type, const json::Value& patch) {
  if (type != kube::PatchType::kJson) {
    return !patch["metadata"]["resourceVersion"].AsString().empty();
  }
  for (const json::Value& operation : patch.Items()) {
    if (operation["path"].AsString() == "/metadata/resourceVersion") return true;
  }
  return false;
}

base::Result<Outcome> PatchScale(Core& core, const Request& request, kube::PatchType type,
                                 const json::Value& patch) {
  COPPICE_ASSIGN(const Outcome current, core.Get(request));
  COPPICE_ASSIGN(json::Value scale, ApplyPatch(*request.served, type, current.object, patch));
  if (!IsConditional(type, patch)) scale.Mutable("metadata").Erase("resourceVersion");
  return UpdateScale(core, request, scale);
}

// The object was well formed before: what cannot be read now came with the patch.
base::Status BlamePatch(base::Status decoded) {
  if (decoded) return decoded;
  const std::string& why = decoded.error().message();
  const size_t detail = why.find(": ");
  Causes causes{api::InvalidField("patch", "", detail == why.npos ? why : why.substr(detail + 2))};
  return api::InvalidObject({}, "", std::move(causes));
}

base::Status CheckIdentity(const Request& request, const json::Value& before,
                           const json::Value& after) {
  if (!(after["metadata"]["name"] == before["metadata"]["name"])) {
    return BadRequest(
        fmt::format("the name of the object ({}) does not match the name on the URL ({})",
                    after["metadata"]["name"].AsString(), request.name));
  }
  if (after["metadata"]["namespace"] != before["metadata"]["namespace"]) {
    return NamespaceMismatch();
  }
  if (after["kind"] == before["kind"] && after["apiVersion"] == before["apiVersion"]) return {};
  return WriteConflict(request.resource(), request.name,
                       "a patch must not change the kind or version of an object");
}

}  // namespace

base::Result<Outcome> Core::Patch(const Request& request, kube::PatchType type,
                                  const json::Value& patch) {
  if (request.subresource == "scale") return PatchScale(*this, request, type, patch);
  if (type == kube::PatchType::kApply) return Apply(request, patch);
  return Modify(request, IsConditional(type, patch),
                [&](const json::Value& current) -> base::Result<json::Value> {
                  const json::Value served = ToServed(*request.served, current);
                  COPPICE_ASSIGN(json::Value next,
                                 ApplyPatch(*request.served, type, served, patch));
                  COPPICE_TRY(CheckIdentity(request, served, next));
                  COPPICE_TRY(BlamePatch(DecodeObject(request, next, &served)));
                  return ToStored(*request.served, std::move(next));
                });
}

base::Result<Outcome> Core::Apply(const Request& given, const json::Value& configuration) {
  if (given.field_manager.empty()) {
    Causes causes{api::RequiredField("fieldManager", "is required for apply patch")};
    return api::InvalidObject({"meta.k8s.io", "v1", "", "PatchOptions", false}, "",
                              std::move(causes));
  }
  Request request = given;
  request.is_apply = true;
  json::Value wanted = configuration;
  COPPICE_TRY(CheckBody(request, wanted));
  if (!wanted["metadata"]["managedFields"].empty()) {
    return BadRequest("metadata.managedFields must be nil");
  }
  COPPICE_TRY(DecodeApplied(request, wanted));
  while (true) {
    base::Result<Outcome> outcome =
        store_->GetNewest(request.served->storage, request.stored_name())
            ? ApplyToExisting(request, wanted)
            : ApplyToNothing(request, wanted);
    // Created or deleted concurrently: retry.
    const bool raced = outcome.Is(base::ErrorCode::kAlreadyExists) ||
                       (outcome.Is(base::ErrorCode::kNotFound) &&
                        !store_->GetNewest(request.served->storage, request.stored_name()) &&
                        store_->Get(request.served->storage, request.stored_name()));
    if (!raced) return outcome;
  }
}

base::Result<Outcome> Core::ApplyToExisting(const Request& request, const json::Value& wanted) {
  return Modify(request, IsConditional(kube::PatchType::kApply, wanted),
                [&](const json::Value& current) -> base::Result<json::Value> {
                  const json::Value served = ToServed(*request.served, current);
                  COPPICE_ASSIGN(json::Value next,
                                 ApplyConfiguration(request, served, wanted, clock().Now()));
                  COPPICE_TRY(DecodeObject(request, next, &served));
                  return ToStored(*request.served, std::move(next));
                });
}

base::Result<Outcome> Core::ApplyToNothing(const Request& request, const json::Value& wanted) {
  if (!request.subresource.empty()) return ObjectNotFound(request.resource(), request.name);
  // To patch does not include to create.
  COPPICE_TRY(Authorize(request.user, {.verb = "create",
                                       .group = request.resource().group,
                                       .resource = request.resource().plural,
                                       .name = request.name,
                                       .ns = request.ns}));
  const std::string_view uid = wanted["metadata"]["uid"].AsString();
  if (!uid.empty()) {
    return WriteConflict(request.resource(), request.name,
                         "uid mismatch: the provided object specified uid " + std::string(uid) +
                             ", and no existing object was found");
  }
  COPPICE_ASSIGN(json::Value object,
                 ApplyConfiguration(request, json::Value(), wanted, clock().Now()));
  Request create = request;
  create.name = "";
  return Create(create, std::move(object));
}

}  // namespace coppice::server
