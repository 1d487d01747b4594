#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "engine/engine.h"
#include "engine/model/input.h"
#include "json/value.h"
#include "kube/process/manager.h"
#include "services/scheduler/feed/assumptions.h"
#include "services/scheduler/feed/workload_groups.h"
#include "services/scheduler/options/options.h"
#include "services/scheduler/read/cluster.h"

namespace coppice::services::scheduler {

// Gangs of pods that have no KAI PodGroup: pods of grove-scheduler are grouped by their PodGang,
// pods of the default scheduler by their Workload or PodGroup, or individually. The engine gets a
// synthetic group for each, which exists as long as it has pods.
class ForeignGroups {
 public:
  // All must outlive it.
  ForeignGroups(kube::Runtime runtime, const Options& options, engine::Engine& engine,
                Assumptions& assumptions);

  // Starts watching gangs and workloads. `on_change` gets the pods concerned.
  base::Status Watch(const std::function<void(const api::ObjectKey& pod)>& on_change);

  // Whether this scheduler handles pods with that schedulerName although they have no PodGroup.
  bool Takes(std::string_view scheduler_name) const;
  // Bound without a BindRequest, as the default scheduler does.
  bool BindsDirectly(std::string_view scheduler_name) const;

  // Adds the pod to its group, which is created or updated. False if its gang does not exist yet.
  bool Join(const json::Value& pod, const PriorityClasses& classes, engine::PodSpec& spec);
  void Leave(const api::ObjectKey& pod);

  // The group that this class made for a pod; "" if it is in none.
  std::string GroupOf(const api::ObjectKey& pod) const;
  // Members of a group that this class made, by the group's name; none when it did not.
  bool Owns(const std::string& group) const { return members_.contains(group); }

 private:
  using Membership = WorkloadGroups::Membership;

  std::optional<Membership> OfPodGang(const json::Value& pod, const PriorityClasses& classes);
  std::optional<Membership> OfDefaultPod(const json::Value& pod);

  kube::Runtime runtime_;
  const Options& options_;
  engine::Engine& engine_;
  Assumptions& assumptions_;  // The only record of these groups' timestamps.
  WorkloadGroups workloads_;
  kube::Informer* gangs_ = nullptr;
  kube::Informer* pods_ = nullptr;
  std::map<api::ObjectKey, std::string> group_of_;
  std::map<std::string, std::set<api::ObjectKey>> members_;
};

// The engine's name for the group of a PodGang without a PodGroup.
std::string PodGangGroupName(std::string_view ns, std::string_view gang);

// A PodGang in the engine's form, under the given name.
engine::PodGroupSpec ReadPodGang(const json::Value& gang, const PriorityClasses& classes,
                                 const std::string& queue_label_key, std::string name);

}  // namespace coppice::services::scheduler
