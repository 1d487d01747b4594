#include "cli/why/why_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/grove/pod_gang.h"
#include "api/kai/own_names.h"
#include "api/view/core.h"
#include "api/view/kai.h"
#include "api/view/meta.h"
#include "api/well_known.h"
#include "backends/model/labels.h"
#include "cli/common/list_or_none.h"
#include "cli/common/wait.h"
#include "cli/why/why_containers.h"
#include "cli/why/why_owner.h"
#include "cli/why/why_picture.h"
#include "cli/why/why_pods.h"
#include "cli/why/why_refusal.h"
#include "cli/why/why_said.h"
#include "engine/session/messages.h"
#include "kube/object.h"
#include "services/common/names.h"

namespace coppice::cli {
namespace {

using engine::Explanation;
using engine::Verdict;
using json::Value;

constexpr base::Duration kSyncLimit = std::chrono::seconds(60);

}  // namespace

class WhyReader::Impl {
 public:
  Impl(kube::Client& client, const base::Clock& clock, WhyEngine engine)
      : client_(client), clock_(clock), engine_(std::move(engine)) {}

  base::Result<Explanation> Explain(const WhyTarget& target) {
    COPPICE_ASSIGN(const std::vector<Value> all, ListOrNone(client_, api::kPods, target.group.ns));
    const std::vector<Value> pods = PodsOf(target, all);
    COPPICE_ASSIGN(Explanation out, Find(target, pods));
    AdviseResume(out);
    out.object = ShownAs(target);
    if (kube::Kind(target.owner) == "Deployment") AddRollout(target.owner, all, pods, out);
    const bool one_of_many = kube::Kind(target.owner) != "Job" && target.owner.IsObject();
    if (one_of_many && pods.size() == 1) {
      out.object += fmt::format(", pod {}", kube::Name(pods.front()));
    }
    if (!target.shown_as.empty()) {
      const size_t slash = target.shown_as.find('/');
      out.group = {target.shown_as.substr(0, slash), target.shown_as.substr(slash + 1)};
    }
    return out;
  }

 private:
  // A limit that `coppice queue hold` has set is lifted by resuming the queue.
  void AdviseResume(Explanation& out) {
    for (Explanation::Change& change : out.changes) {
      if (change.kind != "raiseLimit") continue;
      const auto queue = client_.Get(api::kQueues, {"", change.where});
      const bool held =
          queue && kube::Metadata(*queue).annotations().Has(services::names::kLimitsBeforeHold);
      if (!held) continue;
      out.reason = "QueueOnHold";
      out.summary = fmt::format("queue {} is on hold, and takes no new work", change.where);
      change = {"resume", change.where, 1, "Queue",
                fmt::format("resume the queue: coppice queue resume {}", change.where)};
    }
  }

  // The subject of explanations that do not come from the engine.
  static const Value& ObjectOf(const WhyTarget& target) {
    if (target.gang.IsObject()) return target.gang;
    if (target.pod_group.IsObject()) return target.pod_group;
    return target.pod.IsObject() ? target.pod : target.owner;
  }

  base::Result<Explanation> Find(const WhyTarget& target, const std::vector<Value>& pods) {
    const Value& object = ObjectOf(target);
    if (auto leaving = ExplainDeletion(client_, target.owner.IsObject() ? target.owner : object)) {
      return *std::move(leaving);
    }
    if (kube::Kind(target.owner) == "PodCliqueSet") {
      return ExplainSetWithoutGangs(target.owner, clock_.Now());
    }
    if (target.owner.IsObject()) {
      COPPICE_ASSIGN(auto owner, ExplainOwner(client_, target.owner, pods, clock_.Now()));
      if (owner) return *std::move(owner);
    }
    if (auto gates = ExplainGates(object, pods)) return Foreign(target, pods, *std::move(gates));
    if (target.gang.IsObject() &&
        kube::ConditionIs(target.gang, api::grove::kGangBackendSynced, "False")) {
      return WhatTheGangSays(target.gang);
    }
    COPPICE_ASSIGN(const std::optional<Explanation> said, engine_(target, RoomLeftUntil(pods)));
    if (!said) return FromObjects(target, pods);
    return Complete(target, pods, *said);
  }

