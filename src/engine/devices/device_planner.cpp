#include "engine/devices/device_planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/model/device_names.h"
#include "engine/state/jobs/status.h"

namespace coppice::engine {
namespace {

constexpr size_t kMaxConsumers = 256;

NodeSelector OnlyNode(std::string_view name) {
  return {{{{}, {{"metadata.name", SelectorOperator::kIn, {std::string(name)}}}}}};
}

bool AnyOf(const std::vector<DeviceRequestSpec>& requests, const std::vector<std::string>& names) {
  return std::any_of(requests.begin(), requests.end(), [&](const auto& request) {
    return std::find(names.begin(), names.end(), request.name) != names.end();
  });
}

// The configuration of the requests' classes, then that of the claim itself.
std::vector<DeviceConfig> ConfigFor(const ResourceClaimSpec& claim,
                                    const std::map<std::string, DeviceClassSpec>& classes) {
  std::vector<DeviceConfig> all;
  std::set<std::string> done;
  for (const auto& first : claim.requests) {
    const auto device_class = classes.find(first.device_class);
    if (device_class == classes.end() || !done.insert(first.device_class).second) continue;
    std::vector<std::string> names;
    for (const auto& request : claim.requests) {
      if (request.device_class == first.device_class) names.push_back(request.name);
    }
    for (const auto& config : device_class->second.config) {
      all.push_back({"FromClass", names, config.configuration});
    }
  }
  for (const auto& config : claim.config) {
    if (!config.requests.empty() && !AnyOf(claim.requests, config.requests)) continue;
    all.push_back({"FromClaim", config.requests, config.configuration});
  }
  return all;
}

}  // namespace

DevicePlanner::DevicePlanner(Session& session) : session_(session), cluster_(session.cluster) {
  for (size_t i = 0; i < cluster_.devices().claims().size(); ++i) {
    ClaimState& claim = cluster_.devices().claim(static_cast<int32_t>(i));
    claim.allocation = claim.spec.allocation;
    claim.consumers.clear();
    for (const auto& consumer : claim.spec.reserved_for) claim.consumers.insert(consumer.uid);
    if (claim.exists && claim.spec.for_extended_resources) {
      extended_claims_[claim.spec.owner_pod_uid] = static_cast<int32_t>(i);
    }
  }
  classes_by_resource_ = ClassesByResource(cluster_.devices().classes());
  for (TaskId task_id = 0; task_id < static_cast<TaskId>(cluster_.tasks().size()); ++task_id) {
    const Task& task = cluster_.tasks()[task_id];
    if (!task.exists || !task.extras) continue;
    const bool finished =
        task.status == TaskStatus::kSucceeded || task.status == TaskStatus::kFailed;
    if (finished) continue;
    if (task.extras->extended_claim) {
      extended_tasks_.push_back(task_id);
      if (task.node != kNone) {
        held_.emplace(task_id, Held{task.node, *task.extras->extended_claim});
      }
    }
    for (size_t i = 0; i < task.extras->claims.size(); ++i) {
      const int32_t id = task.extras->claim_ids[i];
      if (id == kNone) continue;
      ClaimState& claim = cluster_.devices().claim(id);
      auto given = task.extras->claim_allocations.find(task.extras->claims[i].name);
      if (given != task.extras->claim_allocations.end() && !claim.allocation) {
        claim.allocation = given->second;
      }
      if (IsUsed(task.status)) claim.consumers.insert(std::string(cluster_.Text(task.uid)));
    }
  }
}

std::string DevicePlanner::QueueOf(TaskId task) const {
  const Job& job = cluster_.jobs()[cluster_.tasks()[task].job];
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
  const Task& task = cluster_.tasks()[id];
  return (task.extras && !task.extras->claims.empty()) || MayNeedExtended(id);
}

std::optional<std::string> DevicePlanner::PreFilter(TaskId id) const {
  const Task& task = cluster_.tasks()[id];
  if (!task.extras || task.extras->claims.empty()) return std::nullopt;
  const std::string pod = cluster_.PodName(id);
  if (!session_.config.dra_available) {
    std::vector<std::string> names;
    for (const auto& claim : task.extras->claims) names.push_back(claim.name);
    return fmt::format(
        "pod {} cannot be scheduled, it references resource claims <{}> while dynamic resource "
        "allocation is not available in the cluster",
        pod, fmt::join(names, ", "));
  }
  for (size_t i = 0; i < task.extras->claims.size(); ++i) {
    const PodClaimRef& ref = task.extras->claims[i];
    const int32_t claim_id = task.extras->claim_ids[i];
    if (claim_id == kNone) {
      return fmt::format("failed to get resource claim {}/{}: not found",
                         cluster_.Text(cluster_.ClassOf(id).namespace_name), ref.claim_name);
    }
    const ClaimState& claim = cluster_.devices().claims()[claim_id];
    const std::string name = claim.spec.namespace_name + "/" + claim.spec.name;
    if (claim.consumers.size() >= kMaxConsumers &&
        !claim.consumers.contains(std::string(cluster_.Text(task.uid)))) {
      return fmt::format("resource claim {} has reached its maximum number of consumers ({})", name,
                         kMaxConsumers);
    }
    const bool own = ref.from_template || !claim.spec.owner_pod_uid.empty();
    if (!own && GpuDevices(claim.spec, GpuNamesOf(session_.config)) > 0) {
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
      if (!cluster_.devices().classes().contains(request.device_class)) {
        return fmt::format("device class {} does not exist for claim {} request {}",
                           request.device_class, name, request.name);
      }
    }
  }
  return std::nullopt;
}

bool DevicePlanner::On(const Session& session) {
  return session.plugins.dynamicresources &&
         (!session.cluster.devices().empty() || !session.cluster.tasks().claimants().empty());
}

bool DevicePlanner::Filter(TaskId task, NodeId node, std::vector<std::string>* why) const {
  std::optional<std::string> reason = Check(task, node);
  if (!reason) return true;
  if (why) why->push_back(std::move(*reason));
  return false;
}

void DevicePlanner::Missing(TaskId id, std::vector<Explanation::Change>& changes) const {
  const Task& task = cluster_.tasks()[id];
  if (!task.extras || !session_.config.dra_available) return;
  for (size_t i = 0; i < task.extras->claims.size(); ++i) {
    const int32_t claim = task.extras->claim_ids[i];
    const std::string& name = task.extras->claims[i].claim_name;
    if (claim != kNone) {
      MissingClasses(cluster_.devices().claims()[claim], changes);
    } else if (!name.empty()) {
      changes.push_back(ToCreate("ResourceClaim", name));
    }
  }
}

void DevicePlanner::MissingClasses(const ClaimState& claim,
                                   std::vector<Explanation::Change>& changes) const {
  if (claim.allocation) return;
  for (const DeviceRequestSpec& request : claim.spec.requests) {
    if (!cluster_.devices().classes().contains(request.device_class)) {
      changes.push_back(ToCreate("DeviceClass", request.device_class));
    }
  }
}

std::optional<std::string> DevicePlanner::Check(TaskId id, NodeId node) const {
  if (!Concerns(id)) return std::nullopt;
  const Task& task = cluster_.tasks()[id];
  const std::string_view name = cluster_.Text(cluster_.nodes()[node].name);
  for (int32_t claim_id : task.extras ? task.extras->claim_ids : std::vector<int32_t>()) {
    if (claim_id == kNone) return "a resource claim of the pod does not exist";
    const ClaimState& claim = cluster_.devices().claims()[claim_id];
    if (!claim.allocation || !claim.allocation->node_selector) continue;
    if (!Matches(*claim.allocation->node_selector, cluster_.LabelsOf(node), name)) {
      return fmt::format("claim {}/{} node selector does not match node {}",
                         claim.spec.namespace_name, claim.spec.name, name);
    }
  }
  if (!Solve(id, node)) return fmt::format("cannot allocate all DRA claims on node {}", name);
  return std::nullopt;
}

std::vector<Device> DevicePlanner::DevicesOn(NodeId node) const {
  const std::string_view node_name = cluster_.Text(cluster_.nodes()[node].name);
  const NamedLabels labels = cluster_.LabelsOf(node);
  std::map<std::pair<std::string, std::string>, int64_t> generations;
  for (const auto& [name, slice] : cluster_.devices().slices()) {
    auto& newest = generations[{slice.driver, slice.pool}];
    newest = std::max(newest, slice.pool_generation);
  }
  std::vector<Device> devices;
  for (const auto& [name, slice] : cluster_.devices().slices()) {
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
          return !taken.admin_access && taken.device == device.spec->name &&
                 taken.pool == device.slice->pool && taken.driver == device.slice->driver;
        });
  };
  for (const auto& claim : cluster_.devices().claims()) {
    if (claim.exists && takes(claim.allocation)) return true;
  }
  return std::any_of(extended_tasks_.begin(), extended_tasks_.end(), [&](TaskId id) {
    const auto& extras = cluster_.tasks()[id].extras;
    return extras && takes(extras->extended_claim);
  });
}

