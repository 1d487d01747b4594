#include "engine/explain/room_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/explain/amount_text.h"
#include "engine/order/min_runtime.h"
#include "engine/session/messages.h"
#include "engine/state/jobs/status.h"

namespace coppice::engine {
namespace {

constexpr const char* kAmountNames[3] = {"cpu", "memory", "gpu"};

// GPUs in thousandths, including requests by memory.
int64_t AmountOf(const Cluster& cluster, TaskId task, int resource) {
  return resource == kGpu ? cluster.RequestedQuota(cluster.tasks()[task])
                          : At(cluster.ClassOf(task).request, resource);
}

}  // namespace

RoomText::RoomText(Trial& trial) : trial_(trial), cluster_(trial.cluster()) {
  const Predicates* predicates = trial.allocator().predicates();
  for (NodeId node : cluster_.node_order()) {
    const auto& tasks = trial.tasks();
    const bool admits = !predicates || std::any_of(tasks.begin(), tasks.end(), [&](TaskId task) {
      return predicates->Admits(task, node);
    });
    if (admits) usable_.push_back(node);
  }
  if (usable_.empty()) usable_ = cluster_.node_order();
}

std::string RoomText::Wanted(int resource) const {
  const auto& tasks = trial_.tasks();
  int64_t sum = 0, largest = 0;
  bool equal = true;
  for (TaskId task : tasks) {
    const int64_t amount = AmountOf(cluster_, task, resource);
    equal &= amount == AmountOf(cluster_, tasks.front(), resource);
    largest = std::max(largest, amount);
    sum += amount;
  }
  const GpuRequest& gpu = cluster_.ClassOf(tasks.front()).gpu;
  std::string text =
      tasks.size() == 1 ? "the pod asks for " : CountText(tasks.size(), "pod") + " ask for ";
  if (resource == kGpu && equal && gpu.type == RequestType::kGpuMemory) {
    text += AmountText(cluster_.resources(), kMemory, gpu.memory_mib << 20) + " of GPU memory";
  } else {
    text += AmountText(cluster_.resources(), resource, equal ? largest : sum);
  }
  return tasks.size() == 1 ? text : text + (equal ? " each" : " in all");
}

std::string RoomText::Free(int resource, bool per_node) const {
  int64_t free = 0, all = 0, most = 0;
  for (NodeId node : usable_) {
    const int64_t here = resource == kGpu
                             ? cluster_.nodes().IdleGpuSum(node)
                             : std::max<int64_t>(cluster_.amounts().idle(node)[resource], 0);
    free += here;
    most = std::max(most, here);
    all += resource == kGpu ? TotalGpus(cluster_.resources(), cluster_.amounts().allocatable(node))
                            : cluster_.amounts().allocatable(node)[resource];
  }
  std::string first = AmountText(cluster_.resources(), resource, free);
  first.resize(first.find(' '));
  if (resource == kMemory) first = AmountText(cluster_.resources(), resource, free);
  std::string text =
      fmt::format("{} of {} are free", first, AmountText(cluster_.resources(), resource, all));
  if (usable_.size() < cluster_.node_order().size()) {
    text +=
        trial_.tasks().size() == 1 ? " on nodes that it may use" : " on nodes that they may use";
  }
  if (per_node)
    text +=
        fmt::format(", at most {} on one node", AmountText(cluster_.resources(), resource, most));
  return text;
}

std::string RoomText::Largest(int resource, int64_t most) const {
  if (most == 0) return "no node has any";
  return "the largest node has " + AmountText(cluster_.resources(), resource, most);
}

// More of one GPU than any GPU has, or parts of more GPUs than any node has.
std::optional<std::string> RoomText::TooLargeForGpus(const GpuRequest& gpu) const {
  if (!gpu.shared()) return std::nullopt;
  int64_t memory = 0, most = 0;
  for (NodeId node : cluster_.node_order()) {
    const int64_t gpus = cluster_.amounts().allocatable(node)[kGpu];
    if (gpus > 0) memory = std::max(memory, cluster_.nodes()[node].gpu_memory);
    most = std::max(most, gpus);
  }
  const ResourceIndex& resources = cluster_.resources();
  if (most > 0 && gpu.type == RequestType::kGpuMemory && gpu.memory_mib > memory) {
    return fmt::format("each such pod asks for {} of GPU memory; the largest GPU has {}",
                       AmountText(resources, kMemory, gpu.memory_mib << 20),
                       AmountText(resources, kMemory, memory << 20));
  }
  if (gpu.count * kGpuUnit <= most) return std::nullopt;
  return fmt::format("each such pod asks for parts of {}; {}",
                     AmountText(resources, kGpu, gpu.count * kGpuUnit), Largest(kGpu, most));
}

std::optional<std::string> RoomText::TooLarge() const {
  for (TaskId task : trial_.tasks()) {
    if (auto gpus = TooLargeForGpus(cluster_.ClassOf(task).gpu)) return gpus;
    const Amounts& request = cluster_.ClassOf(task).request;
    for (int resource : {kGpu, kCpu, kMemory}) {
      int64_t most = 0;
      for (NodeId node : cluster_.node_order()) {
        most = std::max(most, resource == kGpu ? TotalGpus(cluster_.resources(),
                                                           cluster_.amounts().allocatable(node))
                                               : cluster_.amounts().allocatable(node)[resource]);
      }
      const int64_t wanted = resource == kGpu ? cluster_.ClassOf(task).all_gpus : request[resource];
      if (wanted <= most) continue;
      return fmt::format("each such pod asks for {}; {}",
                         AmountText(cluster_.resources(), resource, wanted),
                         Largest(resource, most));
    }
    for (int resource = kPods + 1; resource < static_cast<int>(request.size()); ++resource) {
      int64_t most = 0;
      for (NodeId node : cluster_.node_order()) {
        most = std::max(most, At(cluster_.amounts().allocatable(node), resource));
      }
      const bool by_claims = cluster_.devices().Serves(resource);
      if (request[resource] <= most || by_claims) continue;
      return fmt::format("each such pod asks for {}; {}",
                         AmountText(cluster_.resources(), resource, request[resource]),
                         Largest(resource, most));
    }
  }
  return std::nullopt;
}

std::vector<JobId> RoomText::JobsOn(const RoomSearch::Answer& answer) const {
  std::vector<JobId> jobs;
  for (const Missing& missing : answer.missing) {
    for (TaskId id = cluster_.tasks().FirstOn(missing.node); id != kNone;
         id = cluster_.tasks()[id].next_on_node) {
      const Task& task = cluster_.tasks()[id];
      if (task.job == kNone || task.job == trial_.gang().id() || !IsActive(task.status)) continue;
      const PodClass& cls = cluster_.ClassOf(task);
      const bool takes = AmountOf(cluster_, id, missing.resource) > 0 || cls.gpu.shared();
      if (!takes || cls.utility) continue;
      if (std::find(jobs.begin(), jobs.end(), task.job) == jobs.end()) jobs.push_back(task.job);
    }
  }
  return jobs;
}

std::string RoomText::Holders(const RoomSearch::Answer& answer) const {
  std::vector<std::string> names;
  for (JobId id : JobsOn(answer)) {
    const Job& job = cluster_.jobs()[id];
    std::string name = JobName(cluster_, id, trial_.gang().job().namespace_name);
    if (job.priority > trial_.gang().job().priority) {
      name += fmt::format(" (priority {}, above {})", job.priority, trial_.gang().job().priority);
    }
    names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  if (names.empty()) return "";
  return fmt::format("; {} {} there", NameSome(names, 2), names.size() == 1 ? "runs" : "run");
}

std::vector<Explanation::Change> RoomText::Changes(const RoomSearch& room,
                                                   const RoomSearch::Answer& answer) const {
  std::vector<Explanation::Change> changes;
  const auto add = [&](const Missing& missing, int64_t units, bool others) {
    if (units == 0) return;
    const bool gpu = missing.resource == kGpu;
    const std::string amount =
        AmountText(cluster_.resources(), missing.resource, units * UnitOf(missing.resource));
    const std::string node = NodeName(missing.node);
    changes.push_back(
        {others ? (gpu ? "freeGpus" : "freeOnNode") : (gpu ? "addGpusToNode" : "addToNode"), node,
         InUnits(cluster_.resources(), missing.resource, units),
         missing.resource < kPods ? kAmountNames[missing.resource]
                                  : cluster_.resources().Name(missing.resource),
         others ? fmt::format("free {} on {}", amount, node)
                : fmt::format("add {} to {}", amount, node)});
  };
  for (Missing missing : answer.missing) {
    if (auto stuck = ForceDelete(missing)) changes.push_back(*std::move(stuck));
    const int64_t held = std::min(missing.units, room.HeldByOthers(missing.node, missing.resource));
    add(missing, held, true);
    add(missing, missing.units - held, false);
  }
  return changes;
}

std::string RoomText::Stuck(const std::vector<NodeId>& nodes) const {
  std::vector<std::string> names;
  for (NodeId node : nodes) {
    for (TaskId task : trial_.StuckOn(node)) {
      names.push_back(PodName(cluster_, task, trial_.gang().job().namespace_name));
    }
  }
  if (names.empty()) return "";
  return fmt::format("; {} {} stuck there", NameSome(names), names.size() == 1 ? "is" : "are");
}

std::optional<Explanation::Change> RoomText::ForceDelete(Missing& missing) const {
  std::vector<std::string> names;
  for (TaskId task : trial_.StuckOn(missing.node)) {
    const int64_t units =
        At(cluster_.ClassOf(task).request, missing.resource) / UnitOf(missing.resource);
    if (units == 0 || missing.units == 0) continue;
    missing.units = std::max<int64_t>(missing.units - units, 0);
    names.push_back(PodName(cluster_, task, trial_.gang().job().namespace_name));
  }
  if (names.empty()) return std::nullopt;
  return Explanation::Change{
      "forceDelete", NodeName(missing.node), static_cast<double>(names.size()), "Pod",
      fmt::format("force delete {}, which {} stuck in Terminating on {}, and remove {} finalizers",
                  NameSome(names, names.size()), names.size() == 1 ? "is" : "are",
                  NodeName(missing.node), names.size() == 1 ? "its" : "their")};
}

std::optional<Explanation::Change> RoomText::Wait(const RoomSearch::Answer& answer) const {
  const MinRuntime runtimes(trial_.session());
  std::optional<Explanation::Change> wait;
  std::optional<base::Time> last;
  for (JobId id : JobsOn(answer)) {
    const auto until = runtimes.ProtectedUntil(trial_.gang().job(), Gang(cluster_, id));
    if (!until || (last && *until <= *last)) continue;
    last = until;
    const std::string name = JobName(cluster_, id, trial_.gang().job().namespace_name);
    wait = {"wait", name, 0, "",
            fmt::format("wait until {}, when the minimum runtime of {} ends",
                        base::FormatRfc3339(*until), name)};
  }
  return wait;
}

std::optional<Explanation::Change> RoomText::PartOfGpu(const RoomSearch::Answer& answer) const {
  const auto& tasks = trial_.tasks();
  const PodClass& cls = cluster_.ClassOf(tasks.front());
  const bool one = tasks.size() == 1 && answer.missing.size() == 1 && cls.gpu.count == 1;
  if (!one || !cls.gpu.shared() || answer.missing[0].resource != kGpu) return std::nullopt;
  const Node& node = cluster_.nodes()[answer.missing[0].node];
  const int64_t wanted = MemoryOn(cls.gpu, node.gpu_memory);
  int64_t lacking = wanted;
  for (const GpuGroup& group : node.groups) {
    if (group.used == 0) continue;
    lacking = std::min(lacking, wanted - (node.gpu_memory - group.allocated + group.releasing));
  }
  const bool memory = cls.gpu.type == RequestType::kGpuMemory;
  const int64_t percent = CeilPercent(lacking, node.gpu_memory);
  const std::string part =
      memory ? AmountText(cluster_.resources(), kMemory, lacking << 20) + " of GPU memory"
             : PlainNumber(static_cast<double>(percent) / 100) + " of a GPU";
  return Explanation::Change{"freeGpus", NodeName(answer.missing[0].node),
                             static_cast<double>(percent) / 100, "gpu",
                             fmt::format("free {} on {}", part, NodeName(answer.missing[0].node))};
}

int RoomText::Scarce(const std::optional<RoomSearch::Answer>& answer) const {
  if (answer && !answer->missing.empty()) {
    for (const Missing& missing : answer->missing) {
      if (missing.resource == kGpu) return kGpu;
    }
    return answer->missing.front().resource;
  }
  for (TaskId task : trial_.tasks()) {
    if (AmountOf(cluster_, task, kGpu) > 0) return kGpu;
  }
  return kCpu;
}

}  // namespace coppice::engine
