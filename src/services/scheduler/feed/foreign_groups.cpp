#include "services/scheduler/feed/foreign_groups.h"

#include <fmt/format.h>

#include "api/labels.h"
#include "api/view/core.h"
#include "api/view/grove.h"
#include "api/well_known.h"
#include "kube/object.h"
#include "services/common/names.h"
#include "services/common/served.h"
#include "services/scheduler/read/selectors.h"
#include "services/scheduler/read/shown_as.h"

namespace coppice::services::scheduler {
namespace {

constexpr std::string_view kGroveScheduler = "grove-scheduler";
constexpr std::string_view kDefaultScheduler = "default-scheduler";
constexpr const char* kByGang = "pod-gang";
// Holds the default scheduler's pods; unlimited, as that scheduler knows no queues. It also never
// evicts pods that exceed a share.
constexpr const char* kOpenQueue = "coppice.default-scheduler";

engine::QueueSpec OpenQueue() {
  engine::QueueSpec queue;
  queue.name = kOpenQueue;
  queue.cpu = queue.memory = queue.gpu = {-1, -1, 1};
  queue.reclaims = false;
  return queue;
}

std::optional<engine::TopologyConstraint> PackConstraint(
    view::grove::GangTopologyConstraint constraint, const std::string& topology) {
  const view::grove::PackConstraint pack = constraint.packConstraint();
  if (pack.required().empty() && pack.preferred().empty()) return std::nullopt;
  return engine::TopologyConstraint{topology, std::string(pack.required()),
                                    std::string(pack.preferred())};
}

std::string QueueOf(const json::Value& gang, const std::string& key) {
  if (const std::string_view label = kube::Label(gang, key); !label.empty())
    return std::string(label);
  const std::string_view annotation = kube::Annotation(gang, key);
  return std::string(annotation.empty() ? names::kDefaultQueue : annotation);
}

bool References(view::grove::PodGroup group, std::string_view pod) {
  for (const view::grove::NamespacedName reference : group.podReferences()) {
    if (reference.name() == pod) return true;
  }
  return false;
}

std::vector<std::string> GangIndex(const json::Value& pod) {
  const std::string_view gang = kube::Label(pod, api::labels::kPodGang);
  if (gang.empty()) return {};
  return {fmt::format("{}/{}", kube::Namespace(pod), gang)};
}

}  // namespace

std::string PodGangGroupName(std::string_view ns, std::string_view gang) {
  return fmt::format("podgang/{}/{}", ns, gang);
}

engine::PodGroupSpec ReadPodGang(const json::Value& object, const PriorityClasses& classes,
                                 const std::string& queue_label_key, std::string name) {
  const view::grove::PodGang gang(object);
  const view::grove::PodGangSpec spec = gang.spec();
  const std::string topology(gang.metadata().annotations()[api::labels::kTopologyName]);
  engine::PodGroupSpec out;
  out.name = std::move(name);
  out.namespace_name = gang.metadata().namespace_();
  out.uid = gang.metadata().uid();
  out.queue = QueueOf(object, queue_label_key);
  out.set = SetOf(object);
  out.shown_as = ShownAs("PodGang", gang.metadata().name());
  out.priority = classes.Resolve(std::string(spec.priorityClassName()));
  out.preemptible = out.priority < kNonPreemptiblePriority;
  out.creation = ReadTime(gang.metadata().creationTimestamp()).value_or(base::Time{});
  out.topology = PackConstraint(spec.topologyConstraint(), topology);
  std::map<std::string, std::string> parents;
  for (const auto config : spec.topologyConstraintGroupConfigs()) {
    if (config.podGroupNames().empty()) continue;
    out.sub_groups.push_back({std::string(config.name()), "", std::nullopt,
                              static_cast<int>(config.podGroupNames().size()),
                              PackConstraint(config.topologyConstraint(), topology)});
    for (const std::string_view member : config.podGroupNames()) {
      parents[std::string(member)] = config.name();
    }
  }
  for (const view::grove::PodGroup group : spec.podgroups()) {
    const std::string leaf(group.name());
    out.sub_groups.push_back({leaf, parents[leaf], static_cast<int>(group.minReplicas()),
                              std::nullopt, PackConstraint(group.topologyConstraint(), topology)});
  }
  return out;
}

ForeignGroups::ForeignGroups(kube::Runtime runtime, const Options& options, engine::Engine& engine,
                             Assumptions& assumptions)
    : runtime_(runtime),
      options_(options),
      engine_(engine),
      assumptions_(assumptions),
      workloads_(runtime, engine) {
  if (options_.take_default_scheduler) engine_.PutQueue(OpenQueue());
}

base::Status ForeignGroups::Watch(const std::function<void(const api::ObjectKey& pod)>& on_change) {
  pods_ = &runtime_.cache.InformerFor(api::kPods);
  COPPICE_ASSIGN(const bool gangs, IsServed(runtime_.client, api::kPodGangs));
  if (options_.take_grove_scheduler && gangs) {
    pods_->AddIndex(kByGang, GangIndex);
    gangs_ = &runtime_.cache.InformerFor(api::kPodGangs);
    gangs_->AddHandler([this, on_change](const kube::Change& change) {
      for (const json::Value& pod :
           pods_->ByIndex(kByGang, kube::KeyOf(change.object).ToString())) {
        on_change(kube::KeyOf(pod));
      }
    });
  }
  return options_.take_default_scheduler ? workloads_.Watch(on_change) : base::Status();
}

bool ForeignGroups::Takes(std::string_view scheduler_name) const {
  return (options_.take_grove_scheduler && scheduler_name == kGroveScheduler) ||
         BindsDirectly(scheduler_name);
}

bool ForeignGroups::BindsDirectly(std::string_view scheduler_name) const {
  return options_.take_default_scheduler &&
         (scheduler_name.empty() || scheduler_name == kDefaultScheduler);
}

std::optional<ForeignGroups::Membership> ForeignGroups::OfPodGang(const json::Value& pod,
                                                                  const PriorityClasses& classes) {
  const std::string name(kube::Label(pod, api::labels::kPodGang));
  const std::string ns(kube::Namespace(pod));
  if (!gangs_ || name.empty()) return std::nullopt;
  const auto gang = gangs_->Get({ns, name});
  if (!gang) return std::nullopt;
  Membership out{ReadPodGang(*gang, classes, options_.configuration.queue_label_key,
                             PodGangGroupName(ns, name)),
                 ""};
  for (const view::grove::PodGroup group : view::grove::PodGang(*gang).spec().podgroups()) {
    if (References(group, kube::Name(pod))) out.sub_group = group.name();
  }
  // The gang lists its pods shortly after they are made.
  if (out.sub_group.empty()) return std::nullopt;
  return out;
}

std::optional<ForeignGroups::Membership> ForeignGroups::OfDefaultPod(const json::Value& pod) {
  std::optional<Membership> out = workloads_.Of(pod);
  if (out) out->group.queue = kOpenQueue;
  return out;
}

bool ForeignGroups::Join(const json::Value& pod, const PriorityClasses& classes,
                         engine::PodSpec& spec) {
  const bool direct = BindsDirectly(view::core::Pod(pod).spec().schedulerName());
  std::optional<Membership> membership = direct ? OfDefaultPod(pod) : OfPodGang(pod, classes);
  const api::ObjectKey key = kube::KeyOf(pod);
  if (!membership) {
    Leave(key);
    return false;
  }
  const std::string& name = membership->group.name;
  if (const auto old = group_of_.find(key); old != group_of_.end() && old->second != name)
    Leave(key);
  assumptions_.Overlay(membership->group, options_.configuration.compatibility);
  engine_.PutPodGroup(membership->group);
  group_of_[key] = name;
  members_[name].insert(key);
  spec.pod_group = name;
  spec.sub_group = membership->sub_group;
  return true;
}

std::string ForeignGroups::GroupOf(const api::ObjectKey& pod) const {
  const auto found = group_of_.find(pod);
  return found == group_of_.end() ? "" : found->second;
}

void ForeignGroups::Leave(const api::ObjectKey& pod) {
  const auto found = group_of_.find(pod);
  if (found == group_of_.end()) return;
  const auto members = members_.find(found->second);
  members->second.erase(pod);
  if (members->second.empty()) {
    engine_.RemovePodGroup(pod.ns, found->second);
    assumptions_.ForgetGroup({pod.ns, found->second});
    members_.erase(members);
  }
  group_of_.erase(found);
}

}  // namespace coppice::services::scheduler
