#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/properties/random_world_testing.h"

// What must hold after any cycle, independent of how the engine decides.

namespace coppice::engine::testing {
namespace {

bool Active(TaskStatus status) {
  return status == TaskStatus::kAllocated || status == TaskStatus::kPipelined ||
         status == TaskStatus::kBinding || status == TaskStatus::kBound ||
         status == TaskStatus::kRunning;
}

class Checker {
 public:
  Checker(const RandomWorld& world, const Engine& engine, const CycleResult& result)
      : world_(world), result_(result) {
    for (const auto& pod : world.pods) {
      before_[pod.uid] = {pod.status, pod.node, pod.gpu_groups};
      const auto state = engine.FindPod(pod.uid);
      after_[pod.uid] = {state->status, state->node, state->gpu_groups};
      by_group_[pod.pod_group].push_back(&pod);
    }
    for (const auto& bind : result.binds) {
      bound_[bind.pod.uid] = {TaskStatus::kBinding, bind.node, bind.gpu_groups};
    }
    for (const auto& evict : result.evictions) evicted_.insert(evict.group.name);
    for (const auto& [uid, after] : after_) {
      if (bound_.contains(uid) || after.status == TaskStatus::kPipelined) new_.insert(uid);
    }
    for (const auto& group : world.groups) groups_[group.name] = &group;
    for (const auto& queue : world.queues) queues_[queue.name] = &queue;
  }

  std::vector<std::string> Run() {
    CheckNodes("now", [&](const std::string& uid) { return Now(uid); });
    CheckNodes("later", [&](const std::string& uid) { return Later(uid); });
    CheckGangs();
    CheckVictims();
    CheckQueues();
    CheckPlaces();
    return std::move(broken_);
  }

 private:
  struct After {
    TaskStatus status = TaskStatus::kPending;
    std::string node;
    std::vector<std::string> groups;
  };

  template <typename... Args>
  void Broken(fmt::format_string<Args...> format, Args&&... args) {
    broken_.push_back(fmt::format(format, std::forward<Args>(args)...));
  }

  // Where the pod uses capacity right now, if anywhere: a pod that terminates or moves is still
  // there.
  std::optional<After> Now(const std::string& uid) {
    const After& before = before_[uid];
    if (Active(before.status) || before.status == TaskStatus::kReleasing) return before;
    if (auto bound = bound_.find(uid); bound != bound_.end()) return bound->second;
    return std::nullopt;
  }
  // Where it uses capacity once terminating pods are gone.
  std::optional<After> Later(const std::string& uid) {
    if (Active(after_[uid].status)) return after_[uid];
    return std::nullopt;
  }

  template <typename Where>
  void CheckNodes(const char* when, Where where) {
    struct Use {
      int cpu = 0, gpus = 0, pods = 0, mig = 0;
      std::map<std::string, int> shared;
    };
    std::map<std::string, Use> uses;
    for (const auto& [uid, demand] : world_.demands) {
      const auto at = where(uid);
      if (!at) continue;
      Use& use = uses[at->node];
      use.cpu += demand.cpu;
      use.gpus += demand.gpus;
      use.mig += !demand.mig.empty();
      ++use.pods;
      const int memory = demand.percent > 0 ? kGpuMemory / 100 * demand.percent : demand.memory_mib;
      if (!demand.shared()) continue;
      if (static_cast<int>(at->groups.size()) != demand.devices) {
        Broken("{}: {} has {} GPU groups instead of {}", when, uid, at->groups.size(),
               demand.devices);
      }
      for (const auto& group : at->groups) use.shared[group] += memory;
    }
    for (const auto& node : world_.nodes) {
      const Use& use = uses[node.name];
      const auto amount = [&](const std::string& name) -> int64_t {
        auto found = node.allocatable.find(name);
        return found == node.allocatable.end() ? 0 : found->second.Value();
      };
      if (use.cpu > amount("cpu")) Broken("{}: {} gives {} cores", when, node.name, use.cpu);
      if (use.pods > amount("pods")) Broken("{}: {} holds {} pods", when, node.name, use.pods);
      if (use.mig > amount("nvidia.com/mig-1g.10gb")) {
        Broken("{}: {} gives {} MIG instances", when, node.name, use.mig);
      }
      const int devices = use.gpus + static_cast<int>(use.shared.size());
      if (devices > amount("nvidia.com/gpu")) {
        Broken("{}: {} gives {} GPUs, {} of them shared", when, node.name, devices,
               use.shared.size());
      }
      for (const auto& [group, memory] : use.shared) {
        if (memory > kGpuMemory)
          Broken("{}: {} gives {} MiB of {}", when, node.name, memory, group);
      }
    }
  }

