#include <map>

#include "api/edit/autoscaling_v2.h"
#include "api/view/autoscaling_v2.h"
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

using api::grove::AutoScalingConfig;
using api::grove::PodCliqueSet;

// The metric if the user names none: Kubernetes' own default, spelled out so that it does not
// depend on the server.
json::Value Metrics(const AutoScalingConfig& config) {
  if (!config.metrics.empty()) return json::Value::Array(config.metrics);
  json::Value metric = json::Value::Object();
  edit::autoscaling_v2::MetricSpec(metric)
      .set_type("Resource")
      .resource()
      .set_name("cpu")
      .target()
      .set_type("Utilization")
      .set_averageUtilization(80);
  return json::Value::Array({std::move(metric)});
}

}  // namespace

std::map<std::string, AutoscalerTarget> WantedAutoscalers(const PodCliqueSet& set) {
  std::map<std::string, AutoscalerTarget> wanted;
  const auto& tmpl = set.spec.template_;
  for (int i = 0; i < set.spec.replicas; ++i) {
    for (const auto& clique : tmpl.cliques) {
      if (!clique.spec.autoScalingConfig || tmpl.GroupOf(clique.name) != nullptr) continue;
      wanted[names::StandaloneClique(set.name(), i, clique.name)] = {
          "PodClique", &*clique.spec.autoScalingConfig, clique.spec.replicas};
    }
    for (const auto& group : tmpl.podCliqueScalingGroups) {
      if (!group.scaleConfig) continue;
      wanted[names::ScalingGroup(set.name(), i, group.name)] = {
          "PodCliqueScalingGroup", &*group.scaleConfig, group.Replicas()};
    }
  }
  return wanted;
}

json::Value BuildAutoscaler(const PodCliqueSet& set, const std::string& name,
                            const AutoscalerTarget& target, const Existing& existing) {
  json::Value object =
      existing ? *existing : kube::NewObject(api::kHorizontalPodAutoscalers, set.ns(), name);
  StringMap labels = DefaultLabels(set.name());
  labels[std::string(labels::kComponent)] = "pcs-hpa";
  labels[std::string(labels::kAppName)] = name;
  MergeLabels(object, labels);
  SetController(object, set.object);
  const auto spec = edit::autoscaling_v2::HorizontalPodAutoscaler(object).spec();
  spec.set_scaleTargetRef(json::Value::Object());
  spec.scaleTargetRef()
      .set_apiVersion(api::kPodCliques.ApiVersion())
      .set_kind(target.kind)
      .set_name(name);
  spec.set_minReplicas(target.config->minReplicas.value_or(target.replicas));
  spec.set_maxReplicas(target.config->maxReplicas);
  const view::autoscaling_v2::HorizontalPodAutoscalerSpec present(spec.Json());
  json::Value metrics = Metrics(*target.config);
  if (!Covers(present.metrics().Json(), metrics)) spec.set_metrics(std::move(metrics));
  return object;
}

StepOutcome SyncAutoscalers(const Context& context, const PodCliqueSet& set) {
  const std::map<std::string, AutoscalerTarget> wanted = WantedAutoscalers(set);
  StepOutcome outcome = StepOutcome::Done();
  for (const json::Value& autoscaler : context.OwnedBy(context.autoscalers, set.uid())) {
    if (wanted.contains(std::string(kube::Name(autoscaler)))) continue;
    const base::Status deleted =
        kube::DeleteObject(context.client(), api::kHorizontalPodAutoscalers, autoscaler);
    if (!deleted) outcome.Merge(StepOutcome::Failed("ERR_DELETE_HPA", "Sync", deleted.error()));
  }
  for (const auto& [name, target] : wanted) {
    const auto existing = context.autoscalers.Get({set.ns(), name});
    const auto written = context.CreateOrPatch(api::kHorizontalPodAutoscalers, existing,
                                               BuildAutoscaler(set, name, target, existing));
    if (!written) outcome.Merge(StepOutcome::Failed("ERR_SYNC_HPA", "Sync", written.error()));
  }
  return outcome;
}

}  // namespace coppice::operators::podcliqueset
