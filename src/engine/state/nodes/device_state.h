#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/model/devices.h"
#include "engine/state/values/names.h"
#include "engine/state/values/resources.h"

namespace coppice::engine {

// A claim with the current cycle's assumptions about it.
struct ClaimState {
  ResourceClaimSpec spec;
  bool exists = false;
  std::optional<ClaimAllocation> allocation;
  std::set<std::string> consumers;  // Pod uids.
};

// Claims, slices and classes of dynamic resource allocation. A claim keeps its id forever. Every
// change is tracked: derived state is recomputed at the start of the next cycle.
class DeviceState {
 public:
  void PutClass(const DeviceClassSpec& spec);
  void RemoveClass(std::string_view name);
  void PutSlice(const ResourceSliceSpec& spec);
  void RemoveSlice(std::string_view name);
  void PutClaim(const ResourceClaimSpec& spec);
  void RemoveClaim(std::string_view namespace_name, std::string_view name);
  // Call when a pod with claims came or went.
  void ClaimantsChanged() { changed_ = true; }

  const std::map<std::string, DeviceClassSpec>& classes() const { return classes_; }
  const std::map<std::string, ResourceSliceSpec>& slices() const { return slices_; }
  const std::vector<ClaimState>& claims() const { return claims_; }
  // The planner may change the cycle's assumptions about a claim.
  ClaimState& claim(int32_t id) { return claims_[id]; }
  int32_t Find(std::string_view namespace_name, std::string_view name) const;  // kNone: none.
  bool empty() const { return classes_.empty() && slices_.empty() && claims_.empty(); }

  // Whether anything has changed since the last call.
  bool TakeChanged() { return std::exchange(changed_, false); }
  // Determines which resources device classes serve.
  void ResolveServed(const ResourceIndex& resources);
  // Whether claims for extended resources serve it.
  bool Serves(int resource) const {
    return resource < static_cast<int>(served_.size()) && served_[resource];
  }

 private:
  std::map<std::string, DeviceClassSpec> classes_;
  std::map<std::string, ResourceSliceSpec> slices_;
  std::vector<ClaimState> claims_;
  std::map<std::pair<std::string, std::string>, int32_t> claim_ids_;
  std::vector<bool> served_;  // By resource.
  bool changed_ = true;
};

}  // namespace coppice::engine