  base::Result<Explanation> FromObjects(const WhyTarget& target, const std::vector<Value>& pods) {
    if (auto stuck = ExplainContainers(ObjectOf(target), pods)) return *std::move(stuck);
    if (target.gang.IsObject()) return FromGang(target.gang, pods);
    if (!target.pod_group.IsNull()) return WhatTheGroupSays(target.pod_group);
    if (!target.pod.IsNull()) return FromPod(target, pods);
    if (target.group.name.empty() && !pods.empty()) {  // Created after the owner was read.
      WhyTarget made = target;
      made.pod = pods.front();
      return FromPod(made, pods);
    }
    const auto group = client_.Get(api::kPodGroups, target.group);
    if (!group) return group.error();
    return WhatTheGroupSays(*group);
  }

  // If another scheduler has been silent for a long time, it may not be running at all.
  Explanation FromGang(const Value& gang, const std::vector<Value>& pods) {
    Explanation said = WhatTheGangSays(gang);
    const view::meta::Condition scheduled(kube::Condition(gang, "Scheduled"));
    if (said.verdict != Verdict::kWaits || !scheduled.message().empty()) return said;
    auto idle = ExplainIdleScheduler(gang, pods, clock_.Now());
    if (!idle) return said;
    idle->summary = said.summary;
    return *std::move(idle);
  }

  base::Result<Explanation> FromPod(const WhyTarget& target, const std::vector<Value>& pods) {
    const view::core::PodSpec spec = view::core::Pod(target.pod).spec();
    if (!spec.nodeName().empty()) return ExplainRunning(target.pod, pods);
    COPPICE_ASSIGN(Explanation said, WhatThePodSays(client_, target.pod));
    if (said.reason != "Unknown") return said;
    // No component has even grouped it.
    auto idle = ExplainIdleScheduler(target.pod, pods, clock_.Now());
    if (!idle) return said;
    if (spec.schedulerName() == services::names::kSchedulerName) return NoGrouper(target);
    idle->summary = said.summary;
    return *std::move(idle);
  }

  static Explanation NoGrouper(const WhyTarget& target) {
    Explanation out =
        ExplanationOf(target.pod, Verdict::kNeedsAction, "PodGrouperNotRunning",
                      "no PodGroup was made for it, without which its scheduler does not see it");
    out.changes.push_back({"start", "pod-grouper", 1, "",
                           "start the pod-grouper, or see in its log why it makes no PodGroup"});
    return out;
  }

  // The engine only knows about nodes and queues; pods show the rest.
  base::Result<Explanation> Complete(const WhyTarget& target, const std::vector<Value>& pods,
                                     const Explanation& said) {
    const Value& object = ObjectOf(target);
    if (said.reason == "NotReady") return Incomplete(target, pods, said);
    if (said.reason == engine::kRoomLeftToGang) return RoomLeft(target, pods, said);
    if (said.verdict == Verdict::kPlaceable) {
      // Another scheduler's own message about its pods takes precedence.
      const view::core::PodCondition scheduled(kube::Condition(target.pod, "PodScheduled"));
      const bool own = scheduled.message().empty() || target.shown_as.empty();
      if (!own) return WhatThePodSays(client_, target.pod);
      auto idle = ExplainIdleScheduler(object, pods, clock_.Now());
      return idle ? *std::move(idle) : said;
    }
    if (said.verdict != Verdict::kRuns) return Lasting(target, said);
    COPPICE_ASSIGN(auto binding, ExplainBinding(client_, object, pods));
    if (binding) return *std::move(binding);
    if (auto stuck = ExplainContainers(object, pods)) return *std::move(stuck);
    return pods.empty() ? said : ExplainRunning(object, pods);
  }

  // Pods of a Job end and free capacity for the rest of it; those of services stay.
  static Explanation Lasting(const WhyTarget& target, Explanation said) {
    const std::string_view kind =
        target.owner.IsObject() ? kube::Kind(target.owner)
                                : kube::Metadata(target.pod_group).ownerReferences().At(0).kind();
    const bool lasts = target.gang.IsObject() || kind == "Deployment" || kind == "ReplicaSet" ||
                       kind == "StatefulSet";
    const bool stays = std::any_of(
        said.changes.begin(), said.changes.end(), [](const Explanation::Change& change) {
          return change.kind.starts_with("add") || change.kind == "dropRule";
        });
    if (lasts && stays) said.verdict = std::max(said.verdict, Verdict::kNeedsAction);
    return said;
  }

  // A scheduler that leaves capacity to a gang reports it immediately.
  Explanation RoomLeft(const WhyTarget& target, const std::vector<Value>& pods,
                       const Explanation& said) {
    if (RoomLeftUntil(pods)) return said;
    auto idle = ExplainIdleScheduler(ObjectOf(target), pods, clock_.Now());
    return idle ? *std::move(idle) : said;
  }

