#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "engine/engine.h"
#include "engine/input.h"
#include "json/value.h"
#include "kube/process/manager.h"
#include "services/scheduler/feed/assumptions.h"
#include "services/scheduler/feed/workload_groups.h"
#include "services/scheduler/options/options.h"
#include "services/scheduler/read/cluster.h"

namespace coppice::services::scheduler {

// Gangs of pods that have no KAI PodGroup: pods of grove-scheduler are grouped by their PodGang,
// pods of the default scheduler by their Workload or PodGroup, or stand alone. The engine sees a
// group of its own kind for each, which exists as long as it has pods.
class ForeignGroups {
 public:
  // All must outlive it.
  ForeignGroups(kube::Runtime runtime, const Options& options, engine::Engine& engine,
                Assumptions& assumptions);

  // Starts watching gangs and workloads. `on_change` gets the pods concerned.
  base::Status Watch(const std::function<void(const api::ObjectKey& pod)>& on_change);

  // Whether this scheduler takes pods of that name although they have no PodGroup.
  bool Takes(std::string_view scheduler_name) const;
  // Bound without a BindRequest, as the default scheduler does.
  bool BindsDirectly(std::string_view scheduler_name) const;

  // Puts the pod into its group, which is made or renewed. False when its gang is not there yet.
  bool Join(const json::Value& pod, const PriorityClasses& classes, engine::PodSpec& spec);
  void Leave(const api::ObjectKey& pod);

  // Members of a group that this class made, by the group's name; none when it did not.
  bool Owns(const std::string& group) const { return members_.contains(group); }

 private:
  using Membership = WorkloadGroups::Membership;

  std::optional<Membership> OfPodGang(const json::Value& pod, const PriorityClasses& classes);
  std::optional<Membership> OfDefaultPod(const json::Value& pod);

  kube::Runtime runtime_;
  const Options& options_;
  engine::Engine& engine_;
  Assumptions& assumptions_;  // These groups' times are nowhere else.
  WorkloadGroups workloads_;
  kube::Informer* gangs_ = nullptr;
  kube::Informer* pods_ = nullptr;
  std::map<api::ObjectKey, std::string> group_of_;
  std::map<std::string, std::set<api::ObjectKey>> members_;
};

// What the group of a PodGang that has no PodGroup is called in the engine.
std::string PodGangGroupName(std::string_view ns, std::string_view gang);

// A PodGang in the engine's form, under the given name.
engine::PodGroupSpec ReadPodGang(const json::Value& gang, const PriorityClasses& classes,
                                 const std::string& queue_label_key, std::string name);

}  // namespace coppice::services::scheduler
