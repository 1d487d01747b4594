#include "services/workloads/stateful_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "api/well_known.h"
#include "kube/apply.h"
#include "kube/object.h"
#include "services/workloads/owned_pods.h"
#include "services/workloads/template_hash.h"

namespace coppice::services::workloads {
namespace {

using json::Value;
using kube::Requeue;

constexpr std::string_view kRevisionLabel = "controller-revision-hash";

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
    const auto set = sets_.Get(key);
    if (!set) return pods_.Forget(key), Requeue::Done();
    const OwnedPods::View view = pods_.Look(*set);
    if (!kube::IsDeleting(*set)) COPPICE_TRY(Advance(*set, view));
    COPPICE_TRY(kube::PatchStatus(client_, api::kStatefulSets, *set, Status(*set, view)));
    return Requeue::Done();
  }

 private:
  static std::string RevisionOf(const Value& set) {
    return fmt::format("{}-{}", kube::Name(set), TemplateHash(set["spec"]["template"]));
  }

  base::Status Advance(const Value& set, const OwnedPods::View& view) {
    // Names are fixed, so nothing is created while an earlier pod of that name may still be there.
    if (view.pending_creates > 0) return {};
    std::map<int64_t, Value> by_ordinal;
    for (const Value& pod : view.active) by_ordinal[OrdinalOf(pod)] = pod;
    for (const Value& pod : view.finished) {
      COPPICE_TRY(pods_.Delete(set, pod));
    }
    const bool ordered = set["spec"]["podManagementPolicy"].AsString() != "Parallel";
    const int64_t wanted = set["spec"]["replicas"].AsInt(1);
    for (int64_t i = 0; i < wanted; ++i) {
      const auto pod = by_ordinal.find(i);
      if (pod == by_ordinal.end()) {
        if (view.terminating > 0 && ordered) return {};
        COPPICE_TRY(IgnoreExisting(Create(set, i)));
        if (ordered) return {};
      } else if (ordered && !IsReady(pod->second)) {
        return {};
      }
    }
    return Shrink(set, by_ordinal, wanted, ordered);
  }

  base::Status Shrink(const Value& set, const std::map<int64_t, Value>& by_ordinal, int64_t wanted,
                      bool ordered) {
    for (auto it = by_ordinal.rbegin(); it != by_ordinal.rend() && it->first >= wanted; ++it) {
      COPPICE_TRY(pods_.Delete(set, it->second));
      if (ordered) return {};
    }
    return Update(set, by_ordinal, wanted);
  }

  // One pod of an older template at a time, highest number first.
  base::Status Update(const Value& set, const std::map<int64_t, Value>& by_ordinal,
                      int64_t wanted) {
    const Value& strategy = set["spec"]["updateStrategy"];
    if (strategy["type"].AsString() == "OnDelete") return {};
    const std::string revision = RevisionOf(set);
    const int64_t partition = strategy["rollingUpdate"]["partition"].AsInt();
    for (auto it = by_ordinal.rbegin(); it != by_ordinal.rend() && it->first >= partition; ++it) {
      if (it->first >= wanted) continue;
      if (kube::Label(it->second, kRevisionLabel) == revision) {
        if (!IsReady(it->second)) return {};
        continue;
      }
      return pods_.Delete(set, it->second);
    }
    return {};
  }

  // A pod of this name that is still going away: its deletion wakes us again.
  static base::Status IgnoreExisting(base::Status status) {
    if (status.Is(base::ErrorCode::kAlreadyExists)) return {};
    return status;
  }

  base::Status Create(const Value& set, int64_t ordinal) {
    const std::string name = fmt::format("{}-{}", kube::Name(set), ordinal);
    COPPICE_TRY(CreateClaims(set, name));
    return pods_.Create(set, set["spec"]["template"], [&](Value& pod) {
      Value& metadata = pod.Mutable("metadata");
      metadata.Erase("generateName");
      metadata.Set("name", name);
      Value& labels = metadata.Mutable("labels");
      labels.Set("statefulset.kubernetes.io/pod-name", name);
      labels.Set("apps.kubernetes.io/pod-index", fmt::format("{}", ordinal));
      labels.Set(kRevisionLabel, RevisionOf(set));
      Value& spec = pod.Mutable("spec");
      spec.Set("hostname", name);
      if (set["spec"].Has("serviceName")) spec.Set("subdomain", set["spec"]["serviceName"]);
      for (const Value& claim : set["spec"]["volumeClaimTemplates"].Items()) {
        spec.Mutable("volumes").Append(Value::Object(
            {{"name", claim["metadata"]["name"]},
             {"persistentVolumeClaim", Value::Object({{"claimName", ClaimName(claim, name)}})}}));
      }
    });
  }

  static std::string ClaimName(const Value& claim, std::string_view pod) {
    return fmt::format("{}-{}", kube::Name(claim), pod);
  }

  base::Status CreateClaims(const Value& set, std::string_view pod) {
    for (const Value& claim : set["spec"]["volumeClaimTemplates"].Items()) {
      Value object = kube::NewObject(api::kPersistentVolumeClaims, kube::Namespace(set),
                                     ClaimName(claim, pod));
      object.Mutable("metadata").Set("labels", set["spec"]["selector"]["matchLabels"]);
      object.Set("spec", claim["spec"]);
      const auto created = client_.Create(api::kPersistentVolumeClaims, object);
      if (!created && !created.Is(base::ErrorCode::kAlreadyExists)) return created.error();
    }
    return {};
  }

  static Value Status(const Value& set, const OwnedPods::View& view) {
    const std::string revision = RevisionOf(set);
    const auto ready = std::count_if(view.active.begin(), view.active.end(), IsReady);
    const auto updated = std::count_if(
        view.active.begin(), view.active.end(),
        [&](const Value& pod) { return kube::Label(pod, kRevisionLabel) == revision; });
    const auto replicas = static_cast<int64_t>(view.active.size());
    Value status = set["status"];
    status.Set("replicas", replicas).Set("currentReplicas", updated);
    status.Set("readyReplicas", ready).Set("availableReplicas", ready);
    status.Set("updatedReplicas", updated).Set("updateRevision", revision);
    status.Set("observedGeneration", kube::Generation(set)).Set("collisionCount", 0);
    if (updated == replicas || !status.Has("currentRevision")) {
      status.Set("currentRevision", revision);
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
