#include "server/core/lease_guard.h"

#include <fmt/format.h>

#include "api/well_known.h"
#include "server/core/core.h"

namespace coppice::server {
namespace {

base::Status CheckHeld(const kube::WriteFence& fence, const store::VersionPtr& lease) {
  const json::Value none;
  const json::Value& spec = lease ? lease->value()["spec"] : none;
  if (spec["holderIdentity"].AsString() == fence.holder &&
      spec["leaseTransitions"].AsInt() == fence.transitions) {
    return {};
  }
  return base::Error(base::ErrorCode::kForbidden,
                     fmt::format("lease \"{}/{}\" is no longer held by \"{}\": the write of a "
                                 "former leader is refused",
                                 fence.lease.ns, fence.lease.name, fence.holder));
}

}  // namespace

LeaseGuard::LeaseGuard(const Request& request) {
  if (!request.fence) return;
  guard_ = store::Guard{
      "coordination.k8s.io/leases", request.fence->lease.ns + "/" + request.fence->lease.name,
      [fence = request.fence](const store::VersionPtr& lease) { return CheckHeld(*fence, lease); }};
}

base::Status LeaseGuard::Check(const store::Store& store) const {
  return guard_ ? guard_->check(store.GetNewest(guard_->resource, guard_->name)) : base::Status();
}

base::Status ReadLease(Core& core, std::string_view header, Request& request) {
  if (header.empty()) return {};
  std::optional<kube::WriteFence> fence = kube::WriteFence::Parse(header);
  if (!fence) {
    return base::InvalidArgument(
        fmt::format("the header {} must be \"namespace/name transitions "
                    "holder\"",
                    kube::WriteFence::kHeader));
  }
  COPPICE_TRY(core.Authorize(request.user, {.verb = "get",
                                            .group = api::kLeases.group,
                                            .resource = api::kLeases.plural,
                                            .name = fence->lease.name,
                                            .ns = fence->lease.ns}));
  request.fence = std::make_shared<const kube::WriteFence>(*std::move(fence));
  return {};
}

}  // namespace coppice::server
