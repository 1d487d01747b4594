#include "sim/invariants.h"

#include <fmt/format.h>

#include "api/well_known.h"
#include "base/quantity.h"
#include "kube/object.h"

namespace coppice::sim {
namespace {

using base::Quantity;
using json::Value;
using ResourceMap = std::map<std::string, Quantity>;

constexpr std::string_view kReservationNamespace = "kai-resource-reservation";

Quantity ReadQuantity(const Value& value) {
  if (value.IsInt()) return Quantity::FromUnits(value.AsInt());
  return Quantity::Parse(value.AsString()).value_or(Quantity());
}

bool HoldsResources(const Value& pod) {
  const std::string_view phase = pod["status"]["phase"].AsString();
  return phase != "Succeeded" && phase != "Failed";
}

void AddRequests(const Value& pod, ResourceMap& used) {
  for (const Value& container : pod["spec"]["containers"].Items()) {
    for (const json::Member& request : container["resources"]["requests"].Members()) {
      used[std::string(request.name())] += ReadQuantity(request.value);
    }
  }
  used["pods"] += Quantity::FromUnits(1);
}

std::string PodName(const Value& pod) { return kube::KeyOf(pod).ToString(); }

void CheckCapacity(const Value& node, const ResourceMap& used, std::vector<std::string>& out) {
  for (const auto& [name, amount] : used) {
    const Quantity room = ReadQuantity(node["status"]["allocatable"][name]);
    if (amount <= room) continue;
    out.push_back(fmt::format("node {} holds {} of {}, more than {}", kube::Name(node),
                              amount.ToString(), name, room.ToString()));
  }
}

// Reservation pods whose GPU group no other pod and no open bind request uses.
void CheckReservations(const std::vector<Value>& pods, const std::vector<Value>& requests,
                       std::vector<std::string>& out) {
  std::map<std::string, bool> used;
  for (const Value& pod : pods) {
    if (kube::Namespace(pod) == kReservationNamespace || !HoldsResources(pod)) continue;
    for (const json::Member& label : pod["metadata"]["labels"].Members()) {
      if (label.name().starts_with("runai-gpu-group")) used[label.value.ToString()] = true;
    }
  }
  for (const Value& request : requests) {
    for (const Value& group : request["spec"]["selectedGPUGroups"].Items()) {
      used[group.ToString()] = true;
    }
  }
  for (const Value& pod : pods) {
    const std::string group(kube::Label(pod, "runai-gpu-group"));
    if (kube::Namespace(pod) == kReservationNamespace && !kube::IsDeleting(pod) && !used[group]) {
      out.push_back(fmt::format("reservation {} holds GPU group {} for nobody", kube::Name(pod),
                                group));
    }
  }
}

}  // namespace

base::Result<std::vector<std::string>> Invariants::Check(kube::Client& client, bool settled) {
  COPPICE_ASSIGN(const kube::ObjectList pods, client.List(api::kPods));
  COPPICE_ASSIGN(const kube::ObjectList nodes, client.List(api::kNodes));
  std::vector<std::string> out;
  std::map<std::string, ResourceMap> used;
  for (const Value& pod : pods.items) {
    const std::string node = pod["spec"]["nodeName"].ToString();
    if (node.empty()) continue;
    if (!pod["spec"]["schedulingGates"].empty()) {
      out.push_back(fmt::format("pod {} is bound behind a gate", PodName(pod)));
    }
    const auto [known, fresh] = node_of_.try_emplace(std::string(kube::Uid(pod)), node);
    if (!fresh && known->second != node) {
      out.push_back(
          fmt::format("pod {} moved from {} to {}", PodName(pod), known->second, node));
    }
    if (HoldsResources(pod)) AddRequests(pod, used[node]);
  }
  for (const Value& node : nodes.items) {
    CheckCapacity(node, used[node["metadata"]["name"].ToString()], out);
  }
  if (!settled) return out;
  const auto requests = client.List(api::kBindRequests);
  CheckReservations(pods.items, requests ? requests->items : std::vector<Value>(), out);
  return out;
}

}  // namespace coppice::sim