  // Pods are missing or gated: who should create or release them?
  base::Result<Explanation> Incomplete(const WhyTarget& target, const std::vector<Value>& pods,
                                       Explanation said) {
    if (std::any_of(pods.begin(), pods.end(), IsGated)) return Gated(target, pods, said);
    if (!pods.empty() && std::all_of(pods.begin(), pods.end(), HasEnded)) {
      return ExplainRunning(ObjectOf(target), pods);
    }
    const bool owned = !kube::Metadata(target.pod_group).ownerReferences().empty();
    if (target.gang.IsNull() && !owned) {
      said.verdict = Verdict::kNeedsAction;
      const int64_t needed = view::kai::PodGroup(target.pod_group).spec().minMember(1);
      const auto alive = std::count_if(pods.begin(), pods.end(), [](const Value& pod) {
        return !HasEnded(pod) && !kube::IsDeleting(pod);
      });
      const int64_t more = std::max<int64_t>(needed - alive, 1);
      said.changes.push_back(
          {"createPods", target.group.name, static_cast<double>(more), "Pod",
           fmt::format("create {} of the group",
                       more == 1 ? "1 more pod" : fmt::format("{} more pods", more))});
    }
    return said;
  }

  // The backend removes gates once the gang is synced, and those of a scaled gang once its base
  // gang is scheduled.
  base::Result<Explanation> Gated(const WhyTarget& target, const std::vector<Value>& pods,
                                  const Explanation& said) {
    for (const Value& pod : pods) {
      const std::string base(kube::Label(pod, backends::labels::kBaseGang));
      if (!base.empty() && base != kube::Name(target.gang)) return Behind(target, base);
    }
    if (target.gang.IsNull()) return said;
    if (!kube::ConditionIs(target.gang, api::grove::kGangBackendSynced, "True")) {
      return WhatTheGangSays(target.gang);
    }
    COPPICE_ASSIGN(auto quota, WhatKueueSays(client_, target.gang, pods));
    if (quota) return *std::move(quota);
    Explanation out = said;
    out.reason = "SchedulingGated";
    return out;
  }

  // Kueue has gates of its own, which nobody else should remove.
  base::Result<Explanation> Foreign(const WhyTarget& target, const std::vector<Value>& pods,
                                    Explanation gates) {
    if (!target.gang.IsObject()) return gates;
    COPPICE_ASSIGN(auto quota, WhatKueueSays(client_, target.gang, pods));
    return quota ? *std::move(quota) : std::move(gates);
  }

  base::Result<Explanation> Behind(const WhyTarget& target, const std::string& base) {
    Explanation out = ExplanationOf(target.gang, Verdict::kWaits, "WaitingForBaseGang",
                                    fmt::format("it starts once base gang {} is scheduled", base));
    COPPICE_ASSIGN(const auto groups, FindGroups(client_, target.group.ns, "gang/" + base));
    for (const WhyTarget& group : groups) {
      COPPICE_ASSIGN(const Explanation first, Explain(group));
      if (first.verdict <= Verdict::kPlaceable) continue;
      out.verdict = first.verdict;
      out.summary += fmt::format(", which waits: {}", first.summary);
      out.changes = first.changes;
      break;
    }
    return out;
  }

  kube::Client& client_;
  const base::Clock& clock_;
  const WhyEngine engine_;
};

namespace {

WhyEngine EngineOf(kube::Client& client, kube::Executor& executor, WhyWait wait) {
  if (!wait) {
    wait = [&executor](const std::function<bool()>& done) {
      return WaitUntil(executor, kSyncLimit, done);
    };
  }
  auto pictures = std::make_shared<Pictures>(client, executor, std::move(wait));
  return [pictures](const WhyTarget& target, std::optional<base::Time> room_left_until) {
    return pictures->Explain(target, room_left_until);
  };
}

}  // namespace

WhyReader::WhyReader(kube::Client& client, kube::Executor& executor, const WhyWait& wait)
    : WhyReader(client, executor.clock(), EngineOf(client, executor, wait)) {}

WhyReader::WhyReader(kube::Client& client, const base::Clock& clock, WhyEngine engine)
    : impl_(std::make_unique<Impl>(client, clock, std::move(engine))) {}

WhyReader::~WhyReader() = default;

base::Result<Explanation> WhyReader::Explain(const WhyTarget& target) {
  return impl_->Explain(target);
}

}  // namespace coppice::cli
