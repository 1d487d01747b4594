#include "services/workloads/stateful_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "api/edit/apps.h"
#include "api/labels.h"
#include "api/view/apps.h"
#include "api/well_known.h"
#include "kube/cache/apply.h"
#include "kube/object.h"
#include "services/workloads/owned_pods.h"
#include "services/workloads/template_hash.h"

namespace coppice::services::workloads {
namespace {

using json::Value;
using kube::Requeue;
using view::apps::StatefulSet;
using view::core::PersistentVolumeClaim;

constexpr std::string_view kRevisionLabel = "controller-revision-hash";
constexpr std::string_view kPodNameLabel = api::labels::kStatefulSetPodName;
constexpr std::string_view kPodIndexLabel = api::labels::kStatefulSetPodIndex;

int64_t OrdinalOf(const Value& pod) {
  const std::string_view name = kube::Name(pod);
  int64_t ordinal = -1;
  const size_t dash = name.rfind('-');
  if (dash != std::string_view::npos) {
    std::from_chars(name.data() + dash + 1, name.data() + name.size(), ordinal);
  }
  return ordinal;
}

class StatefulSetController final : public kube::Reconciler {
 public:
  explicit StatefulSetController(kube::Runtime runtime)
      : client_(runtime.client),
        sets_(runtime.cache.InformerFor(api::kStatefulSets)),
        pods_(runtime) {}

  base::Result<Requeue> Reconcile(const api::ObjectKey& key) override {
    const auto object = sets_.Get(key);
    if (!object) return Requeue::Done();
    const StatefulSet set(*object);
    const OwnedPods::Snapshot pods = pods_.Look(*object);
    if (!kube::IsDeleting(*object)) COPPICE_TRY(Advance(set, pods));
    COPPICE_TRY(kube::PatchStatus(client_, api::kStatefulSets, *object, Status(set, pods)));
    return Requeue::Done();
  }

 private:
  static std::string RevisionOf(StatefulSet set) {
    return fmt::format("{}-{}", set.metadata().name(), TemplateHash(set.spec().template_()));
  }

  base::Status Advance(StatefulSet set, const OwnedPods::Snapshot& pods) {
    std::map<int64_t, Value> by_ordinal;
    for (const Value& pod : pods.active) by_ordinal[OrdinalOf(pod)] = pod;
    for (const Value& pod : pods.finished) COPPICE_TRY(pods_.Delete(pod));
    const bool ordered = set.spec().podManagementPolicy() != "Parallel";
    const int64_t wanted = set.spec().replicas(1);
    for (int64_t i = 0; i < wanted; ++i) {
      const auto pod = by_ordinal.find(i);
      if (pod == by_ordinal.end()) {
        if (pods.terminating > 0 && ordered) return {};
        COPPICE_TRY(IgnoreExisting(Create(set, i)));
        if (ordered) return {};
      } else if (ordered && !IsReady(pod->second)) {
        return {};
      }
    }
    return Shrink(set, by_ordinal, wanted, ordered);
  }

  base::Status Shrink(StatefulSet set, const std::map<int64_t, Value>& by_ordinal, int64_t wanted,
                      bool ordered) {
    for (auto it = by_ordinal.rbegin(); it != by_ordinal.rend() && it->first >= wanted; ++it) {
      COPPICE_TRY(pods_.Delete(it->second));
      if (ordered) return {};
    }
    return Update(set, by_ordinal, wanted);
  }

  // One pod of an older template at a time, highest number first.
  base::Status Update(StatefulSet set, const std::map<int64_t, Value>& by_ordinal, int64_t wanted) {
    const view::apps::StatefulSetUpdateStrategy strategy = set.spec().updateStrategy();
    if (strategy.type() == "OnDelete") return {};
    const std::string revision = RevisionOf(set);
    const int64_t partition = strategy.rollingUpdate().partition();
    for (auto it = by_ordinal.rbegin(); it != by_ordinal.rend() && it->first >= partition; ++it) {
      if (it->first >= wanted) continue;
      if (kube::Label(it->second, kRevisionLabel) == revision) {
        if (!IsReady(it->second)) return {};
        continue;
      }
      return pods_.Delete(it->second);
    }
    return {};
  }