// Allocates all of them together, as the Kubernetes allocator does.
std::optional<std::vector<ClaimAllocation>> DevicePlanner::Serve(
    NodeId node, std::span<const ResourceClaimSpec* const> claims) const {
  std::vector<Device> devices = DevicesOn(node);
  std::vector<char> used(devices.size());
  for (size_t i = 0; i < devices.size(); ++i) used[i] = InUse(devices[i]);
  DeviceSearch search(cluster_.devices(), selectors_, std::move(devices), std::move(used));
  auto found = search.Take(claims);
  if (!found) return std::nullopt;
  std::vector<ClaimAllocation> allocations(claims.size());
  for (size_t i = 0; i < claims.size(); ++i) {
    allocations[i].devices = std::move((*found)[i].devices);
    allocations[i].config = ConfigFor(*claims[i], cluster_.devices().classes());
    if ((*found)[i].on_node) {
      allocations[i].node_selector = OnlyNode(cluster_.Text(cluster_.nodes()[node].name));
    }
  }
  return allocations;
}

ExtendedClaim DevicePlanner::ExtendedClaimOn(TaskId id, NodeId node) const {
  const auto& offers = cluster_.name_lists()[cluster_.nodes()[node].offers];
  return MakeExtendedClaim(*cluster_.ClassOf(id).shape, classes_by_resource_,
                           [&](const std::string& resource) {
                             const NameId name = cluster_.names().Find(resource);
                             return std::find(offers.begin(), offers.end(), name) != offers.end();
                           });
}

