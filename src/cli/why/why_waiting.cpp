#include "cli/why/why_waiting.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "api/labels.h"
#include "api/selectors/label_selector.h"
#include "api/view/apps.h"
#include "api/view/batch.h"
#include "api/view/core.h"
#include "api/view/grove.h"
#include "api/view/kai.h"
#include "api/well_known.h"
#include "cli/common/list_or_none.h"
#include "cli/common/resource_words.h"
#include "cli/common/workload.h"
#include "cli/why/why_pods.h"
#include "kube/object.h"
#include "services/common/names.h"
#include "services/scheduler/read/shown_as.h"

namespace coppice::cli {
namespace {

using json::Value;
using Waiting = std::vector<WaitingTarget>;
using Objects = std::vector<Value>;

// Placed and Ready, or at its end.
bool IsFine(const Value& pod) {
  return HasEnded(pod) || kube::IsDeleting(pod) || kube::ConditionIs(pod, "Ready", "True");
}

// Whether a Job, Deployment or StatefulSet has fewer pods than it wants.
bool LacksPods(const Value& owner) {
  if (kube::Kind(owner) != "Job") {
    // StatefulSets and ReplicaSets have both in the same places.
    const view::apps::Deployment deployment(owner);
    return deployment.status().replicas() < deployment.spec().replicas(1);
  }
  const view::batch::Job job(owner);
  const bool done =
      kube::ConditionIs(owner, "Complete", "True") || kube::ConditionIs(owner, "Failed", "True");
  int64_t wanted = job.spec().parallelism(1);
  if (job.spec().has_completions()) {
    wanted = std::min(wanted, job.spec().completions(1) - job.status().succeeded());
  }
  return !done && job.status().active() < wanted;
}

std::string QueueOf(const WhyTarget& target, const Objects& pods) {
  const std::string_view queue = view::kai::PodGroup(target.pod_group).spec().queue();
  if (!queue.empty()) return std::string(queue);
  const Value& labelled = target.gang.IsObject() ? target.gang : target.pod;
  const std::string_view label = kube::Label(labelled, services::names::kQueueLabel);
  if (!label.empty() || pods.empty()) return std::string(label);
  return std::string(kube::Label(pods.front(), services::names::kQueueLabel));
}

class WaitingFinder {
 public:
  WaitingFinder(kube::Client& client, std::string ns, api::LabelSelector selector)
      : client_(client), ns_(std::move(ns)), selector_(std::move(selector)) {}

  base::Result<Waiting> Find() {
    COPPICE_ASSIGN(pods_, ListOrNone(client_, api::kPods, ns_));
    IndexPods();
    COPPICE_TRY(AddOwners());
    COPPICE_TRY(AddSets());
    COPPICE_TRY(AddGangs());
    COPPICE_TRY(AddGroups());
    COPPICE_TRY(AddPods());
    return std::move(found_);
  }

 private:
  using Key = std::pair<std::string, std::string>;  // Namespace and name.

  void IndexPods() {
    for (const Value& pod : pods_) {
      const std::string ns(kube::Namespace(pod));
      const std::string_view gang = kube::Label(pod, api::labels::kPodGang);
      const std::string_view group = kube::Annotation(pod, services::names::kPodGroupAnnotation);
      if (!gang.empty()) by_gang_[{ns, std::string(gang)}].push_back(pod);
      if (!group.empty()) by_group_[{ns, std::string(group)}].push_back(pod);
    }
  }

  // Users who may not read Jobs and the like still see groups and pods.
  base::Status AddOwners() {
    for (const api::Resource& resource : {api::kJobs, api::kDeployments, api::kStatefulSets}) {
      const auto owners = ListOrNone(client_, resource, ns_);
      if (owners.Is(base::ErrorCode::kForbidden)) continue;
      if (!owners) return owners.error();
      for (const Value& owner : *owners) {
        if (LacksPods(owner)) COPPICE_TRY(Add(owner, {}));
      }
    }
    return {};
  }

  base::Status AddSets() {
    COPPICE_ASSIGN(gangs_, ListOrNone(client_, api::kPodGangs, ns_));
    std::set<std::string, std::less<>> with_gangs;
    for (const Value& gang : gangs_) {
      for (const auto owner : kube::Metadata(gang).ownerReferences()) {
        with_gangs.emplace(owner.uid());
      }
    }
    COPPICE_ASSIGN(const Objects sets, ListOrNone(client_, api::kPodCliqueSets, ns_));
    for (const Value& set : sets) {
      const bool empty = view::grove::PodCliqueSet(set).spec().replicas(1) == 0;
      if (!empty && !with_gangs.contains(kube::Uid(set))) COPPICE_TRY(Add(set, {}));
    }
    return {};
  }

  base::Status AddGangs() {
    for (const Value& gang : gangs_) {
      const Objects& pods = by_gang_[KeyOfObject(gang)];
      const bool waits = pods.empty() || !std::all_of(pods.begin(), pods.end(), IsFine);
      if (waits) COPPICE_TRY(Add(gang, pods));
    }
    return {};
  }

  // Those of gangs are found already. A group without pods waits for whoever creates them, unless
  // its owner does.
  base::Status AddGroups() {
    COPPICE_ASSIGN(const Objects groups, ListOrNone(client_, api::kPodGroups, ns_));
    for (const Value& group : groups) {
      const auto owners = kube::Metadata(group).ownerReferences();
      if (owners.At(0).kind() == "PodGang") continue;
      const Objects& pods = by_group_[KeyOfObject(group)];
      if (owners.At(0).kind() == "Pod" && IsCounted(pods)) continue;
      const bool orphan = pods.empty() && owners.empty();
      if (orphan || !std::all_of(pods.begin(), pods.end(), IsFine)) COPPICE_TRY(Add(group, pods));
    }
    return {};
  }

