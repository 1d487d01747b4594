#include "services/workloads/replica_set.h"

#include <algorithm>

#include "api/edit/apps.h"
#include "api/view/apps.h"
#include "api/well_known.h"
#include "kube/cache/apply.h"
#include "kube/object.h"
#include "services/workloads/owned_pods.h"

namespace coppice::services::workloads {
namespace {

using json::Value;
using kube::Requeue;
using view::apps::ReplicaSet;

class ReplicaSetController final : public kube::Reconciler {
 public:
  explicit ReplicaSetController(kube::Runtime runtime)
      : client_(runtime.client),
        sets_(runtime.cache.InformerFor(api::kReplicaSets)),
        pods_(runtime) {}

  base::Result<Requeue> Reconcile(const api::ObjectKey& key) override {
    const auto set = sets_.Get(key);
    if (!set) return Requeue::Done();
    const OwnedPods::Snapshot pods = pods_.Look(*set);
    if (!kube::IsDeleting(*set)) COPPICE_TRY(Scale(ReplicaSet(*set), pods));
    COPPICE_TRY(
        kube::PatchStatus(client_, api::kReplicaSets, *set, Status(ReplicaSet(*set), pods)));
    return Requeue::Done();
  }

 private:
  base::Status Scale(ReplicaSet set, const OwnedPods::Snapshot& pods) {
    const int64_t wanted = set.spec().replicas(1);
    int64_t have = static_cast<int64_t>(pods.active.size());
    for (; have < wanted; ++have) COPPICE_TRY(pods_.Create(set.Json(), set.spec().template_()));
    if (have <= wanted) return {};
    for (const Value& pod : Victims(pods.active, static_cast<size_t>(have - wanted))) {
      COPPICE_TRY(pods_.Delete(pod));
    }
    return {};
  }

  // Unbound before bound, unready before ready, younger before older.
  static std::vector<Value> Victims(std::vector<Value> pods, size_t count) {
    std::reverse(pods.begin(), pods.end());
    const auto rank = [](const Value& pod) {
      return (view::core::Pod(pod).spec().nodeName().empty() ? 0 : 2) + (IsReady(pod) ? 1 : 0);
    };
    std::stable_sort(pods.begin(), pods.end(),
                     [&](const Value& a, const Value& b) { return rank(a) < rank(b); });
    pods.resize(std::min(count, pods.size()));
    return pods;
  }

  static Value Status(ReplicaSet set, const OwnedPods::Snapshot& pods) {
    const auto ready = std::count_if(pods.active.begin(), pods.active.end(), IsReady);
    const auto replicas = static_cast<int64_t>(pods.active.size());
    Value status = set.status().Json();
    edit::apps::ReplicaSetStatus(status)
        .set_replicas(replicas)
        .set_fullyLabeledReplicas(replicas)
        .set_readyReplicas(ready)
        .set_availableReplicas(ready)
        .set_observedGeneration(set.metadata().generation());
    return status;
  }

  kube::Client& client_;
  kube::Informer& sets_;
  OwnedPods pods_;
};

}  // namespace

void AddReplicaSetController(kube::Manager& manager) {
  kube::ControllerSpec spec{.name = "replicaset", .workers = 4};
  spec.For(api::kReplicaSets).Owns(api::kPods, "ReplicaSet");
  manager.AddController(std::move(spec), std::make_unique<ReplicaSetController>(manager.runtime()));
}

}  // namespace coppice::services::workloads
