#include "services/workloads/replica_set.h"

#include <algorithm>

#include "api/well_known.h"
#include "kube/apply.h"
#include "kube/object.h"
#include "services/workloads/owned_pods.h"

namespace coppice::services::workloads {
namespace {

using json::Value;
using kube::Requeue;

class ReplicaSetController final : public kube::Reconciler {
 public:
  explicit ReplicaSetController(kube::Runtime runtime)
      : client_(runtime.client),
        sets_(runtime.cache.InformerFor(api::kReplicaSets)),
        pods_(runtime) {}

  base::Result<Requeue> Reconcile(const api::ObjectKey& key) override {
    const auto set = sets_.Get(key);
    if (!set) return pods_.Forget(key), Requeue::Done();
    const OwnedPods::View view = pods_.Look(*set);
    if (!kube::IsDeleting(*set)) COPPICE_TRY(Scale(*set, view));
    COPPICE_TRY(kube::PatchStatus(client_, api::kReplicaSets, *set, Status(*set, view)));
    return Requeue::Done();
  }

 private:
  base::Status Scale(const Value& set, const OwnedPods::View& view) {
    const int64_t wanted = set["spec"]["replicas"].AsInt(1);
    int64_t have = static_cast<int64_t>(view.active.size()) + view.pending_creates;
    for (; have < wanted; ++have) COPPICE_TRY(pods_.Create(set, set["spec"]["template"]));
    if (have <= wanted) return {};
    for (const Value& pod : Victims(view.active, static_cast<size_t>(have - wanted))) {
      COPPICE_TRY(pods_.Delete(set, pod));
    }
    return {};
  }

  // Unbound before bound, unready before ready, younger before older.
  static std::vector<Value> Victims(std::vector<Value> pods, size_t count) {
    std::reverse(pods.begin(), pods.end());
    const auto rank = [](const Value& pod) {
      return (pod["spec"]["nodeName"].AsString().empty() ? 0 : 2) + (IsReady(pod) ? 1 : 0);
    };
    std::stable_sort(pods.begin(), pods.end(),
                     [&](const Value& a, const Value& b) { return rank(a) < rank(b); });
    pods.resize(std::min(count, pods.size()));
    return pods;
  }

  static Value Status(const Value& set, const OwnedPods::View& view) {
    const auto ready = std::count_if(view.active.begin(), view.active.end(), IsReady);
    const auto replicas = static_cast<int64_t>(view.active.size());
    Value status = set["status"];
    status.Set("replicas", replicas).Set("fullyLabeledReplicas", replicas);
    status.Set("readyReplicas", ready).Set("availableReplicas", ready);
    status.Set("observedGeneration", kube::Generation(set));
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
