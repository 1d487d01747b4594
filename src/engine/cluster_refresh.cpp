#include <algorithm>
#include <cstdlib>

#include "engine/cluster.h"
#include "engine/status.h"

// Taking in nodes, and bringing orders, links and trees up to date before a cycle.

namespace coppice::engine {
namespace {

const std::string* Label(const NodeSpec& spec, const std::string& key) {
  auto found = spec.labels.find(key);
  return found == spec.labels.end() ? nullptr : &found->second;
}

bool ParseInt(const std::string* text, int64_t& value) {
  if (!text || text->empty()) return false;
  char* end = nullptr;
  value = std::strtoll(text->c_str(), &end, 10);
  return end == text->c_str() + text->size();
}

bool ParseBool(const std::string& text, bool& value) {
  static const std::set<std::string> kTrue{"1", "t", "T", "TRUE", "true", "True"};
  static const std::set<std::string> kFalse{"0", "f", "F", "FALSE", "false", "False"};
  value = kTrue.contains(text);
  return value || kFalse.contains(text);
}

// MiB per device, down to a multiple of 100; some exporters write bytes.
int64_t ReadGpuMemory(const NodeSpec& spec, bool& synced) {
  int64_t memory = 0;
  synced = ParseInt(Label(spec, "nvidia.com/gpu.memory"), memory) && memory > 0;
  if (!synced) return 100;
  if (memory >= 1 << 20) memory >>= 20;
  return std::max<int64_t>(memory - memory % 100, 100);
}

// Empty when pods may be placed on the node.
std::string NotReadyReason(const NodeSpec& spec) {
  if (spec.unschedulable) return "node is unschedulable";
  static const std::set<std::string> kPressure{"MemoryPressure", "DiskPressure", "PIDPressure",
                                               "NetworkUnavailable"};
  for (const auto& condition : spec.conditions) {
    if (condition.type == "Ready" && condition.status != "True")
      return "node has NotReady condition";
    if (kPressure.contains(condition.type) && condition.status != "False") {
      return "node has " + condition.type + " condition";
    }
  }
  return "";
}

int ZoneNumber(const std::string& name) {
  size_t at = name.size();
  while (at > 0 && name[at - 1] >= '0' && name[at - 1] <= '9') --at;
  return at == name.size() || name.size() - at > 8 ? -1 : std::atoi(name.c_str() + at);
}

std::vector<const NumaZone*> SortedZones(const NumaTopology& numa) {
  std::vector<const NumaZone*> zones;
  for (const auto& zone : numa.zones) zones.push_back(&zone);
  std::sort(zones.begin(), zones.end(), [](const NumaZone* a, const NumaZone* b) {
    const int x = ZoneNumber(a->name), y = ZoneNumber(b->name);
    return std::make_tuple(x < 0, x, a->name) < std::make_tuple(y < 0, y, b->name);
  });
  return zones;
}

}  // namespace

void Cluster::PutNode(const NodeSpec& spec) {
  const NodeId id = NodeByName(spec.name);
  Node& node = nodes[id];
  node.exists = true;
  node.spec = std::make_unique<NodeSpec>(spec);
  BuildNode(node, id);
  RebuildNode(id);
  nodes_changed_ = true;
}

void Cluster::RemoveNode(std::string_view name) {
  const NodeId id = FindNode(name);
  if (id == kNone) return;
  nodes[id].exists = false;
  nodes_changed_ = jobs_changed_ = true;
  for (TaskId task = nodes[id].first_task; task != kNone; task = tasks[task].next_on_node) {
    if (tasks[task].job == kNone) continue;
    if (!jobs[tasks[task].job].tasks_changed) changed_jobs_.push_back(tasks[task].job);
    jobs[tasks[task].job].tasks_changed = true;
  }
}

void Cluster::BuildNode(Node& node, NodeId id) {
  const NodeSpec& spec = *node.spec;
  Amounts allocatable(resources.size());
  resources.Add(spec.allocatable, allocatable);
  for (auto& amount : allocatable) {
    if (amount < 0) Problem("Node", spec.name, "negative allocatable amount is read as zero");
    amount = std::max<int64_t>(amount, 0);
  }
  amounts.Resize(static_cast<int>(nodes.size()), resources.size());
  allocatable.resize(amounts.stride());
  std::copy(allocatable.begin(), allocatable.end(), amounts.allocatable(id).begin());

  amounts.allocatable(id)[kGpu] += node.dra_gpus * kGpuUnit;
  node.has_dra_gpus = node.dra_gpus > 0;

  node.gpu_memory = ReadGpuMemory(spec, node.memory_synced);
  if (!ParseInt(Label(spec, "nvidia.com/gpu.count"), node.gpu_count)) {
    node.gpu_count = allocatable[kGpu] / kGpuUnit;
  }
  bool any_mig = false;
  for (int i = kPods + 1; i < resources.size(); ++i)
    any_mig |= resources.IsMig(i) && allocatable[i];
  const std::string* mig_label = Label(spec, configuration.mig_worker_label);
  bool mig_worker = false;
  node.mig = mig_label ? ParseBool(*mig_label, mig_worker) && mig_worker : any_mig;
  const std::string* strategy = Label(spec, "nvidia.com/mig.strategy");
  node.mig_strategy = !strategy               ? MigStrategy::kNone
                      : *strategy == "mixed"  ? MigStrategy::kMixed
                      : *strategy == "single" ? MigStrategy::kSingle
                                              : MigStrategy::kNone;
  node.cpu_only = !node.mig && allocatable[kGpu] <= 0 && !node.has_dra_gpus;
  node.cpu_worker = Label(spec, configuration.cpu_worker_label) != nullptr;
  node.gpu_worker = Label(spec, configuration.gpu_worker_label) != nullptr;
  node.not_ready = NotReadyReason(spec);
  node.ready = node.not_ready.empty();
  node.numa.reset();
  if (!spec.numa) return;
  node.numa = std::make_unique<NodeNuma>();
  node.numa->policy = spec.numa->policy;
  node.numa->scope = spec.numa->scope;
  const auto read = [&](const std::map<std::string, int64_t>& amounts_by_name) {
    std::vector<int64_t> row(resources.size());
    for (const auto& [name, amount] : amounts_by_name) {
      const auto index = resources.IndexOf(name);
      if (!index || *index >= resources.size()) continue;
      row.resize(std::max<size_t>(row.size(), resources.size()));
      // Whole units throughout, except for cpu (already milli) and GPUs (ours are thousandths).
      row[*index] += *index == kGpu ? amount * kGpuUnit : amount;
    }
    return row;
  };
  for (const NumaZone* zone : SortedZones(*spec.numa)) {
    node.numa->zone_names.push_back(names.Intern(zone->name));
    node.numa->allocatable.push_back(read(zone->allocatable));
    node.numa->available.push_back(read(zone->available));
  }
  node.numa->reported.assign(resources.size(), false);
  for (const auto& row : node.numa->allocatable) {
    for (size_t i = 0; i < row.size() && i < node.numa->reported.size(); ++i) {
      if (row[i] > 0) node.numa->reported[i] = true;
    }
  }
}

void Cluster::Refresh(base::Time now) {
  RefreshDevices();
  if (nodes_changed_) RefreshNodes();
  if (queues_changed_) RefreshQueues();
  RefreshJobs(now);
}

void Cluster::RefreshNodes() {
  nodes_changed_ = false;
  ++topology_version;
  node_order.clear();
  min_gpu_memory.reset();
  max_gpu_memory.reset();
  for (NodeId id = 0; id < static_cast<NodeId>(nodes.size()); ++id) {
    const Node& node = nodes[id];
    const bool kept = node.exists && (!configuration.restrict_node_scheduling || node.cpu_worker ||
                                      node.gpu_worker);
    if (!kept) continue;
    node_order.push_back(id);
    if (node.gpu_memory <= 100) continue;
    min_gpu_memory = std::min(min_gpu_memory.value_or(node.gpu_memory), node.gpu_memory);
    max_gpu_memory = std::max(max_gpu_memory.value_or(node.gpu_memory), node.gpu_memory);
  }
  std::sort(node_order.begin(), node_order.end(),
            [&](NodeId a, NodeId b) { return Text(nodes[a].name) < Text(nodes[b].name); });
  for (size_t i = 0; i < node_order.size(); ++i) {
    nodes[node_order[i]].rank = static_cast<int32_t>(i);
  }
}

void Cluster::RefreshQueues() {
  queues_changed_ = false;
  const bool flat = !configuration.full_hierarchy_fairness;
  std::vector<QueueId> by_name;
  for (QueueId id = 0; id < static_cast<QueueId>(queues.size()); ++id) {
    queues[id].parent = kNone;
    queues[id].children.clear();
    queues[id].reachable = false;
    if (queues[id].exists) by_name.push_back(id);
  }
  std::sort(by_name.begin(), by_name.end(),
            [&](QueueId a, QueueId b) { return Text(queues[a].name) < Text(queues[b].name); });
  for (size_t i = 0; i < by_name.size(); ++i) {
    Queue& queue = queues[by_name[i]];
    queue.name_rank = static_cast<int32_t>(i);
    if (!queue.spec->parent.empty()) queue.parent = FindQueue(queue.spec->parent);
  }
  // A queue counts when a walk upwards ends at a top queue within as many steps as there are.
  roots.clear();
  for (QueueId id : by_name) {
    QueueId at = id;
    size_t steps = 0;
    while (!queues[at].spec->parent.empty() && queues[at].parent != kNone &&
           steps <= queues.size()) {
      at = queues[at].parent;
      ++steps;
    }
    queues[id].reachable = queues[at].spec->parent.empty();
    if (!queues[id].reachable) {
      Problem(
          "Queue", Text(queues[id].name),
          steps > queues.size() ? "is its own ancestor" : "a parent of the queue does not exist");
    }
  }
  for (QueueId id : by_name) {
    if (!queues[id].reachable) continue;
    const QueueId parent = queues[id].parent;
    if (parent == kNone || flat) {
      roots.push_back(id);
    } else {
      queues[parent].children.push_back(id);
    }
  }
  if (flat) {
    // Projects only: whoever has a parent stands alone at the top, the parents vanish.
    std::erase_if(roots, [&](QueueId id) { return queues[id].spec->parent.empty(); });
    for (QueueId id : by_name) {
      if (queues[id].spec->parent.empty()) queues[id].reachable = false;
      queues[id].parent = kNone;
    }
  }
}

void Cluster::RefreshJobs(base::Time now) {
  (void)now;
  if (jobs_changed_) {
    jobs_changed_ = false;
    job_order.clear();
    for (JobId id = 0; id < static_cast<JobId>(jobs.size()); ++id) {
      Job& job = jobs[id];
      if (!job.exists) continue;
      job_order.push_back(id);
      job.queue = FindQueue(job.spec->queue);
      if (job.queue != kNone && !queues[job.queue].reachable) job.queue = kNone;
      if (job.tree_changed) BuildTree(job);
      if (job.tasks_changed) CollectTasks(id);
    }
    std::sort(job_order.begin(), job_order.end(), [&](JobId a, JobId b) {
      return std::make_tuple(Text(jobs[a].name), Text(jobs[a].namespace_name)) <
             std::make_tuple(Text(jobs[b].name), Text(jobs[b].namespace_name));
    });
    for (size_t i = 0; i < job_order.size(); ++i) {
      jobs[job_order[i]].id_rank = static_cast<int32_t>(i);
    }
  } else {
    for (JobId id : changed_jobs_) {
      if (jobs[id].exists && jobs[id].tasks_changed) CollectTasks(id);
    }
  }
  changed_jobs_.clear();
}

}  // namespace coppice::engine