std::optional<DevicePlanner::Solution> DevicePlanner::Solve(TaskId id, NodeId node) const {
  const Task& task = cluster_.tasks()[id];
  std::vector<int32_t> ids;
  std::vector<const ResourceClaimSpec*> claims;
  for (int32_t claim_id : task.extras ? task.extras->claim_ids : std::vector<int32_t>()) {
    if (claim_id == kNone) return std::nullopt;
    const ClaimState& claim = cluster_.devices().claims()[claim_id];
    if (claim.allocation || std::find(ids.begin(), ids.end(), claim_id) != ids.end()) continue;
    ids.push_back(claim_id);
    claims.push_back(&claim.spec);
  }
  ExtendedClaim extended;
  if (MayNeedExtended(id) && !(task.extras && task.extras->extended_claim)) {
    extended = ExtendedClaimOn(id, node);
    if (!extended.claim.requests.empty()) claims.push_back(&extended.claim);
  }
  Solution solution;
  if (claims.empty()) return solution;
  auto allocations = Serve(node, claims);
  if (!allocations) return std::nullopt;
  for (size_t i = 0; i < ids.size(); ++i) {
    solution.claims.emplace_back(ids[i], std::move((*allocations)[i]));
  }
  if (allocations->size() > ids.size()) solution.extended = std::move(allocations->back());
  return solution;
}

