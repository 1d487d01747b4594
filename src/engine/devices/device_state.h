#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/devices.h"
#include "engine/state/names.h"

namespace coppice::engine {

// A claim with what this cycle assumes about it.
struct ClaimState {
  ResourceClaimSpec spec;
  bool exists = false;
  std::optional<ClaimAllocation> allocation;
  std::set<std::string> consumers;  // Pod uids.
};

// Claims, slices and classes of dynamic resource allocation.
struct DeviceState {
  std::map<std::string, DeviceClassSpec> classes;
  std::map<std::string, ResourceSliceSpec> slices;
  std::vector<ClaimState> claims;
  std::map<std::pair<std::string, std::string>, int32_t> claim_ids;
  bool changed = true;

  int32_t Find(const std::string& namespace_name, const std::string& name) const {
    auto found = claim_ids.find({namespace_name, name});
    return found == claim_ids.end() || !claims[found->second].exists ? kNone : found->second;
  }
  bool empty() const { return classes.empty() && slices.empty() && claims.empty(); }
};

}  // namespace coppice::engine