  enum class When { kBefore, kBound, kLater };

  int ActivePods(const PodGroupSpec& group, const std::string& leaf, When when) {
    int count = 0;
    for (const PodSpec* pod : by_group_[group.name]) {
      if (pod->sub_group != leaf) continue;
      const TaskStatus after = after_[pod->uid].status;
      count += when == When::kBefore
                   ? Active(before_[pod->uid].status)
                   : Active(after) && (when == When::kLater || after != TaskStatus::kPipelined);
    }
    return count;
  }

  // Whether the sub-group, and everything below it that it needs, has enough pods.
  bool Satisfied(const PodGroupSpec& group, const std::string& name, When when) {
    std::vector<const SubGroupSpec*> children;
    const SubGroupSpec* self = nullptr;
    for (const auto& part : group.sub_groups) {
      if (part.parent == name) children.push_back(&part);
      if (part.name == name) self = &part;
    }
    if (children.empty()) {
      const int min = self ? self->min_members.value_or(0) : group.min_members.value_or(1);
      return ActivePods(group, name, when) >= min;
    }
    const auto given = self ? self->min_sub_groups : group.min_sub_groups;
    int satisfied = 0;
    for (const auto* child : children) satisfied += Satisfied(group, child->name, when);
    return satisfied >= given.value_or(static_cast<int>(children.size()));
  }

  void CheckGangs() {
    for (const auto& group : world_.groups) {
      bool grew = false, is = false;
      for (const PodSpec* pod : by_group_[group.name]) {
        grew |= bound_.contains(pod->uid);
        // A plan for a waiting pod is made again in the next cycle.
        const auto later = Later(pod->uid);
        is |= later && (later->status != TaskStatus::kPipelined || Active(pod->status));
      }
      const bool evicted = evicted_.contains(group.name);
      if (grew && !evicted && !Satisfied(group, "", When::kBound)) {
        Broken("{} starts in part", group.name);
      }
      if (evicted && is && Satisfied(group, "", When::kBefore) &&
          !Satisfied(group, "", When::kLater)) {
        Broken("{} stays in part", group.name);
      }
    }
  }

  bool Within(const std::string& queue, const std::string& ancestor) const {
    for (std::string at = queue; !at.empty(); at = queues_.at(at)->parent) {
      if (at == ancestor) return true;
    }
    return false;
  }

  void CheckVictims() {
    std::set<std::pair<std::string, std::string>> seen;
    for (const auto& evict : result_.evictions) {
      const PodGroupSpec& group = *groups_.at(evict.group.name);
      const std::string whom = evict.preemptor ? evict.preemptor->name : "";
      if (!seen.emplace(evict.pod.uid, evict.action + whom).second) {
        Broken("{} is evicted twice for {}", evict.pod.name, whom);
      }
      if (evict.action == "stalegangeviction") continue;
      if (!group.preemptible) Broken("{} evicts {} that may not be", evict.action, evict.pod.name);
      if (!evict.preemptor) {
        Broken("{} evicts {} for nobody", evict.action, evict.pod.name);
        continue;
      }
      const PodGroupSpec& winner = *groups_.at(evict.preemptor->name);
      if (winner.name == group.name)
        Broken("{} evicts {} for itself", evict.action, evict.pod.name);
      if (evict.action == "preempt") {
        if (winner.queue != group.queue) Broken("preempt crosses queues: {}", evict.pod.name);
        if (winner.priority <= group.priority) Broken("preempt takes an equal: {}", evict.pod.name);
      }
      if (evict.action == "reclaim" && winner.queue == group.queue) {
        Broken("reclaim stays in the queue: {}", evict.pod.name);
      }
    }
  }

