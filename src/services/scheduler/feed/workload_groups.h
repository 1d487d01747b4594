#pragma once

#include <functional>
#include <optional>
#include <string>

#include "api/view/core.h"
#include "api/view/scheduling_v1alpha3.h"
#include "engine/engine.h"
#include "json/value.h"
#include "kube/process/manager.h"

namespace coppice::services::scheduler {

// Gangs of Kubernetes' own scheduling API: by a Workload and its pod group in 1.35, by a PodGroup,
// perhaps below CompositePodGroups, from 1.36 on. The pods are the default scheduler's.
class WorkloadGroups {
 public:
  WorkloadGroups(kube::Runtime runtime, engine::Engine& engine)
      : runtime_(runtime), engine_(engine) {}

  // Starts watching what the cluster serves. `on_change` gets the pods concerned.
  base::Status Watch(const std::function<void(const api::ObjectKey& pod)>& on_change);

  struct Membership {
    engine::PodGroupSpec group;  // `queue` is left to the caller.
    std::string sub_group;
  };
  // The gang of a pod. A pod without one is its own gang; nullopt if its gang does not exist yet.
  std::optional<Membership> Of(const json::Value& pod);

 private:
  std::optional<Membership> OfWorkload(view::core::Pod pod, Membership alone);
  std::optional<Membership> OfPodGroup(view::core::Pod pod, Membership alone);
  std::optional<Membership> OfComposite(view::scheduling_v1alpha3::PodGroup group,
                                        Membership alone);
  void AddChildren(const std::string& ns, const std::string& composite, const std::string& parent,
                   int depth, engine::PodGroupSpec& out);
  std::optional<engine::TopologyConstraint> Constraint(
      view::List<view::scheduling_v1alpha3::TopologyConstraint> constraints);

  kube::Runtime runtime_;
  engine::Engine& engine_;
  kube::Informer* workloads_ = nullptr;   // 1.35.
  kube::Informer* groups_ = nullptr;      // From 1.36 on.
  kube::Informer* composites_ = nullptr;  // 1.37, where enabled.
};

// Pods that a group needs: one where it has no gang policy. Groups of every version read alike.
int64_t MinCount(view::scheduling_v1alpha3::PodGroupSpec group);

// The engine's name for the gang of a single pod of the default scheduler.
std::string DefaultGroupName(const json::Value& pod);

// The PodGroup resource of Kubernetes' scheduling API that the cluster serves; nullopt before 1.36.
base::Result<std::optional<api::Resource>> ServedPodGroups(kube::Client& client);
// Index of pods by "namespace/name" of the PodGroup they name.
inline constexpr const char* kBySchedulingGroup = "scheduling-group";
std::vector<std::string> SchedulingGroupIndex(const json::Value& pod);

}  // namespace coppice::services::scheduler
