#include "server/conversion.h"
#include "server/core.h"
#include "server/errors.h"
#include "server/patching.h"
#include "server/subresources/scale.h"
#include "server/subresources/subresources.h"
#include "server/write_rules.h"

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

base::Status CheckIdentity(const Request& request, const json::Value& before,
                           const json::Value& after) {
  if (after["metadata"]["name"] == before["metadata"]["name"] &&
      after["kind"] == before["kind"]) {
    return {};
  }
  Request named = request;
  json::Value body = after;
  (void)named;
  return BadRequest("a patch must not change the name or kind of an object");
}

}  // namespace

base::Result<Outcome> Core::Patch(const Request& request, kube::PatchType type,
                                  const json::Value& patch) {
  if (request.subresource == "scale") return PatchScale(*this, request, type, patch);
  if (IsOwnSubresource(request)) return MethodNotAllowed(request.resource(), "patch");
  if (type == kube::PatchType::kApply) return Apply(request, patch);
  return Modify(request, IsConditional(type, patch),
                [&](const json::Value& current) -> base::Result<json::Value> {
                  const json::Value served = ToServed(*request.served, current);
                  COPPICE_ASSIGN(json::Value next,
                                 ApplyPatch(*request.served, type, served, patch));
                  COPPICE_TRY(CheckIdentity(request, served, next));
                  return ToStored(*request.served, std::move(next));
                });
}

base::Result<Outcome> Core::Apply(const Request& request, const json::Value& configuration) {
  if (request.field_manager.empty()) {
    return BadRequest("PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is "
                      "required for apply patch");
  }
  const store::VersionPtr current = store_->GetNewest(request.served->storage, request.stored_name());
  if (!current) {
    if (!request.subresource.empty()) return ObjectNotFound(request.resource(), request.name);
    json::Value body = configuration;
    body.Mutable("metadata").Set("name", request.name);
    Request create = request;
    create.name = "";
    return Create(create, std::move(body));
  }
  return Modify(request, IsConditional(kube::PatchType::kApply, configuration),
                [&](const json::Value& now) -> base::Result<json::Value> {
                  const json::Value served = ToServed(*request.served, now);
                  COPPICE_ASSIGN(json::Value next,
                                 ApplyPatch(*request.served, kube::PatchType::kMerge, served,
                                            configuration));
                  return ToStored(*request.served, std::move(next));
                });
}

}  // namespace coppice::server
