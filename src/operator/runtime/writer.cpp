#include "operator/runtime/writer.h"

#include <fmt/format.h>

#include "api/view/meta.h"
#include "kube/object.h"
#include "operator/runtime/labels.h"

namespace coppice::operators {
namespace {

// Never takes over an object: one left over from an owner of the same name must be deleted first,
// one that belongs to someone else stays theirs, and one created by hand would be deleted with its
// new owner.
base::Status CheckController(const json::Value& existing, const json::Value& desired) {
  const view::meta::OwnerReference theirs(kube::ControllerOwner(existing));
  const view::meta::OwnerReference ours(kube::ControllerOwner(desired));
  if (!ours || theirs.uid() == ours.uid()) return {};
  if (!theirs) {
    if (IsPartOf(existing, kube::Label(desired, labels::kPartOf))) return {};
    return base::Error(
        base::ErrorCode::kForbidden,
        fmt::format("{} {} exists and was not made for {} {}: it is left alone",
                    kube::Kind(existing), kube::Name(existing), ours.kind(), ours.name()));
  }
  const std::string message = fmt::format("{} {} is controlled by {} {}", kube::Kind(existing),
                                          kube::Name(existing), theirs.kind(), theirs.name());
  if (theirs.kind() == ours.kind() && theirs.name() == ours.name()) {
    return base::AlreadyExists(message + " of an earlier life");
  }
  return base::Error(base::ErrorCode::kForbidden, message);
}

}  // namespace

bool IsPartOf(const json::Value& object, std::string_view set) {
  return kube::Label(object, labels::kManagedBy) == labels::kOperator &&
         kube::Label(object, labels::kPartOf) == set;
}

base::Result<kube::Applied> CreateOrPatchOwned(kube::Client& client, const kube::Resource& resource,
                                               const std::optional<json::Value>& existing,
                                               const json::Value& desired) {
  if (existing) {
    COPPICE_TRY(CheckController(*existing, desired));
    return kube::PatchSame(client, resource, *existing, desired);
  }
  COPPICE_ASSIGN(json::Value created, client.Create(resource, desired));
  return kube::Applied{kube::Written::kCreated, std::move(created)};
}

}  // namespace coppice::operators
