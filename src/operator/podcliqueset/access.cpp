#include <algorithm>

#include "api/view/core.h"
#include "api/well_known.h"
#include "kube/cache/apply.h"
#include "kube/object.h"
#include "operator/common/names.h"
#include "operator/podcliqueset/components.h"
#include "operator/podcliqueset/objects.h"
#include "operator/runtime/metadata.h"
#include "operator/runtime/writer.h"

namespace coppice::operators::podcliqueset {
namespace {

using api::grove::PodCliqueSet;

StepOutcome FinishWrite(const base::Result<kube::Applied>& written, std::string_view code,
                        std::string_view operation) {
  if (!written) return StepOutcome::Failed(code, operation, written.error());
  return StepOutcome::Done();
}

// If the token is not filled in by then, the cluster has no controller that does it; pods that need
// it will report the problem.
constexpr base::Duration kTokenPatience = std::chrono::seconds(10);

constexpr std::string_view kTokenKey = "token";

bool IsForeign(const json::Value& object, const PodCliqueSet& set) {
  const json::Value& controller = kube::ControllerOwner(object);
  if (controller.IsNull()) return !IsPartOf(object, set.name());
  return kube::Kind(controller) != api::kPodCliqueSets.kind;
}

bool NeedsToken(const PodCliqueSet& set) {
  return set.spec.template_.StartupType() != api::grove::kStartAnyOrder;
}

bool MountsSecret(const json::Value& pod, std::string_view secret) {
  const auto volumes = view::core::Pod(pod).spec().volumes();
  return std::any_of(volumes.begin(), volumes.end(), [&](view::core::Volume volume) {
    return volume.secret().secretName() == secret;
  });
}

// Earlier releases used another name for the secret; it is kept while pods still mount it.
StepOutcome DeleteLegacySecret(const Context& context, const PodCliqueSet& set) {
  const std::string name = names::LegacyTokenSecret(set.name());
  const auto legacy = context.secrets.Get({set.ns(), name});
  if (!legacy || ControllerUid(*legacy) != set.uid()) {
    return StepOutcome::Done();
  }
  for (const json::Value& pod : context.pods.List(set.ns())) {
    if (MountsSecret(pod, name)) return StepOutcome::Done();
  }
  OPERATOR_TRY("ERR_DELETE_SECRET", "Sync",
               kube::DeleteObject(context.client(), api::kSecrets, *legacy));
  return StepOutcome::Done();
}

StepOutcome CreateTokenSecret(const Context& context, const PodCliqueSet& set,
                              const std::string& name) {
  const auto created = context.runtime.client.Create(api::kSecrets, BuildTokenSecret(set));
  if (created) return StepOutcome::Done();
  if (!created.Is(base::ErrorCode::kAlreadyExists)) {
    return StepOutcome::Failed("ERR_CREATE_SECRET", "Sync", created.error());
  }
  // Either the cache is behind, or the secret belongs to someone else and is not in our cache.
  const auto existing = context.runtime.client.Get(api::kSecrets, {set.ns(), name});
  OPERATOR_TRY("ERR_GET_SECRET", "Sync", existing);
  if (ControllerUid(*existing) == set.uid()) return StepOutcome::Done();
  return StepOutcome::Failed(
      "ERR_SECRET_CONFLICT", "Sync",
      base::Error(base::ErrorCode::kForbidden, "secret " + name +
                                                   " exists and is not controlled by this "
                                                   "PodCliqueSet"));
}

}  // namespace

// A ServiceAccount of this name that someone else created works as well, and stays theirs.
StepOutcome SyncServiceAccount(const Context& context, const PodCliqueSet& set) {
  const auto existing = context.service_accounts.Get({set.ns(), set.name()});
  if (existing && IsForeign(*existing, set)) return StepOutcome::Done();
  return FinishWrite(
      context.CreateOrPatch(api::kServiceAccounts, existing, BuildServiceAccount(set, existing)),
      "ERR_SYNC_SERVICEACCOUNT", "Sync");
}

StepOutcome SyncRole(const Context& context, const PodCliqueSet& set) {
  const auto existing = context.roles.Get({set.ns(), names::Role(set.name())});
  return FinishWrite(context.CreateOrPatch(api::kRoles, existing, BuildRole(set, existing)),
                     "ERR_SYNC_ROLE", "Sync");
}

StepOutcome SyncRoleBinding(const Context& context, const PodCliqueSet& set) {
  const auto existing = context.role_bindings.Get({set.ns(), names::Role(set.name())});
  return FinishWrite(
      context.CreateOrPatch(api::kRoleBindings, existing, BuildRoleBinding(set, existing)),
      "ERR_SYNC_ROLEBINDING", "Sync");
}

StepOutcome SyncTokenSecret(const Context& context, const PodCliqueSet& set) {
  const std::string name = names::TokenSecret(set.name());
  const auto existing = context.secrets.Get({set.ns(), name});
  if (!existing) {
    const StepOutcome created = CreateTokenSecret(context, set, name);
    if (!created.done() || !NeedsToken(set)) return created;
    return StepOutcome::RequeueAfter("the token of secret " + name + " is not there yet");
  }
  if (ControllerUid(*existing) != set.uid()) {
    return StepOutcome::Failed("ERR_SECRET_CONFLICT", "Sync",
                               base::Error(base::ErrorCode::kForbidden,
                                           "secret " + name + " is controlled by another object"));
  }
  if (NeedsToken(set) && view::core::Secret(*existing).data()[kTokenKey].empty() &&
      context.Now() < CreatedAt(*existing) + kTokenPatience) {
    return StepOutcome::RequeueAfter("the token of secret " + name + " is not there yet");
  }
  return DeleteLegacySecret(context, set);
}

}  // namespace coppice::operators::podcliqueset