  // Pods of a Deployment have a group each; the first one that waits stands for all of them.
  bool IsCounted(const Objects& pods) {
    if (pods.size() != 1 || IsFine(pods.front())) return false;
    const Workload workload = WorkloadOf(pods.front());
    const auto key = std::make_pair(std::string(kube::Namespace(pods.front())), workload);
    const auto [first, added] = first_of_.try_emplace(key, found_.size());
    if (!added && first->second < found_.size()) ++found_[first->second].pods;
    return !added;
  }

  // Pods without a group, those of one template once.
  base::Status AddPods() {
    std::map<std::string, Objects> by_template;
    for (const Value& pod : pods_) {
      const bool grouped = !kube::Label(pod, api::labels::kPodGang).empty() ||
                           !kube::Annotation(pod, services::names::kPodGroupAnnotation).empty();
      if (grouped || IsFine(pod)) continue;
      const auto owner = kube::Metadata(pod).ownerReferences().At(0);
      by_template[std::string(owner ? owner.uid() : kube::Uid(pod))].push_back(pod);
    }
    for (const auto& [uid, pods] : by_template) COPPICE_TRY(Add(pods.front(), pods));
    return {};
  }

  static Key KeyOfObject(const Value& object) {
    return {std::string(kube::Namespace(object)), std::string(kube::Name(object))};
  }

  base::Status Add(const Value& object, const Objects& pods) {
    if (!IsMeant(object, pods)) return {};
    COPPICE_ASSIGN(std::vector<WhyTarget> targets, GroupsOfObject(client_, object));
    for (WhyTarget& target : targets) {
      target.group.ns = kube::Namespace(object);
      const std::string id =
          target.group.name.empty() ? std::string(kube::Uid(object)) : target.group.ToString();
      if (!known_.insert(id).second) continue;
      found_.push_back(Describe(std::move(target), object, pods));
    }
    return {};
  }

  bool IsMeant(const Value& object, const Objects& pods) const {
    return selector_.MatchesObject(object) ||
           std::any_of(pods.begin(), pods.end(),
                       [this](const Value& pod) { return selector_.MatchesObject(pod); });
  }

  WaitingTarget Describe(WhyTarget target, const Value& object, const Objects& pods) const {
    WaitingTarget out;
    out.since = kube::Metadata(object).creationTimestamp();
    const Objects own = pods.empty() ? OwnPods(target) : pods;
    std::string oldest;
    for (const Value& pod : own) {
      if (IsFine(pod)) continue;
      ++out.pods;
      const std::string_view created = kube::Metadata(pod).creationTimestamp();
      if (oldest.empty() || created < oldest) oldest = created;
    }
    if (!oldest.empty()) out.since = oldest;
    out.queue = QueueOf(target, own);
    out.name = NameFor(target, object, own);
    out.target = std::move(target);
    return out;
  }

  Objects OwnPods(const WhyTarget& target) const {
    Objects own = PodsOf(target, pods_);
    std::erase_if(own, [&](const Value& pod) { return kube::Namespace(pod) != target.group.ns; });
    return own;
  }

  // A PodGroup has a generated name; users know its owner.
  static std::string NameFor(const WhyTarget& target, const Value& object, const Objects& own) {
    if (target.gang.IsObject()) return ResourceName(api::kPodGangs, kube::Name(target.gang));
    const bool one_pod = kube::Metadata(target.pod_group).ownerReferences().At(0).kind() == "Pod";
    const bool by_pods = target.owner.IsNull() && (one_pod || target.pod_group.IsNull());
    if (by_pods && !own.empty()) {
      const Workload workload = WorkloadOf(own.front());
      return services::scheduler::ShownAs(workload.kind, workload.name);
    }
    const std::string shown = ShownAs(target);
    if (!shown.empty()) return shown;
    return fmt::format("{}/{}", kube::Kind(object), kube::Name(object));
  }

  kube::Client& client_;
  const std::string ns_;
  const api::LabelSelector selector_;
  Objects pods_, gangs_;
  std::map<Key, Objects> by_gang_, by_group_;
  std::set<std::string> known_;
  // Where the entry of a workload with a group per pod is in found_.
  std::map<std::pair<std::string, Workload>, size_t> first_of_;
  Waiting found_;
};

}  // namespace

base::Result<Waiting> FindWaiting(kube::Client& client, const std::string& ns,
                                  const std::string& selector) {
  auto parsed = api::LabelSelector::Parse(selector);
  if (!parsed) return parsed.error().During(fmt::format("-l {}", selector));
  return WaitingFinder(client, ns, *std::move(parsed)).Find();
}

base::Result<std::vector<api::ObjectKey>> FindFailingSets(kube::Client& client,
                                                          const std::string& ns,
                                                          const std::string& selector) {
  COPPICE_ASSIGN(const api::LabelSelector meant, api::LabelSelector::Parse(selector));
  std::set<api::ObjectKey> failing;
  for (const api::Resource& resource :
       {api::kPodCliqueSets, api::kPodCliqueScalingGroups, api::kPodCliques}) {
    COPPICE_ASSIGN(const Objects objects, ListOrNone(client, resource, ns));
    for (const Value& object : objects) {
      // All three have lastErrors in the same place.
      const bool fails = !view::grove::PodCliqueSet(object).status().lastErrors().empty();
      if (!fails || !meant.MatchesObject(object)) continue;
      const std::string_view set = resource == api::kPodCliqueSets
                                       ? kube::Name(object)
                                       : kube::Label(object, api::labels::kPartOf);
      failing.insert({std::string(kube::Namespace(object)), std::string(set)});
    }
  }
  return std::vector<api::ObjectKey>(failing.begin(), failing.end());
}

}  // namespace coppice::cli
