#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "backends/framework/ladder.h"

namespace coppice::backends::koordinator {

// One PodGroup of the gang group.
struct Member {
  std::string role;
  std::string name;  // Of the PodGroup.
  int64_t minimum = 0;
  int64_t total = 0;  // Pods that carry its label.
};

// The gang as Koordinator sees it.
struct GangGroup {
  std::optional<Refusal> refusal;
  TopologyPlan topology;
  std::vector<Member> members;
  json::Value annotations = json::Value::Object();  // The same on every member.
  bool has_network_topology = false;                // Then no other terms count.
  // Surplus pods stay outside: those that do not fit would keep Koordinator from trying any again.
  bool core_only = false;

  const Member* MemberOf(std::string_view role) const;
};

GangGroup MakeGangGroup(const GangInput& input);

int64_t TimeoutSeconds(const GangInput& input);

}  // namespace coppice::backends::koordinator
