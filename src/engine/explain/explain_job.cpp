#include "engine/explain/explain_job.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/cycle/cycle_plugins.h"
#include "engine/devices/device_demand.h"
#include "engine/explain/amount_text.h"
#include "engine/explain/evidence.h"
#include "engine/explain/explain_queues.h"
#include "engine/explain/explain_room.h"
#include "engine/explain/missing_queue.h"
#include "engine/explain/missing_topology.h"
#include "engine/explain/trial.h"
#include "engine/order/surplus_hold.h"
#include "engine/session/messages.h"

namespace coppice::engine {
namespace {

double Gpus(double thousandths) { return thousandths / kGpuUnit; }

class Explainer {
 public:
  Explainer(Session& session, Allocator& allocator, JobId id)
      : session_(session), cluster_(session.cluster), allocator_(allocator), gang_(cluster_, id) {
    out_.group = session.KeyOf(id);
  }

  // The next cycle must not see errors that trials recorded on pods.
  ~Explainer() { ForgetErrors(); }

  Explanation Run() {
    if (!gang_.HasPending()) return SayNothingPending();
    if (ExplainMissingQueue(session_, gang_, out_)) return out_;
    if (!gang_.Ready()) return SayIncomplete();
    if (cluster_.node_order().empty()) return SayNoNodes();
    Trial trial(session_, allocator_, gang_);
    Measure(trial);
    if (SayRoomLeft(trial)) return out_;
    JobErrors errors;
    if (trial.Runs({}, &errors)) return SayPlaceable(trial);
    out_.message = errors.Text(cluster_.names());
    if (SayPrerequisites(trial)) return out_;
    if (ExplainMissingTopology(session_, gang_, out_)) return out_;
    CountNodes(trial);
    RaisedQueues queues(session_, gang_, trial.tasks());
    out_.changes = queues.Changes();
    if (!out_.changes.empty() && trial.Runs()) {
      queues.Explain(out_);
      out_.alternative = queues.Alternative();
      Prefix(trial);
      return out_;
    }
    ExplainRoom(trial, out_);
    if (!out_.alternative.empty()) {
      const auto raised = queues.Changes();
      out_.alternative.insert(out_.alternative.begin(), raised.begin(), raised.end());
    }
    if (queues.any() && out_.verdict != Verdict::kNever) queues.Explain(out_);
    Prefix(trial);
    return out_;
  }

 private:
  void ForgetErrors() {
    for (TaskId task : gang_.job().tasks) {
      cluster_.ForgetErrors(task);
    }
  }

  Explanation Say(Verdict verdict, std::string reason, std::string summary) {
    out_.verdict = verdict;
    out_.reason = std::move(reason);
    out_.summary = std::move(summary);
    if (out_.message.empty()) out_.message = out_.summary;
    return out_;
  }

  // Says how many of the pods already run.
  void Prefix(const Trial& trial) {
    if (!trial.surplus()) return;
    const int running = gang_.TotalActive();
    if (running == 0) return;
    out_.summary = fmt::format("{} of {} run; {}", running,
                               CountText(running + static_cast<int>(trial.tasks().size()), "pod"),
                               out_.summary);
  }

  int Count(TaskStatus status) const {
    int count = 0;
    for (int i = 0; i < static_cast<int>(gang_.job().pod_sets.size()); ++i) {
      count += gang_.Counts(i).Of(status);
    }
    return count;
  }

  Explanation SayNothingPending() {
    const Job& job = gang_.job();
    if (!job.unknown.empty()) return SayUnknownSubGroup();
    const int gated = Count(TaskStatus::kGated), active = gang_.TotalActive();
    if (gated > 0) return SayIncomplete();
    // Some of its pods were lost, or are being deleted on a node that is down.
    if (!gang_.Ready() && Count(TaskStatus::kSucceeded) == 0) return SayIncomplete();
    return Say(Verdict::kRuns, "Scheduled",
               active == 0 ? "nothing waits" : CountText(active, "pod") + " placed, nothing waits");
  }

  Explanation SayUnknownSubGroup() {
    const Job& job = gang_.job();
    std::vector<std::string> known;
    for (const PodSet& set : job.pod_sets) known.emplace_back(cluster_.Text(set.name));
    const std::string wrong(cluster_.Text(cluster_.tasks()[job.unknown.front()].sub_group));
    out_.changes.push_back({"create", wrong, 1, "SubGroup",
                            fmt::format("add sub-group `{}` to the PodGroup, or label the pods "
                                        "with one that it has ({})",
                                        wrong, NameSome(known))});
    return Say(Verdict::kNeedsAction, "UnknownSubGroup",
               fmt::format("{} of sub-group `{}`, which the group does not have",
                           CountText(static_cast<int64_t>(job.unknown.size()), "pod"), wrong));
  }

  Explanation SayNoNodes() {
    out_.changes.push_back({"addNode", "", 1, "Node", "add a node with room for it"});
    return Say(Verdict::kNeedsAction, "NoNodes", "there are no nodes");
  }

  Explanation SayIncomplete() {
    int needed = 0, alive = 0;
    for (int i = 0; i < static_cast<int>(gang_.job().pod_sets.size()); ++i) {
      needed += gang_.Min(i);
      alive += gang_.Counts(i).Alive();
    }
    const int gated = Count(TaskStatus::kGated);
    std::string summary = fmt::format("{} of {} that must start together exist", alive,
                                      CountText(std::max(needed, alive), "pod"));
    if (gated > 0) summary += fmt::format(", {} of them with scheduling gates", gated);
    out_.message = NotReadyText(cluster_, gang_);
    return Say(Verdict::kWaits, "NotReady", std::move(summary));
  }