ClaimState* DevicePlanner::OwnExtendedClaim(TaskId id) {
  const Task& task = cluster_.tasks()[id];
  if (task.home == kNone) return nullptr;
  const auto found = extended_claims_.find(std::string(cluster_.Text(task.uid)));
  return found == extended_claims_.end() ? nullptr : &cluster_.devices().claim(found->second);
}

void DevicePlanner::OnAllocate(TaskId id, NodeId node) {
  if (!Concerns(id)) return;
  const TaskExtras& extras = cluster_.ExtrasOf(id);
  const std::string uid(cluster_.Text(cluster_.tasks()[id].uid));
  // A victim that returns gets its own devices back.
  ClaimState* const own = OwnExtendedClaim(id);
  if (own != nullptr) {
    cluster_.journal().SaveObject(own->allocation);
    own->allocation = own->spec.allocation;
  }
  const auto solution = Solve(id, node);
  for (int32_t claim_id : extras.claim_ids) {
    if (claim_id == kNone) continue;
    ClaimState& claim = cluster_.devices().claim(claim_id);
    cluster_.journal().SaveObject(claim.allocation);
    cluster_.journal().SaveObject(claim.consumers);
    claim.consumers.insert(uid);
    if (!solution) continue;
    for (const auto& [solved, allocation] : solution->claims) {
      if (solved == claim_id && !claim.allocation) claim.allocation = allocation;
    }
  }
  const auto held = held_.find(id);
  const bool comes_back = held != held_.end() && held->second.node == node;
  if (!comes_back && (!solution || !solution->extended || own != nullptr)) return;
  cluster_.SetExtendedClaim(id, comes_back ? held->second.devices : solution->extended);
  extended_tasks_.push_back(id);
}

void DevicePlanner::OnDeallocate(TaskId id, NodeId) {
  if (!Concerns(id)) return;
  const Task& task = cluster_.tasks()[id];
  const std::string uid(cluster_.Text(task.uid));
  if (ClaimState* const own = OwnExtendedClaim(id)) {
    cluster_.journal().SaveObject(own->allocation);
    own->allocation.reset();
  }
  if (!task.extras) return;
  if (task.extras->extended_claim) {
    cluster_.SetExtendedClaim(id, std::nullopt);
  }
  for (int32_t claim_id : task.extras->claim_ids) {
    if (claim_id == kNone) continue;
    ClaimState& claim = cluster_.devices().claim(claim_id);
    cluster_.journal().SaveObject(claim.allocation);
    cluster_.journal().SaveObject(claim.consumers);
    claim.consumers.erase(uid);
    if (claim.consumers.empty()) claim.allocation.reset();
  }
}

void DevicePlanner::Restore(TaskId id) {
  if (!cluster_.tasks()[id].extras) return;
  const auto held = held_.find(id);
  cluster_.SetExtendedClaim(
      id, held == held_.end() ? std::nullopt : std::optional(held->second.devices));
}

void DevicePlanner::Describe(TaskId id, BindExtras& extras) const {
  const Task& task = cluster_.tasks()[id];
  if (!task.extras) return;
  for (size_t i = 0; i < task.extras->claims.size(); ++i) {
    const int32_t claim_id = task.extras->claim_ids[i];
    if (claim_id == kNone || !cluster_.devices().claims()[claim_id].allocation) continue;
    extras.claim_allocations[task.extras->claims[i].name] =
        *cluster_.devices().claims()[claim_id].allocation;
  }
  if (!task.extras->extended_claim || task.node == kNone) return;
  ExtendedClaim extended = ExtendedClaimOn(id, task.node);
  extras.extended_claim_allocation = task.extras->extended_claim;
  extras.extended_claim_requests = std::move(extended.claim.requests);
  extras.extended_claim_mappings = std::move(extended.mappings);
}

}  // namespace coppice::engine
