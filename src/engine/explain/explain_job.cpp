#include "engine/explain/explain_job.h"

#include <algorithm>

#include "engine/devices/device_demand.h"
#include "engine/devices/device_planner.h"
#include "engine/explain/room_search.h"
#include "engine/messages.h"

namespace coppice::engine {
namespace {

constexpr const char* kResourceNames[3] = {"cpu", "memory", "gpu"};
constexpr const char* kRuleNames[] = {"nodeAffinity", "taints", "podAffinity", "podAntiAffinity",
                                      "hostPorts"};
// From our units to those of the Queue API: millicores, 10^6 bytes, GPUs.
constexpr double kQueueUnits[3] = {1, 1e6, kGpuUnit};

double Gpus(double thousandths) { return thousandths / kGpuUnit; }

class Explainer {
 public:
  Explainer(Session& session, Allocator& allocator, JobId id)
      : session_(session),
        cluster_(session.cluster),
        allocator_(allocator),
        gang_(cluster_, id),
        statement_(session) {
    out_.group = session.KeyOf(id);
  }

  Explanation Run() {
    const Job& job = gang_.job();
    if (!gang_.HasPending() && !job.unknown.empty()) {
      return Say(Verdict::kNotNow, "UnknownSubGroup",
                 "all pods that wait name a sub-group that the group does not have");
    }
    if (!gang_.HasPending()) return Say(Verdict::kPlaceable, "Scheduled", "nothing waits");
    if (job.queue == kNone || !cluster_.queues[job.queue].exists) {
      return Say(Verdict::kNotNow, "QueueDoesNotExist", job.errors.Text(cluster_.names));
    }
    if (!gang_.Ready()) {
      return Say(Verdict::kNotNow, "NotReady", NotReadyText(cluster_, gang_));
    }
    Measure();
    JobErrors errors;
    if (Try(&errors)) return Say(Verdict::kPlaceable, "Scheduled", "the next cycle places it");
    if (const std::string unmet = Unmet(); !unmet.empty()) {
      return Say(Verdict::kNotNow, "Prerequisites", unmet);
    }
    CountNodes();
    if (session_.plugins.proportion) RaiseQueues();
    const bool over = !out_.changes.empty();
    if (over && Try(nullptr)) {
      return Say(Verdict::kNotNow, QueueReason(), errors.Text(cluster_.names));
    }
    SayRoom(errors);
    if (over && out_.verdict == Verdict::kNotNow) out_.reason = QueueReason();
    RestoreQueues();
    return out_;
  }

 private:
  Explanation Say(Verdict verdict, std::string reason, std::string message) {
    out_.verdict = verdict;
    out_.reason = std::move(reason);
    out_.message = std::move(message);
    RestoreQueues();
    return out_;
  }

  bool Try(JobErrors* errors) {
    const bool placed =
        allocator_.AllocateJob(statement_, gang_, cluster_.node_order, true, errors);
    statement_.Discard();
    return placed;
  }

  // What a pod needs whatever the node, and does not have: a claim, a volume, a ConfigMap. That it
  // is larger than any node is another matter.
  std::string Unmet() const {
    for (TaskId id : gang_.TasksToAllocate(true)) {
      const Task& task = cluster_.tasks[id];
      if (!task.extras || !task.extras->errors) continue;
      const TaskErrors& errors = *task.extras->errors;
      const bool too_large = errors.base.find("MaxNodePoolResources") != std::string::npos;
      if (!errors.base.empty() && errors.reasons.empty() && !too_large) return errors.base;
    }
    return "";
  }

  std::string QueueReason() const {
    return out_.changes.front().kind == "raiseLimit" ? "Limit" : "Quota";
  }

  void Measure() {
    const Quantities request = gang_.InitialRequest(true);
    double free = 0, largest = 0, capacity = 0, largest_pod = 0;
    for (const NodeId node : cluster_.node_order) {
      const double idle = Gpus(static_cast<double>(cluster_.IdleGpuSum(node)));
      free += idle;
      largest = std::max(largest, idle);
      const double all = Gpus(static_cast<double>(cluster_.amounts.allocatable(node)[kGpu]));
      capacity += all;
      largest_node_ = std::max(largest_node_, all);
    }
    for (const TaskId task : gang_.TasksToAllocate(true)) {
      const double gpus = Gpus(static_cast<double>(cluster_.RequestedQuota(cluster_.tasks[task])));
      largest_pod = std::max(largest_pod, gpus);
    }
    out_.evidence = {{"requestedGpus", Gpus(request[2])},
                     {"freeGpus", free},
                     {"totalGpus", capacity},
                     {"largestFreeNode", largest},
                     {"largestPod", largest_pod}};
    if (session_.devices) MeasureDevices();
  }

  // Messages about claims do not name what they lack.
  void MeasureDevices() {
    for (const auto& [name, demand] : DeviceDemands(cluster_, gang_.TasksToAllocate(true))) {
      out_.evidence["requestedDevices " + name] = static_cast<double>(demand.requested);
      out_.evidence["freeDevices " + name] = static_cast<double>(demand.free);
    }
  }

  // Why nodes refuse the first pod that was refused.
  void CountNodes() {
    for (TaskId id : gang_.TasksToAllocate(true)) {
      const Task& task = cluster_.tasks[id];
      if (!task.extras || !task.extras->errors || task.extras->errors->reasons.empty()) continue;
      out_.nodes = task.extras->errors->reasons;
      return;
    }
  }