  Explanation SayPlaceable(Trial& trial) {
    const std::vector<std::string> leaving = LeavingFrom(trial.WaitsOn());
    if (!leaving.empty()) {
      return Say(
          Verdict::kWaits, "Releasing",
          fmt::format("it starts once {} {} gone, which {} being stopped", NameSome(leaving),
                      leaving.size() == 1 ? "is" : "are", leaving.size() == 1 ? "is" : "are"));
    }
    return Say(Verdict::kPlaceable, "Scheduled", "the next scheduling cycle places it");
  }

  std::vector<std::string> LeavingFrom(const std::vector<NodeId>& nodes) const {
    std::vector<std::string> pods;
    for (NodeId node : nodes) {
      for (TaskId id = cluster_.tasks().FirstOn(node); id != kNone;
           id = cluster_.tasks()[id].next_on_node) {
        const Task& task = cluster_.tasks()[id];
        if (task.status != TaskStatus::kReleasing || cluster_.ClassOf(task).utility) continue;
        pods.push_back(PodName(cluster_, id, gang_.job().namespace_name));
      }
    }
    std::sort(pods.begin(), pods.end());
    return pods;
  }

  // Surplus pods could be placed, but leave the capacity to a gang of their set for a while.
  bool SayRoomLeft(Trial& trial) {
    const auto hold = trial.surplus() ? SurplusHold(session_).Find(gang_) : std::nullopt;
    if (!hold) return false;
    const bool room = trial.StepRuns();
    ForgetErrors();
    if (!room) return false;
    const std::string until = base::FormatRfc3339(hold->until);
    const FitError said = SurplusHeldError(hold->waiting, hold->until);
    out_.message = fmt::format("{}: {}", said.reason, said.message);
    out_.changes.push_back(
        {"wait", hold->waiting, 0, "",
         fmt::format("wait until {}, when room is no longer left to {}", until, hold->waiting)});
    Say(Verdict::kWaits, kRoomLeftToGang,
        fmt::format("there is room, which is left to {} of the same set until it runs, at most "
                    "until {}",
                    hold->waiting, until));
    Prefix(trial);
    return true;
  }

  // What a pod needs on any node and does not have: a claim, a volume, a ConfigMap. Does not cover
  // pods that are larger than any node.
  bool SayPrerequisites(const Trial& trial) {
    for (TaskId id : trial.tasks()) {
      const Task& task = cluster_.tasks()[id];
      if (!task.extras || !task.extras->errors) continue;
      const TaskErrors& errors = *task.extras->errors;
      const bool too_large = errors.base.find("MaxNodePoolResources") != std::string::npos;
      if (errors.base.empty() || !errors.reasons.empty() || too_large) continue;
      out_.changes.clear();
      ForEach<Point::kExplain>(session_,
                               [&](const auto& plugin) { plugin.Missing(id, out_.changes); });
      std::vector<std::string> missing;
      for (const auto& change : out_.changes) {
        missing.push_back(fmt::format("{} `{}`", change.resource, change.where));
      }
      const bool waits = !out_.changes.empty() && out_.changes.front().kind == "wait";
      Say(waits ? Verdict::kWaits : Verdict::kNeedsAction, "Prerequisites",
          missing.empty() ? errors.base
                          : fmt::format("{} {}", NameSome(missing),
                                        waits                 ? "is not bound yet"
                                        : missing.size() == 1 ? "is missing"
                                                              : "are missing"));
      return true;
    }
    return false;
  }

  void Measure(const Trial& trial) {
    const Quantities request = gang_.RequestOf(trial.tasks());
    double free = 0, largest = 0, capacity = 0, largest_pod = 0;
    for (const NodeId node : cluster_.node_order()) {
      const double idle = Gpus(static_cast<double>(cluster_.nodes().IdleGpuSum(node)));
      free += idle;
      largest = std::max(largest, idle);
      capacity += Gpus(static_cast<double>(cluster_.amounts().allocatable(node)[kGpu]));
    }
    for (const TaskId task : trial.tasks()) {
      const double gpus =
          Gpus(static_cast<double>(cluster_.RequestedQuota(cluster_.tasks()[task])));
      largest_pod = std::max(largest_pod, gpus);
    }
    out_.evidence[evidence::kPods] = static_cast<double>(trial.tasks().size());
    if (request[2] > 0) {
      out_.evidence.insert({{evidence::kRequestedGpus, Gpus(request[2])},
                            {evidence::kFreeGpus, free},
                            {evidence::kTotalGpus, capacity},
                            {evidence::kLargestFreeNode, largest}});
    }
    if (largest_pod > 0) out_.evidence[evidence::kLargestPod] = largest_pod;
    if (session_.devices) MeasureDevices(trial);
  }

  // Messages about claims do not say what is lacking.
  void MeasureDevices(const Trial& trial) {
    for (const auto& [name, demand] : DeviceDemands(cluster_, trial.tasks())) {
      out_.evidence[std::string(evidence::kRequestedDevices) + name] =
          static_cast<double>(demand.requested);
      out_.evidence[std::string(evidence::kFreeDevices) + name] = static_cast<double>(demand.free);
    }
  }

  // Why nodes reject the first rejected pod.
  void CountNodes(const Trial& trial) {
    for (TaskId id : trial.tasks()) {
      const Task& task = cluster_.tasks()[id];
      if (!task.extras || !task.extras->errors || task.extras->errors->reasons.empty()) continue;
      out_.nodes = task.extras->errors->reasons;
      return;
    }
  }

  Session& session_;
  Cluster& cluster_;
  Allocator& allocator_;
  Gang gang_;
  Explanation out_;
};

}  // namespace

Explanation ExplainJob(Session& session, Allocator& allocator, JobId job) {
  return Explainer(session, allocator, job).Run();
}

}  // namespace coppice::engine
