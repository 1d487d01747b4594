#include "services/platform/model/cluster_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/view/apps.h"
#include "api/view/meta.h"
#include "kube/cache/index.h"
#include "kube/object.h"
#include "services/common/served.h"
#include "services/platform/model/config_defaults.h"
#include "services/platform/model/kinds.h"

namespace coppice::services::platform {
namespace {

using json::Value;

bool IsOptional(const api::Resource& resource) {
  const auto& kinds = OptionalKinds();
  return std::find(kinds.begin(), kinds.end(), resource) != kinds.end();
}

bool DeploymentWorks(view::apps::Deployment live) {
  return live.status().updatedReplicas() == live.spec().replicas(1) &&
         kube::ConditionIs(live.Json(), "Available", "True");
}

bool DaemonSetWorks(view::apps::DaemonSetStatus status) {
  return status.desiredNumberScheduled() == status.numberAvailable();
}

bool Works(const Desired& desired, const Value& live) {
  if (desired.resource == api::kDeployments) return DeploymentWorks(view::apps::Deployment(live));
  if (desired.resource == kDaemonSets) return DaemonSetWorks(view::apps::DaemonSet(live).status());
  if (desired.resource == kPrometheuses) return kube::ConditionIs(live, "Available", "True");
  return true;
}

std::string NameOf(const Desired& desired) {
  return fmt::format("{} {}", desired.resource.kind, kube::KeyOf(desired.object).ToString());
}

void AddLine(std::string& text, const std::string& line) {
  if (!text.empty()) text += ", ";
  text += line;
}

}  // namespace

const std::vector<api::Resource>& ConfigKinds() {
  static const std::vector<api::Resource> kinds = {
      api::kDeployments, api::kServiceAccounts,  api::kConfigMaps,
      api::kServices,    kDisruptionBudgets,     kDaemonSets,
      api::kSecrets,     api::kMutatingWebhooks, api::kValidatingWebhooks};
  return kinds;
}

const std::vector<api::Resource>& ShardKinds() {
  static const std::vector<api::Resource> kinds = {api::kDeployments,  api::kServiceAccounts,
                                                   api::kConfigMaps,   api::kServices,
                                                   kDisruptionBudgets, api::kEndpointSlices};
  return kinds;
}

const std::vector<api::Resource>& OptionalKinds() {
  static const std::vector<api::Resource> kinds = {kVerticalAutoscalers, kPrometheuses,
                                                   kServiceMonitors};
  return kinds;
}

ClusterView::ClusterView(kube::Runtime runtime, const std::string& ns)
    : runtime_(runtime),
      configs_(runtime.cache.InformerFor(api::kConfigs)),
      shards_(runtime.cache.InformerFor(api::kSchedulingShards)) {
  for (const api::Resource& limited : {api::kLeases, api::kEndpointSlices}) {
    runtime.cache.InformerFor(limited, {.ns = ns});
  }
  runtime.cache.InformerFor(api::kPods, {.ns = ns});
  for (const auto* kinds : {&ConfigKinds(), &ShardKinds()}) {
    for (const api::Resource& kind : *kinds) {
      kube::AddOwnerIndex(runtime.cache.InformerFor(kind));
    }
  }
}

Value ClusterView::Config() const {
  return configs_.Get({"", std::string(kConfigName)}).value_or(Value());
}

std::optional<Value> ClusterView::Get(const api::Resource& resource,
                                      const api::ObjectKey& key) const {
  auto object = runtime_.client.Get(resource, key);
  if (!object) return std::nullopt;
  return *std::move(object);
}

bool ClusterView::Serves(const api::Resource& resource) const {
  const auto served = IsServed(runtime_.client, resource);
  return !served || *served;
}

base::Result<Surroundings> ClusterView::Look() const {
  Surroundings seen;
  seen.now = runtime_.executor.Now();
  COPPICE_ASSIGN(
      const kube::ObjectList fake,
      runtime_.client.List(api::kNodes, {.label_selector = "run.ai/fake.gpu=true", .limit = 1}));
  seen.fake_gpu_nodes = !fake.items.empty();
  if (Serves(kClusterPolicies)) {
    COPPICE_ASSIGN(const kube::ObjectList policies, runtime_.client.List(kClusterPolicies));
    if (!policies.items.empty()) seen.cluster_policy = policies.items.front();
  }
  seen.serves_vpa = Serves(kVerticalAutoscalers);
  seen.serves_prometheus = Serves(kPrometheuses);
  seen.serves_service_monitors = Serves(kServiceMonitors);
  seen.shards = Shards();
  seen.live = [this](const api::Resource& resource, const api::ObjectKey& key) {
    return Get(resource, key);
  };
  return seen;
}

Objects ClusterView::OwnedBy(const Value& owner, const std::vector<api::Resource>& kinds) const {
  const std::string uid(kube::Uid(owner));
  Objects owned;
  const auto add = [&](const api::Resource& kind, const Value& object) {
    const view::meta::OwnerReference controller(kube::ControllerOwner(object));
    if (controller.uid() == uid) owned.push_back({kind, object});
  };
  for (const api::Resource& kind : kinds) {
    for (const Value& object : runtime_.cache.InformerFor(kind).ByIndex(kube::kOwnerIndex, uid)) {
      add(kind, object);
    }
  }
  for (const api::Resource& kind : OptionalKinds()) {
    if (!Serves(kind)) continue;
    const auto list = runtime_.client.List(kind);
    if (!list) continue;
    for (const Value& object : list->items) add(kind, object);
  }
  return owned;
}

std::string WhatIsMissing(const Objects& desired, const ClusterView& cluster) {
  std::string missing;
  for (const Desired& object : desired) {
    if (!cluster.Get(object.resource, kube::KeyOf(object.object))) {
      AddLine(missing, NameOf(object) + " not found");
    }
  }
  return missing;
}

std::string WhatIsUnavailable(const Objects& desired, const ClusterView& cluster) {
  std::string waiting;
  for (const Desired& object : desired) {
    const bool counts = object.resource == api::kDeployments || object.resource == kDaemonSets ||
                        IsOptional(object.resource);
    if (!counts) continue;
    const auto live = cluster.Get(object.resource, kube::KeyOf(object.object));
    if (!live || !Works(object, *live)) AddLine(waiting, NameOf(object) + " is not available");
  }
  return waiting;
}

}  // namespace coppice::services::platform
