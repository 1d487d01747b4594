#include "services/platform/controller.h"

#include <fmt/format.h>

#include "api/edit/apiextensions.h"
#include "api/edit/kai.h"
#include "api/view/apiextensions.h"
#include "api/view/coordination.h"
#include "api/view/core.h"
#include "api/view/kai.h"
#include "api/well_known.h"
#include "kube/cache/apply.h"
#include "kube/object.h"
#include "services/common/names.h"
#include "services/platform/conditions.h"
#include "services/platform/deploy.h"
#include "services/platform/model/cluster_view.h"
#include "services/platform/model/kinds.h"
#include "services/platform/model/objects.h"
#include "services/platform/prometheus_probe.h"

namespace coppice::services::platform {
namespace {

using json::Value;

const api::ObjectKey kConfigKey{"", std::string(kConfigName)};
constexpr const char* kQueueCrd = "queues.scheduling.run.ai";

base::Status WriteConditions(kube::Client& client, const api::Resource& resource,
                             const Value& object, const Value& conditions) {
  // A Config and a SchedulingShard have the same status.
  if (view::kai::Config(object).status().conditions().Json() == conditions) return {};
  Value patch;
  edit::kai::Config(patch).status().set_conditions(conditions);
  const auto patched = client.Patch(resource, kube::KeyOf(object), kube::PatchType::kMerge, patch,
                                    {.subresource = "status"});
  if (patched.Is(base::ErrorCode::kNotFound)) return {};
  COPPICE_TRY(patched);
  return {};
}

// Reconciles one object: says that it began, does the work, says how it went.
template <typename Work>
base::Status WithConditions(kube::Runtime runtime, const api::Resource& resource,
                            const api::ObjectKey& key, const Work& work) {
  auto object = runtime.client.Get(resource, key);
  if (object.Is(base::ErrorCode::kNotFound)) return {};
  COPPICE_TRY(object);
  COPPICE_TRY(WriteConditions(runtime.client, resource, *object,
                              StartedConditions(*object, runtime.executor.Now())));
  Health health;
  const base::Status done = work(*object, health);
  if (!done) health.not_deployed = done.error().message();
  object = runtime.client.Get(resource, key);
  if (object.Is(base::ErrorCode::kNotFound)) return {};
  COPPICE_TRY(object);
  COPPICE_TRY(WriteConditions(runtime.client, resource, *object,
                              FinishedConditions(*object, health, runtime.executor.Now())));
  return done;
}

class ConfigReconciler final : public kube::Reconciler {
 public:
  ConfigReconciler(kube::Runtime runtime, const Options& options,
                   std::shared_ptr<ClusterView> cluster, std::shared_ptr<PrometheusHealth> probe)
      : runtime_(runtime),
        images_(options.images),
        make_certificate_(options.make_certificate),
        cluster_(std::move(cluster)),
        prometheus_(std::move(probe)),
        deployer_(runtime.client) {}

  base::Result<kube::Requeue> Reconcile(const api::ObjectKey& key) override {
    if (key != kConfigKey) return kube::Requeue::Done();
    COPPICE_TRY(WithConditions(
        runtime_, api::kConfigs, key,
        [&](const Value& config, Health& health) { return Deploy(config, health); }));
    return kube::Requeue::Done();
  }

 private:
  struct Part {
    std::string operand;
    Objects objects;
  };

  base::Status Deploy(const Value& config, Health& health) {
    const Value full = ConfigWithDefaults(view::kai::Config(config).spec().Json(), images_);
    const view::kai::ConfigSpec spec(full);
    COPPICE_ASSIGN(Surroundings seen, cluster_->Look());
    seen.make_certificate = make_certificate_;
    std::vector<Part> parts;
    Objects desired;
    for (const Operand& operand : ConfigOperands(spec)) {
      auto objects = operand.objects(spec, seen);
      if (!objects) return objects.error().During(operand.name);
      desired.insert(desired.end(), objects->begin(), objects->end());
      parts.push_back({operand.name, *std::move(objects)});
      const std::string lacks = operand.missing ? operand.missing(spec, seen) : "";
      if (!lacks.empty()) health.missing += "\n" + operand.name + " is missing " + lacks;
    }
    COPPICE_TRY(deployer_.Deploy(config, desired, cluster_->OwnedBy(config, ConfigKinds())));
    COPPICE_TRY(DropConversion());
    health.prometheus = prometheus_->Of(spec.prometheus());
    for (const Part& part : parts) Report(part, health);
    return {};
  }

