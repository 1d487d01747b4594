#include "scenario/invariants/invariants.h"

#include <fmt/format.h>

#include "api/view/core.h"
#include "kube/object.h"
#include "scenario/invariants/cache_check.h"

namespace coppice::scenario {
namespace {

using base::Quantity;
using json::Value;

void CheckNode(const Value& node, const ResourceMap& used, Violations& out) {
  for (const auto& [name, amount] : used) {
    const Quantity room = ReadQuantity(view::core::Node(node).status().allocatable()[name]);
    if (amount <= room) continue;
    out.push_back(fmt::format("node {} holds {} of {}, more than {}", kube::Name(node),
                              amount.ToString(), name, room.ToString()));
  }
}

void CheckCapacity(const World& world, Violations& out) {
  std::map<std::string, ResourceMap> used;
  for (const Value& pod : world.pods) {
    if (IsBound(pod) && HoldsResources(pod)) {
      AddRequests(pod, used[std::string(NodeOf(pod))]);
    }
  }
  for (const Value& node : world.nodes) CheckNode(node, used[std::string(kube::Name(node))], out);
}

}  // namespace

// Pods that were bound since the last look.
FreshPods Invariants::NoteBinds(const World& world, Violations& out) {
  FreshPods fresh;
  for (const Value& pod : world.pods) {
    if (!IsBound(pod)) continue;
    const std::string node(NodeOf(pod));
    const auto [known, is_fresh] = node_of_.try_emplace(std::string(kube::Uid(pod)), node);
    if (is_fresh) {
      fresh.push_back(&pod);
    } else if (known->second != node) {
      out.push_back(fmt::format("pod {} moved from {} to {}", PodName(pod), known->second, node));
    }
  }
  return fresh;
}

base::Result<Violations> Invariants::Check(kube::Client& client, base::Time now,
                                           const Scope& scope) {
  COPPICE_ASSIGN(const World world, ReadWorld(client, now));
  Violations out;
  CheckCapacity(world, out);
  const FreshPods fresh = NoteBinds(world, out);
  CheckQueueLimits(world, fresh, out);
  gangs_.Check(world, fresh, scope.gang_grace, out);
  CheckSharedGpus(world, out);
  CheckDevices(world, out);
  gates_.Check(world, out);
  reservations_.Check(world, out);
  if (scope.at_rest != nullptr) CheckCache(world, scope.at_rest->runtime().cache, out);
  return out;
}

base::Status Invariants::Accept(kube::Client& client, base::Time now) {
  COPPICE_ASSIGN(const World world, ReadWorld(client, now));
  Violations given;
  NoteBinds(world, given);
  gates_.Accept(world);
  return {};
}

}  // namespace coppice::scenario