  void CheckQueues() {
    for (const auto& queue : world_.queues) {
      double used = 0, fixed = 0;
      bool grew = false, fixed_grew = false;
      for (const auto& [uid, demand] : world_.demands) {
        const PodGroupSpec& group = *groups_.at(GroupOf(uid));
        // What is only planned is decided again in the next cycle.
        const auto at = Later(uid);
        if (!Within(group.queue, queue.name) || !at || at->status == TaskStatus::kPipelined)
          continue;
        const double gpus = demand.gpus + demand.percent * demand.devices / 100.0 +
                            static_cast<double>(demand.memory_mib) * demand.devices / kGpuMemory +
                            (demand.mig.empty() ? 0 : 1);
        used += gpus;
        const bool added = gpus > 0 && new_.contains(uid) && !Active(before_[uid].status);
        grew |= added;
        if (group.preemptible) continue;
        fixed += gpus;
        fixed_grew |= added;
      }
      constexpr double kExact = 1e-6;
      if (grew && queue.gpu.limit != -1 && used > queue.gpu.limit + kExact) {
        Broken("{} has {} GPUs over its limit of {}", queue.name, used, queue.gpu.limit);
      }
      if (fixed_grew && queue.gpu.quota != -1 && fixed > queue.gpu.quota + kExact) {
        Broken("{} gives {} GPUs for good over its quota of {}", queue.name, fixed,
               queue.gpu.quota);
      }
    }
  }

  std::string GroupOf(const std::string& uid) const { return uid.substr(0, uid.find('-')); }

  const NodeSpec& NodeOf(const std::string& name) const {
    return *std::find_if(world_.nodes.begin(), world_.nodes.end(),
                         [&](const NodeSpec& node) { return node.name == name; });
  }

  // Taints, unschedulable nodes, anti-affinity and topology of the placed pods.
  void CheckPlaces() {
    for (const auto& pod : world_.pods) {
      if (!new_.contains(pod.uid)) continue;
      const auto at = Later(pod.uid);
      if (!at) continue;
      const NodeSpec& node = NodeOf(at->node);
      const bool moved_back = before_[pod.uid].node == node.name;
      if (node.unschedulable && !moved_back) Broken("{} is on a closed node", pod.name);
      for (const auto& taint : node.taints) {
        const bool tolerated =
            std::any_of(pod.shape->tolerations.begin(), pod.shape->tolerations.end(),
                        [&](const Toleration& t) { return Tolerates(t, taint); });
        if (!tolerated && !moved_back) Broken("{} does not tolerate its node", pod.name);
      }
      if (pod.shape->affinity.required_anti_pods.empty()) continue;
      for (const PodSpec* other : by_group_[pod.pod_group]) {
        const auto there = Later(other->uid);
        if (other->uid != pod.uid && there && there->node == node.name &&
            (new_.contains(other->uid) || !moved_back)) {
          Broken("{} is beside {}", pod.name, other->name);
        }
      }
    }
    for (const auto& group : world_.groups) {
      CheckTopology(group, "", group.topology);
      for (const auto& part : group.sub_groups) CheckTopology(group, part.name, part.topology);
    }
  }

  bool Below(const PodGroupSpec& group, std::string leaf, const std::string& ancestor) const {
    while (true) {
      if (leaf == ancestor) return true;
      if (leaf.empty()) return false;
      const auto part = std::find_if(group.sub_groups.begin(), group.sub_groups.end(),
                                     [&](const auto& p) { return p.name == leaf; });
      leaf = part == group.sub_groups.end() ? "" : part->parent;
    }
  }

  void CheckTopology(const PodGroupSpec& group, const std::string& name,
                     const std::optional<TopologyConstraint>& constraint) {
    if (!constraint || constraint->required_level.empty()) return;
    const std::string label = constraint->required_level == "rack" ? "topo/rack" : "topo/block";
    std::set<std::string> domains;
    bool settled = true;  // All pods are newly placed, so none was elsewhere before.
    for (const PodSpec* pod : by_group_[group.name]) {
      if (!Below(group, pod->sub_group, name)) continue;
      const auto at = Later(pod->uid);
      if (!at) continue;
      settled &= new_.contains(pod->uid);
      const auto& labels = NodeOf(at->node).labels;
      auto found = labels.find(label);
      domains.insert(found == labels.end() ? "none of " + at->node : found->second);
    }
    if (settled && domains.size() > 1) Broken("{} {} is spread over domains", group.name, name);
  }

  const RandomWorld& world_;
  const CycleResult& result_;
  std::map<std::string, After> before_, bound_, after_;
  std::set<std::string> new_, evicted_;
  std::map<std::string, std::vector<const PodSpec*>> by_group_;
  std::map<std::string, const PodGroupSpec*> groups_;
  std::map<std::string, const QueueSpec*> queues_;
  std::vector<std::string> broken_;
};

}  // namespace

std::vector<std::string> BrokenRules(const RandomWorld& before, const Engine& engine,
                                     const CycleResult& result) {
  return Checker(before, engine, result).Run();
}

}  // namespace coppice::engine::testing