  // What every queue of the path lacks, limits and quotas, and goes on as if it had it.
  void RaiseQueues() {
    const Job& job = gang_.job();
    const Quantities request = session_.shares.CapacityRequest(gang_.TasksToAllocate(true));
    for (QueueId at = job.queue; at != kNone; at = cluster_.queues[at].parent) {
      Queue& queue = cluster_.queues[at];
      saved_.push_back({at, queue.limit, queue.deserved});
      Raise("raiseLimit", queue, queue.allocated, queue.limit, request);
      if (!job.preemptible) {
        Raise("raiseQuota", queue, queue.allocated_non_preemptible, queue.deserved, request);
      }
    }
  }

  void Raise(const char* kind, const Queue& queue, const Sums& allocated, Quantities& bound,
             const Quantities& request) {
    for (int i = 2; i >= 0; --i) {
      const double wanted = static_cast<double>(allocated[i]) + request[i];
      if (bound[i] == kUnlimited || request[i] == 0 || wanted <= bound[i]) continue;
      out_.changes.push_back(
          {kind, queue.spec->name, (wanted - bound[i]) / kQueueUnits[i], kResourceNames[i]});
      const char* name = kind == std::string("raiseLimit") ? "limit" : "quota";
      out_.evidence.try_emplace(name, bound[i] / kQueueUnits[i]);
      out_.evidence.try_emplace("allocated", static_cast<double>(allocated[i]) / kQueueUnits[i]);
      bound[i] = wanted;
    }
  }

  void RestoreQueues() {
    for (const auto& [id, limit, deserved] : saved_) {
      cluster_.queues[id].limit = limit;
      cluster_.queues[id].deserved = deserved;
    }
    saved_.clear();
  }

  // What nodes lack, queues apart.
  void SayRoom(const JobErrors& errors) {
    RoomSearch room(session_, allocator_, statement_, gang_);
    out_.message = errors.Text(cluster_.names);
    const auto pods = static_cast<int64_t>(gang_.TasksToAllocate(true).size());
    out_.evidence["pods"] = static_cast<double>(pods);
    out_.evidence["podsThatFit"] = static_cast<double>(std::min(room.FreeSlots(), pods));
    if (room.NeverFits()) {
      out_.verdict = Verdict::kNever;
      if (const auto& nearest = room.NearestDomain()) {
        out_.largest_domain = nearest->domain;
        out_.evidence["largestDomainGpus"] = Gpus(static_cast<double>(nearest->gpus));
        if (nearest->pods > 0) {
          out_.evidence["largestDomainPods"] = static_cast<double>(nearest->pods);
        }
      }
      out_.reason = !room.PodFitsNowhere() ? (Constrained() ? "Topology" : "Resources")
                    : out_.evidence["largestPod"] > largest_node_ ? "PodTooLarge"
                                                                  : "Affinity";
    } else {
      out_.verdict = Verdict::kNotNow;
      out_.reason = Reason(room, pods);
    }
    if (const auto answer = room.Smallest()) SayChanges(*answer);
  }

  void SayChanges(const RoomSearch::Answer& answer) {
    out_.domain = answer.domain;
    for (const auto& [node, units, resource] : answer.missing) {
      const int64_t amount = units * RoomSearch::UnitOf(resource);
      const bool there = cluster_.amounts.idle(node)[resource] + amount <=
                         cluster_.amounts.allocatable(node)[resource];
      const bool gpu = resource == kGpu;
      out_.changes.push_back(
          {there ? (gpu ? "freeGpus" : "freeOnNode") : (gpu ? "addGpusToNode" : "addToNode"),
           std::string(cluster_.Text(cluster_.nodes[node].name)), static_cast<double>(units),
           resource < kPods ? kResourceNames[resource] : cluster_.resources.Name(resource)});
    }
    for (int i = 0; i < static_cast<int>(PlacementRule::kCount); ++i) {
      if (answer.dropped.Has(static_cast<PlacementRule>(i))) {
        out_.changes.push_back({"dropRule", kRuleNames[i], 1, ""});
      }
    }
  }

  std::string Reason(const RoomSearch& room, int64_t pods) {
    if (room.FreeSlots() >= pods && Constrained()) return "Topology";
    if (LacksInAll()) return "Resources";
    return room.SlotsByAmounts() >= pods ? "Affinity" : "Fragmentation";
  }

  // Whether all nodes together have too little of something.
  bool LacksInAll() const {
    if (out_.evidence.at("requestedGpus") > out_.evidence.at("freeGpus")) return true;
    Amounts lacking;
    for (const TaskId task : gang_.TasksToAllocate(true)) {
      AddTo(lacking, cluster_.ClassOf(task).request);
    }
    for (int i = 0; i < static_cast<int>(lacking.size()); ++i) {
      for (const NodeId node : cluster_.node_order) {
        lacking[i] -= std::max<int64_t>(
            cluster_.amounts.idle(node)[i] + cluster_.amounts.releasing(node)[i], 0);
      }
      if (i != kGpu && lacking[i] > 0) return true;
    }
    return false;
  }

  bool Constrained() const {
    const Job& job = gang_.job();
    const auto required = [](const auto& part) { return part.constraint.required != 0; };
    return std::any_of(job.sets.begin(), job.sets.end(), required) ||
           std::any_of(job.pod_sets.begin(), job.pod_sets.end(), required);
  }

  struct SavedQueue {
    QueueId id;
    Quantities limit, deserved;
  };

  Session& session_;
  Cluster& cluster_;
  Allocator& allocator_;
  Gang gang_;
  Statement statement_;
  Explanation out_;
  double largest_node_ = 0;
  std::vector<SavedQueue> saved_;
};

}  // namespace

Explanation ExplainJob(Session& session, Allocator& allocator, JobId job) {
  return Explainer(session, allocator, job).Run();
}

}  // namespace coppice::engine