  void Report(const Part& part, Health& health) {
    const auto add = [&](std::string& text, const std::string& problem) {
      text += (text.empty() ? "" : "\n") + part.operand + ": " + problem;
    };
    if (!WhatIsMissing(part.objects, *cluster_).empty()) {
      add(health.not_deployed, "not deployed");
    } else if (const std::string why = WhatIsUnavailable(part.objects, *cluster_); !why.empty()) {
      add(health.not_available, why);
    }
  }

  // Left over from releases that had two versions of queues.
  base::Status DropConversion() {
    const auto crd = cluster_->Get(api::kCustomResourceDefinitions, {"", kQueueCrd});
    if (!crd) return {};
    const std::string_view strategy =
        view::apiextensions::CustomResourceDefinition(*crd).spec().conversion().strategy();
    if (strategy.empty() || strategy == "None") return {};
    Value patch;
    edit::apiextensions::CustomResourceDefinition(patch)
        .spec()
        .conversion()
        .set_strategy("None")
        .set_webhook(nullptr);
    COPPICE_TRY(runtime_.client.Patch(api::kCustomResourceDefinitions, {"", kQueueCrd},
                                      kube::PatchType::kMerge, patch));
    return {};
  }

  kube::Runtime runtime_;
  const ImageDefaults images_;
  const MakeCertificate make_certificate_;
  std::shared_ptr<ClusterView> cluster_;
  std::shared_ptr<PrometheusHealth> prometheus_;
  Deployer deployer_;
};

class ShardReconciler final : public kube::Reconciler {
 public:
  ShardReconciler(kube::Runtime runtime, const Options& options,
                  std::shared_ptr<ClusterView> cluster)
      : runtime_(runtime),
        images_(options.images),
        cluster_(std::move(cluster)),
        deployer_(runtime.client) {}

  base::Result<kube::Requeue> Reconcile(const api::ObjectKey& key) override {
    COPPICE_TRY(
        WithConditions(runtime_, api::kSchedulingShards, key,
                       [&](const Value& shard, Health& health) { return Deploy(shard, health); }));
    return kube::Requeue::Done();
  }

 private:
  base::Status Deploy(const Value& shard, Health& health) {
    if (kube::IsDeleting(shard)) return {};
    const Value config = cluster_->Config();
    if (config.IsNull()) {
      return base::NotFound(fmt::format("there is no Config called {}", kConfigName));
    }
    const Value full = ConfigWithDefaults(view::kai::Config(config).spec().Json(), images_);
    const view::kai::ConfigSpec spec(full);
    const Objects current = cluster_->OwnedBy(shard, ShardKinds());
    if (IsEnabled(spec.scheduler().service())) COPPICE_TRY(ApplyConfiguration(spec, shard));
    COPPICE_ASSIGN(const Surroundings seen, cluster_->Look());
    COPPICE_ASSIGN(const Objects desired, ShardObjects(spec, shard, seen));
    COPPICE_TRY(deployer_.Deploy(shard, desired, current));
    if (!WhatIsMissing(desired, *cluster_).empty()) {
      health.not_deployed = "SchedulerForShard: not deployed";
    }
    health.not_available = WhatIsUnavailable(desired, *cluster_);
    return {};
  }

  // Pods are rolled by the configuration's version, so it comes first.
  base::Status ApplyConfiguration(view::kai::ConfigSpec spec, const Value& shard) {
    COPPICE_ASSIGN(const Desired file, ShardConfigMap(spec, shard));
    return deployer_.Apply(
        shard, file, cluster_->Get(file.resource, kube::KeyOf(file.object)).value_or(Value()));
  }

