#include "engine/device_planner.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/device_names.h"
#include "engine/status.h"

namespace coppice::engine {
namespace {

constexpr size_t kMaxConsumers = 256;
constexpr int64_t kMaxSteps = 100'000;

NodeSelector OnlyNode(std::string_view name) {
  return {{{{}, {{"metadata.name", SelectorOperator::kIn, {std::string(name)}}}}}};
}

const DeviceAttribute* Attribute(const ResourceSliceSpec& slice, const DeviceSpec& device,
                                 const std::string& name) {
  if (auto found = device.attributes.find(name); found != device.attributes.end()) {
    return &found->second;
  }
  // A name in the driver's own domain may be written without it.
  const std::string prefix = slice.driver + "/";
  if (!name.starts_with(prefix)) return nullptr;
  auto found = device.attributes.find(name.substr(prefix.size()));
  return found == device.attributes.end() ? nullptr : &found->second;
}

// Whether all slices of the newest generation of the pool are here.
bool Complete(const DeviceState& devices, const ResourceSliceSpec& of) {
  int64_t slices = 0;
  for (const auto& [name, slice] : devices.slices) {
    slices += slice.driver == of.driver && slice.pool == of.pool &&
              slice.pool_generation == of.pool_generation;
  }
  return slices == of.pool_slice_count;
}

}  // namespace

DevicePlanner::DevicePlanner(Session& session) : session_(session), cluster_(session.cluster) {
  for (auto& claim : cluster_.devices.claims) {
    claim.allocation = claim.spec.allocation;
    claim.consumers.clear();
    for (const auto& consumer : claim.spec.reserved_for) claim.consumers.insert(consumer.uid);
    if (claim.exists && claim.spec.for_extended_resources) {
      extended_claims_[claim.spec.owner_pod_uid] =
          static_cast<int32_t>(&claim - cluster_.devices.claims.data());
    }
  }
  classes_by_resource_ = ClassesByResource(cluster_.devices.classes);
  for (auto& task : cluster_.tasks) {
    if (!task.exists || !task.extras) continue;
    const bool finished =
        task.status == TaskStatus::kSucceeded || task.status == TaskStatus::kFailed;
    if (finished) continue;
    if (task.extras->extended_claim) {
      extended_tasks_.push_back(static_cast<TaskId>(&task - cluster_.tasks.data()));
    }
    for (size_t i = 0; i < task.extras->claims.size(); ++i) {
      const int32_t id = task.extras->claim_ids[i];
      if (id == kNone) continue;
      ClaimState& claim = cluster_.devices.claims[id];
      auto given = task.extras->claim_allocations.find(task.extras->claims[i].name);
      if (given != task.extras->claim_allocations.end() && !claim.allocation) {
        claim.allocation = given->second;
      }
      if (IsUsed(task.status)) claim.consumers.insert(std::string(cluster_.Text(task.uid)));
    }
  }
}

std::string DevicePlanner::QueueOf(TaskId task) const {
  const Job& job = cluster_.jobs[cluster_.tasks[task].job];
  return job.spec->queue;
}

bool DevicePlanner::MayNeedExtended(TaskId id) const {
  if (classes_by_resource_.empty()) return false;
  for (const auto& container : cluster_.ClassOf(id).shape->containers) {
    for (const auto& [resource, amount] : container.requests) {
      if (amount.Sign() > 0 && classes_by_resource_.contains(resource)) return true;
    }
  }
  return false;
}

bool DevicePlanner::Concerns(TaskId id) const {
  const Task& task = cluster_.tasks[id];
  return (task.extras && !task.extras->claims.empty()) || MayNeedExtended(id);
}

std::optional<std::string> DevicePlanner::Prepare(TaskId id) const {
  const Task& task = cluster_.tasks[id];
  if (!task.extras || task.extras->claims.empty()) return std::nullopt;
  const std::string pod = cluster_.PodName(id);
  if (!session_.config.dra_available) {
    return fmt::format("pod {} cannot be scheduled, dynamic resource allocation is not enabled",
                       pod);
  }
  for (size_t i = 0; i < task.extras->claims.size(); ++i) {
    const PodClaimRef& ref = task.extras->claims[i];
    const int32_t claim_id = task.extras->claim_ids[i];
    if (claim_id == kNone) {
      return fmt::format("failed to get resource claim {}/{}: not found",
                         cluster_.Text(cluster_.ClassOf(id).namespace_name), ref.claim_name);
    }
    const ClaimState& claim = cluster_.devices.claims[claim_id];
    const std::string name = claim.spec.namespace_name + "/" + claim.spec.name;
    if (claim.consumers.size() >= kMaxConsumers &&
        !claim.consumers.contains(std::string(cluster_.Text(task.uid)))) {
      return fmt::format("resource claim {} has reached its maximum number of consumers ({})", name,
                         kMaxConsumers);
    }
    const bool own = ref.from_template || !claim.spec.owner_pod_uid.empty();
    if (!own && GpuDevices(claim.spec) > 0) {
      const std::string& key = session_.config.queue_label_key;
      auto label = claim.spec.labels.find(key);
      if (label == claim.spec.labels.end()) {
        return fmt::format(
            "pod {} cannot be scheduled: DRA claim {} is a shared GPU claim but does "
            "not have a queue label ({})",
            pod, claim.spec.name, key);
      }
      if (label->second != QueueOf(id)) {
        return fmt::format(
            "pod {} cannot be scheduled: DRA claim {} is a shared GPU claim with wrong "
            "queue label (expected queue: {}, claim queue label: {})",
            pod, claim.spec.name, QueueOf(id), label->second);
      }
    }
    if (claim.allocation) continue;
    for (const auto& request : claim.spec.requests) {
      if (!cluster_.devices.classes.contains(request.device_class)) {
        return fmt::format("request {}: device class {} does not exist", request.name,
                           request.device_class);
      }
    }
  }
  return std::nullopt;
}

std::optional<std::string> DevicePlanner::Check(TaskId id, NodeId node) const {
  if (!Concerns(id)) return std::nullopt;
  const Task& task = cluster_.tasks[id];
  const std::string_view name = cluster_.Text(cluster_.nodes[node].name);
  for (int32_t claim_id : task.extras ? task.extras->claim_ids : std::vector<int32_t>()) {
    if (claim_id == kNone) return "a resource claim of the pod does not exist";
    const ClaimState& claim = cluster_.devices.claims[claim_id];
    if (!claim.allocation || !claim.allocation->node_selector) continue;
    if (!Matches(*claim.allocation->node_selector, cluster_.LabelsOf(node), name)) {
      return fmt::format("claim {}/{} node selector does not match node {}",
                         claim.spec.namespace_name, claim.spec.name, name);
    }
  }
  if (!Solve(id, node)) return "cannot allocate all claims";
  return std::nullopt;
}

std::vector<DevicePlanner::Device> DevicePlanner::DevicesOn(NodeId node) const {
  const std::string_view node_name = cluster_.Text(cluster_.nodes[node].name);
  const NamedLabels labels = cluster_.LabelsOf(node);
  std::map<std::pair<std::string, std::string>, int64_t> generations;
  for (const auto& [name, slice] : cluster_.devices.slices) {
    auto& newest = generations[{slice.driver, slice.pool}];
    newest = std::max(newest, slice.pool_generation);
  }
  std::vector<Device> devices;
  for (const auto& [name, slice] : cluster_.devices.slices) {
    if (slice.pool_generation != generations[{slice.driver, slice.pool}]) continue;
    const bool here = slice.all_nodes || slice.node_name == node_name ||
                      (slice.node_selector && Matches(*slice.node_selector, labels, node_name));
    if (!here) continue;
    for (const auto& device : slice.devices) devices.push_back({&slice, &device});
  }
  return devices;
}

bool DevicePlanner::InUse(const Device& device) const {
  const auto takes = [&](const std::optional<ClaimAllocation>& allocation) {
    if (!allocation) return false;
    return std::any_of(
        allocation->devices.begin(), allocation->devices.end(), [&](const AllocatedDevice& taken) {
          return taken.device == device.spec->name && taken.pool == device.slice->pool &&
                 taken.driver == device.slice->driver;
        });
  };
  for (const auto& claim : cluster_.devices.claims) {
    if (claim.exists && takes(claim.allocation)) return true;
  }
  return std::any_of(extended_tasks_.begin(), extended_tasks_.end(), [&](TaskId id) {
    const auto& extras = cluster_.tasks[id].extras;
    return extras && takes(extras->extended_claim);
  });
}

bool DevicePlanner::Selected(const Device& device, const DeviceRequestSpec& request) const {
  for (const auto& taint : device.spec->taints) {
    if (taint.effect != "NoSchedule" && taint.effect != "NoExecute") continue;
    const bool tolerated =
        std::any_of(request.tolerations.begin(), request.tolerations.end(),
                    [&](const Toleration& toleration) { return Tolerates(toleration, taint); });
    if (!tolerated) return false;
  }
  auto device_class = cluster_.devices.classes.find(request.device_class);
  if (device_class == cluster_.devices.classes.end()) return false;
  return selectors_.Match(*device.slice, *device.spec, device_class->second.cel_selectors) &&
         selectors_.Match(*device.slice, *device.spec, request.cel_selectors);
}

bool DevicePlanner::ConstraintsHold(const std::vector<Device>& devices,
                                    const ResourceClaimSpec& claim,
                                    const std::vector<AllocatedDevice>& results,
                                    const std::vector<size_t>& picked) const {
  for (const auto& constraint : claim.constraints) {
    if (constraint.match_attribute.empty()) continue;
    const DeviceAttribute* common = nullptr;
    for (size_t i = 0; i < results.size(); ++i) {
      const auto& names = constraint.requests;
      if (!names.empty() &&
          std::find(names.begin(), names.end(), results[i].request) == names.end()) {
        continue;
      }
      const Device& device = devices[picked[i]];
      const auto* value = Attribute(*device.slice, *device.spec, constraint.match_attribute);
      if (!value || (common && !(*common == *value))) return false;
      common = value;
    }
  }
  return true;
}

// Depth first over requests and devices, in order, bounded.
bool DevicePlanner::Assign(const std::vector<Device>& devices, const ResourceClaimSpec& claim,
                           size_t request_at, int64_t taken, size_t from, std::vector<char>& used,
                           std::vector<AllocatedDevice>& results, std::vector<size_t>& picked,
                           int64_t& steps) const {
  if (++steps > kMaxSteps) return false;
  if (request_at == claim.requests.size()) return true;
  const DeviceRequestSpec& request = claim.requests[request_at];
  if (request.mode == DeviceAllocationMode::kUnknown) return false;
  if (request.mode == DeviceAllocationMode::kAll) {
    const size_t before = results.size();
    // How many "all" are is known only when every slice of every pool is.
    const bool known = std::all_of(devices.begin(), devices.end(), [&](const Device& device) {
      return Complete(cluster_.devices, *device.slice);
    });
    if (!known) return false;
    for (size_t i = 0; i < devices.size(); ++i) {
      if (used[i] && Selected(devices[i], request)) return false;
    }
    for (size_t i = 0; i < devices.size(); ++i) {
      if (!Selected(devices[i], request)) continue;
      results.push_back(
          {request.name, devices[i].slice->driver, devices[i].slice->pool, devices[i].spec->name});
      picked.push_back(i);
      used[i] = 1;
    }
    const bool some = results.size() > before;
    if (some && ConstraintsHold(devices, claim, results, picked) &&
        Assign(devices, claim, request_at + 1, 0, 0, used, results, picked, steps)) {
      return true;
    }
    while (results.size() > before) {
      used[picked.back()] = 0;
      picked.pop_back();
      results.pop_back();
    }
    return false;
  }
  if (taken == std::max<int64_t>(request.count, 1)) {
    return Assign(devices, claim, request_at + 1, 0, 0, used, results, picked, steps);
  }
  for (size_t i = from; i < devices.size(); ++i) {
    if (used[i] || !Selected(devices[i], request)) continue;
    results.push_back(
        {request.name, devices[i].slice->driver, devices[i].slice->pool, devices[i].spec->name});
    picked.push_back(i);
    used[i] = 1;
    if (ConstraintsHold(devices, claim, results, picked) &&
        Assign(devices, claim, request_at, taken + 1, i + 1, used, results, picked, steps)) {
      return true;
    }
    used[i] = 0;
    picked.pop_back();
    results.pop_back();
  }
  return false;
}

std::optional<ClaimAllocation> DevicePlanner::SolveClaim(const std::vector<Device>& devices,
                                                         const ResourceClaimSpec& claim,
                                                         NodeId node, std::vector<char>& used,
                                                         int64_t& steps) const {
  for (const auto& request : claim.requests) {
    if (request.count > static_cast<int64_t>(devices.size())) return std::nullopt;
  }
  ClaimAllocation allocation;
  std::vector<size_t> picked;
  if (!Assign(devices, claim, 0, 0, 0, used, allocation.devices, picked, steps)) {
    return std::nullopt;
  }
  const bool bound = std::any_of(picked.begin(), picked.end(),
                                 [&](size_t i) { return !devices[i].slice->node_name.empty(); });
  if (bound) allocation.node_selector = OnlyNode(cluster_.Text(cluster_.nodes[node].name));
  return allocation;
}

ExtendedClaim DevicePlanner::ExtendedClaimOn(TaskId id, NodeId node) const {
  const auto& offers = cluster_.name_lists[cluster_.nodes[node].offers];
  return MakeExtendedClaim(*cluster_.ClassOf(id).shape, classes_by_resource_,
                           [&](const std::string& resource) {
                             const NameId name = cluster_.names.Find(resource);
                             return std::find(offers.begin(), offers.end(), name) != offers.end();
                           });
}

std::optional<DevicePlanner::Solution> DevicePlanner::Solve(TaskId id, NodeId node) const {
  Solution solution;
  const Task& task = cluster_.tasks[id];
  const std::vector<Device> devices = DevicesOn(node);
  std::vector<char> used(devices.size());
  for (size_t i = 0; i < devices.size(); ++i) used[i] = InUse(devices[i]);
  int64_t steps = 0;
  for (int32_t claim_id : task.extras ? task.extras->claim_ids : std::vector<int32_t>()) {
    if (claim_id == kNone) return std::nullopt;
    const ClaimState& claim = cluster_.devices.claims[claim_id];
    const bool seen = std::any_of(solution.claims.begin(), solution.claims.end(),
                                  [&](const auto& entry) { return entry.first == claim_id; });
    if (claim.allocation || seen) continue;
    auto allocation = SolveClaim(devices, claim.spec, node, used, steps);
    if (!allocation) return std::nullopt;
    solution.claims.emplace_back(claim_id, *std::move(allocation));
  }
  if (!MayNeedExtended(id) || (task.extras && task.extras->extended_claim)) return solution;
  const ExtendedClaim extended = ExtendedClaimOn(id, node);
  if (extended.claim.requests.empty()) return solution;
  solution.extended = SolveClaim(devices, extended.claim, node, used, steps);
  if (!solution.extended) return std::nullopt;
  return solution;
}

void DevicePlanner::OnAllocate(TaskId id, NodeId node) {
  if (!Concerns(id)) return;
  Task& task = cluster_.tasks[id];
  TaskExtras& extras = task.Extras();
  const std::string uid(cluster_.Text(task.uid));
  // A victim that comes back has its own devices again.
  if (const auto own = extended_claims_.find(uid); own != extended_claims_.end()) {
    ClaimState& claim = cluster_.devices.claims[own->second];
    cluster_.journal.SaveObject(claim.allocation);
    claim.allocation = claim.spec.allocation;
  }
  const auto solution = Solve(id, node);
  for (int32_t claim_id : extras.claim_ids) {
    if (claim_id == kNone) continue;
    ClaimState& claim = cluster_.devices.claims[claim_id];
    cluster_.journal.SaveObject(claim.allocation);
    cluster_.journal.SaveObject(claim.consumers);
    claim.consumers.insert(uid);
    if (!solution) continue;
    for (const auto& [solved, allocation] : solution->claims) {
      if (solved == claim_id && !claim.allocation) claim.allocation = allocation;
    }
  }
  if (!solution || !solution->extended || extended_claims_.contains(uid)) return;
  cluster_.journal.SaveObject(extras.extended_claim);
  extras.extended_claim = solution->extended;
  extended_tasks_.push_back(id);
}

void DevicePlanner::OnDeallocate(TaskId id, NodeId) {
  if (!Concerns(id)) return;
  const Task& task = cluster_.tasks[id];
  const std::string uid(cluster_.Text(task.uid));
  if (const auto own = extended_claims_.find(uid); own != extended_claims_.end()) {
    ClaimState& claim = cluster_.devices.claims[own->second];
    cluster_.journal.SaveObject(claim.allocation);
    claim.allocation.reset();
  }
  if (!task.extras) return;
  if (task.extras->extended_claim) {
    cluster_.journal.SaveObject(task.extras->extended_claim);
    task.extras->extended_claim.reset();
  }
  for (int32_t claim_id : task.extras->claim_ids) {
    if (claim_id == kNone) continue;
    ClaimState& claim = cluster_.devices.claims[claim_id];
    cluster_.journal.SaveObject(claim.allocation);
    cluster_.journal.SaveObject(claim.consumers);
    claim.consumers.erase(uid);
    if (claim.consumers.empty()) claim.allocation.reset();
  }
}

void DevicePlanner::Describe(TaskId id, BindExtras& extras) const {
  const Task& task = cluster_.tasks[id];
  if (!task.extras) return;
  for (size_t i = 0; i < task.extras->claims.size(); ++i) {
    const int32_t claim_id = task.extras->claim_ids[i];
    if (claim_id == kNone || !cluster_.devices.claims[claim_id].allocation) continue;
    extras.claim_allocations[task.extras->claims[i].name] =
        *cluster_.devices.claims[claim_id].allocation;
  }
  if (!task.extras->extended_claim || task.node == kNone) return;
  ExtendedClaim extended = ExtendedClaimOn(id, task.node);
  extras.extended_claim_allocation = task.extras->extended_claim;
  extras.extended_claim_requests = std::move(extended.claim.requests);
  extras.extended_claim_mappings = std::move(extended.mappings);
}

}  // namespace coppice::engine
