#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/quantity.h"
#include "base/result.h"
#include "kube/client/client.h"

namespace coppice::scenario {

using ResourceMap = std::map<std::string, base::Quantity>;
inline constexpr const char* kCpu = "cpu";
inline constexpr const char* kMemory = "memory";
inline constexpr const char* kPodSlots = "pods";
using Violations = std::vector<std::string>;

// What the API shows at one moment, as far as the invariants need it.
struct World {
  base::Time now;
  std::vector<json::Value> pods, nodes, queues, groups, bind_requests, claims;
};

base::Result<World> ReadWorld(kube::Client& client, base::Time now);

base::Quantity ReadQuantity(const json::Value& value);
// Not yet at its end: it keeps what it asked for.
bool HoldsResources(const json::Value& pod);
// "" until the pod is bound.
std::string_view NodeOf(const json::Value& pod);
bool IsBound(const json::Value& pod);
// Adds what the pod's containers request, and the pod itself.
void AddRequests(const json::Value& pod, ResourceMap& used);
// What one container asks for in parts of a GPU: 0.5, or 0 when it asks for none.
double FractionOf(const json::Value& pod);
std::string PodName(const json::Value& pod);

}  // namespace coppice::scenario
