#include "page/cluster/fact_sources.h"

#include "api/edit/core.h"
#include "api/well_known.h"
#include "kube/object.h"
#include "page/facts/levels.h"
#include "services/common/served.h"

namespace coppice::page {
namespace {

constexpr const char* kKueueGroup = "kueue.x-k8s.io";

// Maps of cluster-scoped objects have their name as the key.
void SetKey(const api::ObjectKey& key, std::string& out) { out = key.name; }
void SetKey(const api::ObjectKey& key, api::ObjectKey& out) { out = key; }

// Other people's data; only that it exists matters, to the engine.
json::Value WithoutData(json::Value config_map) {
  const edit::core::ConfigMap edit(config_map);
  edit.clear_data();
  edit.clear_binaryData();
  return config_map;
}

}  // namespace

template <typename Map, typename Read>
void FactSources::Follow(const api::Resource& resource, Map Facts::* map, Read read) {
  kube::Informer& informer = runtime_.cache.InformerFor(resource);
  informers_.push_back(&informer);
  informer.AddHandler([this, map, read](const kube::Change& change) {
    typename Map::key_type key;
    SetKey(kube::KeyOf(change.object), key);
    if (change.type == kube::ChangeType::kDeleted) {
      std::lock_guard lock(mutex_);
      (facts_.*map).erase(key);
    } else {
      auto facts = read(change.object);
      std::lock_guard lock(mutex_);
      const auto [found, added] = (facts_.*map).try_emplace(std::move(key), facts);
      if (!added && found->second == facts) return;
      found->second = std::move(facts);
    }
    on_change_();
  });
}

base::Status FactSources::Watch() {
  runtime_.cache.InformerFor(api::kConfigMaps, {.trim = WithoutData});
  Follow(api::kPods, &Facts::pods, ReadPodFacts);
  Follow(api::kNodes, &Facts::nodes, ReadNodeFacts);
  Follow(api::kQueues, &Facts::queues, ReadQueueFacts);
  Follow(api::kPodCliqueSets, &Facts::sets, ReadSet);
  Follow(api::kPodGangs, &Facts::gangs, ReadGang);
  Follow(api::kPodGroups, &Facts::groups, ReadGroup);
  Follow(api::kJobs, &Facts::jobs, ReadJob);
  Follow(api::kTopologies, &Facts::topologies, ReadLevels);
  return FollowKueue();
}

base::Status FactSources::FollowKueue() {
  for (const char* version : {"v1beta2", "v1beta1"}) {
    const api::Resource queues{kKueueGroup, version, "clusterqueues", "ClusterQueue", false};
    COPPICE_ASSIGN(const bool served, services::IsServed(runtime_.client, queues));
    if (!served) continue;
    Follow(queues, &Facts::queues, ReadClusterQueueFacts);
    Follow({kKueueGroup, version, "localqueues", "LocalQueue", true}, &Facts::local_queues,
           ReadLocalQueue);
    Follow({kKueueGroup, version, "workloads", "Workload", true}, &Facts::kueue_workloads,
           ReadKueueWorkload);
    return {};
  }
  return {};
}

base::Status FactSources::Following() const {
  for (const kube::Informer* informer : informers_) COPPICE_TRY(informer->Following());
  return {};
}

}  // namespace coppice::page