  kube::Runtime runtime_;
  const ImageDefaults images_;
  std::shared_ptr<ClusterView> cluster_;
  Deployer deployer_;
};

bool IsOurs(view::meta::OwnerReference owner, std::string_view kind) {
  return owner.apiVersion() == api::kConfigs.ApiVersion() && owner.kind() == kind;
}

void WatchOwned(kube::ControllerSpec& spec, const std::vector<api::Resource>& kinds,
                const std::string& owner_kind) {
  for (const api::Resource& kind : kinds) {
    spec.Watches(kind, [owner_kind](const Value& object) {
      const view::meta::OwnerReference owner(kube::ControllerOwner(object));
      if (!IsOurs(owner, owner_kind)) return std::vector<api::ObjectKey>();
      return std::vector<api::ObjectKey>{{"", std::string(owner.name())}};
    });
  }
}

bool AddressChanged(const kube::Change& change) {
  const view::core::Pod before(change.old_object), now(change.object);
  return before.status().podIP() != now.status().podIP();
}

bool HolderChanged(const kube::Change& change) {
  const view::coordination::Lease before(change.old_object), now(change.object);
  return before.spec().holderIdentity() != now.spec().holderIdentity();
}

kube::ControllerSpec ConfigSpec() {
  kube::ControllerSpec spec{.name = std::string(kConfigController), .workers = 1};
  spec.For(api::kConfigs, kube::predicates::GenerationChanged);
  const auto to_config = [](const Value&) { return std::vector<api::ObjectKey>{kConfigKey}; };
  spec.Watches(api::kSchedulingShards, to_config, kube::predicates::GenerationChanged);
  spec.Watches(api::kCustomResourceDefinitions, to_config,
               [](const kube::Change& change) { return kube::Name(change.object) == kQueueCrd; });
  WatchOwned(spec, ConfigKinds(), "Config");
  return spec;
}

kube::ControllerSpec ShardSpec(std::shared_ptr<ClusterView> cluster, const std::string& ns) {
  kube::ControllerSpec spec{.name = std::string(kShardController), .workers = 1};
  spec.For(api::kSchedulingShards, kube::predicates::GenerationChanged);
  const auto to_all = [cluster](const Value&) {
    std::vector<api::ObjectKey> keys;
    for (const Value& shard : cluster->Shards()) keys.push_back(kube::KeyOf(shard));
    return keys;
  };
  spec.Watches(api::kConfigs, to_all, kube::predicates::GenerationChanged);
  spec.Watches(api::kLeases, to_all, [ns](const kube::Change& change) {
    return kube::Namespace(change.object) == ns && HolderChanged(change);
  });
  // The leader's address comes and goes with its pod.
  spec.Watches(api::kPods, to_all, [ns](const kube::Change& change) {
    return kube::Namespace(change.object) == ns &&
           kube::Label(change.object, names::kAppLabel).starts_with("kai-scheduler") &&
           (change.type == kube::ChangeType::kDeleted || AddressChanged(change) ||
            kube::IsDeleting(change.old_object) != kube::IsDeleting(change.object));
  });
  WatchOwned(spec, ShardKinds(), "SchedulingShard");
  return spec;
}

}  // namespace

void AddToManager(kube::Manager& manager, Options options) {
  const kube::Runtime runtime = manager.runtime();
  auto cluster = std::make_shared<ClusterView>(runtime, options.ns);
  auto prometheus = AddPrometheusProbe(manager, options);
  manager.AddController(ConfigSpec(),
                        std::make_unique<ConfigReconciler>(runtime, options, cluster, prometheus));
  kube::ControllerSpec shards = ShardSpec(cluster, options.ns);
  manager.AddController(std::move(shards),
                        std::make_unique<ShardReconciler>(runtime, options, std::move(cluster)));
}

}  // namespace coppice::services::platform