  // A pod of this name that is still going away: its deletion wakes us again.
  static base::Status IgnoreExisting(base::Status status) {
    if (status.Is(base::ErrorCode::kAlreadyExists)) return {};
    return status;
  }

  base::Status Create(StatefulSet set, int64_t ordinal) {
    const std::string name = fmt::format("{}-{}", set.metadata().name(), ordinal);
    COPPICE_TRY(CreateClaims(set, name));
    return pods_.Create(set.Json(), set.spec().template_(), [&](edit::core::Pod pod) {
      const edit::meta::ObjectMeta metadata = pod.metadata();
      metadata.clear_generateName();
      metadata.set_name(name);
      metadata.labels()
          .Set(kPodNameLabel, name)
          .Set(kPodIndexLabel, fmt::format("{}", ordinal))
          .Set(kRevisionLabel, RevisionOf(set));
      const edit::core::PodSpec spec = pod.spec();
      spec.set_hostname(name);
      if (set.spec().has_serviceName()) spec.set_subdomain(set.spec().serviceName());
      for (const PersistentVolumeClaim claim : set.spec().volumeClaimTemplates()) {
        const edit::core::Volume volume = spec.add_volumes();
        volume.set_name(claim.metadata().name());
        volume.persistentVolumeClaim().set_claimName(ClaimName(claim, name));
      }
    });
  }

  static std::string ClaimName(PersistentVolumeClaim claim, std::string_view pod) {
    return fmt::format("{}-{}", claim.metadata().name(), pod);
  }

  base::Status CreateClaims(StatefulSet set, std::string_view pod) {
    for (const PersistentVolumeClaim claim : set.spec().volumeClaimTemplates()) {
      Value object = kube::NewObject(api::kPersistentVolumeClaims, set.metadata().namespace_(),
                                     ClaimName(claim, pod));
      const edit::core::PersistentVolumeClaim edit(object);
      edit.metadata().set_labels(set.spec().selector().matchLabels().Json());
      edit.set_spec(claim.spec().Json());
      const auto created = client_.Create(api::kPersistentVolumeClaims, object);
      if (!created && !created.Is(base::ErrorCode::kAlreadyExists)) return created.error();
    }
    return {};
  }

  static Value Status(StatefulSet set, const OwnedPods::Snapshot& pods) {
    const std::string revision = RevisionOf(set);
    const auto ready = std::count_if(pods.active.begin(), pods.active.end(), IsReady);
    const auto updated = std::count_if(
        pods.active.begin(), pods.active.end(),
        [&](const Value& pod) { return kube::Label(pod, kRevisionLabel) == revision; });
    const auto replicas = static_cast<int64_t>(pods.active.size());
    Value status = set.status().Json();
    const edit::apps::StatefulSetStatus edit(status);
    edit.set_replicas(replicas).set_currentReplicas(updated);
    edit.set_readyReplicas(ready).set_availableReplicas(ready);
    edit.set_updatedReplicas(updated).set_updateRevision(revision);
    edit.set_observedGeneration(set.metadata().generation()).set_collisionCount(0);
    if (updated == replicas || !set.status().has_currentRevision()) {
      edit.set_currentRevision(revision);
    }
    return status;
  }

  kube::Client& client_;
  kube::Informer& sets_;
  OwnedPods pods_;
};

}  // namespace

void AddStatefulSetController(kube::Manager& manager) {
  kube::ControllerSpec spec{.name = "statefulset", .workers = 4};
  spec.For(api::kStatefulSets).Owns(api::kPods, "StatefulSet");
  manager.AddController(std::move(spec),
                        std::make_unique<StatefulSetController>(manager.runtime()));
}

}  // namespace coppice::services::workloads
