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
  int64_t total = 0;  // Pods with its label.
};

// The gang in Koordinator's terms.
struct GangGroup {
  std::optional<Refusal> refusal;
  TopologyPlan topology;
  std::vector<Member> members;
  json::Value annotations = json::Value::Object();  // The same on every member.
  bool has_network_topology = false;                // If true, other terms have no effect.
  // Surplus pods are not in the gang group: if some of them did not fit, Koordinator would not
  // retry any.
  bool core_only = false;

  const Member* MemberOf(std::string_view role) const;
};

GangGroup MakeGangGroup(const GangInput& input);

int64_t TimeoutSeconds(const GangInput& input);

}  // namespace coppice::backends::koordinator
