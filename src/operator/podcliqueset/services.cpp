#include <fmt/format.h>

#include "api/edit/core.h"
#include "api/well_known.h"
#include "kube/cache/apply.h"
#include "kube/object.h"
#include "operator/common/names.h"
#include "operator/podcliqueset/components.h"
#include "operator/podcliqueset/objects.h"
#include "operator/runtime/labels.h"
#include "operator/runtime/metadata.h"

namespace coppice::operators::podcliqueset {
namespace {

using api::grove::PodCliqueSet;

json::Value PodsOfReplica(const PodCliqueSet& set, int replica) {
  json::Value selector = json::Value::Object();
  for (const auto& [key, value] : DefaultLabels(set.name())) selector.Set(key, value);
  selector.Set(labels::kSetReplica, fmt::format("{}", replica));
  return selector;
}

}  // namespace

json::Value BuildService(const PodCliqueSet& set, int replica, const Existing& existing) {
  const std::string name = names::Replica(set.name(), replica);
  json::Value service = existing ? *existing : kube::NewObject(api::kServices, set.ns(), name);
  StringMap labels = DefaultLabels(set.name());
  labels[std::string(labels::kComponent)] = "pcs-headless-service";
  labels[std::string(labels::kAppName)] = name;
  labels[std::string(labels::kSetReplica)] = fmt::format("{}", replica);
  MergeLabels(service, labels);
  SetController(service, set.object);
  const auto& config = set.spec.template_.headlessServiceConfig;
  edit::core::Service(service)
      .spec()
      .set_clusterIP("None")
      .set_type("ClusterIP")
      .set_selector(PodsOfReplica(set, replica))
      .set_publishNotReadyAddresses(!config || config->publishNotReadyAddresses);
  return service;
}

StepOutcome SyncHeadlessService(const Context& context, const PodCliqueSet& set, int replica) {
  const auto existing = context.services.Get({set.ns(), names::Replica(set.name(), replica)});
  OPERATOR_TRY(
      "ERR_SYNC_PODCLIQUESET_SERVICE", "Sync",
      context.CreateOrPatch(api::kServices, existing, BuildService(set, replica, existing)));
  return StepOutcome::Done();
}

StepOutcome DeleteSurplusServices(const Context& context, const PodCliqueSet& set) {
  StepOutcome outcome = StepOutcome::Done();
  for (const json::Value& service : context.OwnedBy(context.services, set.uid())) {
    const auto index = names::IndexLabel(service, labels::kSetReplica);
    if (index && *index < set.spec.replicas) continue;
    const base::Status deleted = kube::DeleteObject(context.client(), api::kServices, service);
    if (!deleted) {
      outcome.Merge(
          StepOutcome::Failed("ERR_DELETE_PODCLIQUESET_SERVICE", "Sync", deleted.error()));
    }
  }
  return outcome;
}

}  // namespace coppice::operators::podcliqueset
