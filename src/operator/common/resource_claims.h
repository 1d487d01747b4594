#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/grove/pod_clique_set.h"
#include "operator/runtime/context.h"
#include "operator/runtime/labels.h"
#include "operator/runtime/step_outcome.h"

// Device claims that pods of a set, a scaling group or a clique share.
namespace coppice::operators {

// A claim that `owner` shares among all its replicas, or (PerReplica) within each one.
struct SharedClaim {
  std::string name;  // Of the claim template.
  std::string ns;    // Of the claim template; "" searches the set first.
  bool per_replica = false;
};

// The desired claims of one owner.
struct ClaimLevel {
  const json::Value& owner;
  std::vector<SharedClaim> claims;
  int replicas = 0;
  StringMap labels;              // Distinguish the claims of this level from others of the set.
  std::string_view index_label;  // Holds the replica of per-replica claims.
  std::string_view error_code;   // The error code in the owner's status.
  std::set<int> in_use = {};     // Replicas that still exist, including those beyond `replicas`.
};

ClaimLevel SetClaims(const api::grove::PodCliqueSet& set);
ClaimLevel GroupClaims(const api::grove::ScalingGroupConfig& config,
                       const api::grove::PodCliqueScalingGroup& group);
// `pods` are the indices of the clique's pods, which need not be the lowest after scaling in.
ClaimLevel CliqueClaims(const api::grove::PodCliqueTemplate& config,
                        const api::grove::PodClique& clique, std::set<int> pods = {});

// Looks up a ResourceClaimTemplate in the cluster.
using FindClaimTemplate = std::function<base::Result<json::Value>(const api::ObjectKey&)>;

// The claims of one owner, ready to be created.
base::Result<std::vector<json::Value>> BuildClaims(const Config& config,
                                                   const api::grove::PodCliqueSet& set,
                                                   const ClaimLevel& level,
                                                   const FindClaimTemplate& find);

// Creates missing claims and deletes per-replica claims of replicas that are gone.
StepOutcome SyncClaims(const Context& context, const api::grove::PodCliqueSet& set,
                       const ClaimLevel& level);

// Whether the set's queue changed. The claims of its groups and cliques carry the queue and must be
// updated.
bool ClaimsMoved(const kube::Change& set);

// The names of the claims that a pod uses, from the outermost to the innermost level.
// `group_replica` is set for members of a scaling group, whose name is `group`.
std::vector<std::string> ClaimsOfPod(const api::grove::PodCliqueSet& set, int replica,
                                     const api::grove::PodCliqueTemplate& clique,
                                     const std::string& group, std::optional<int> group_replica,
                                     const std::string& clique_name, int pod_index);
// Adds the claims to the pod and a reference to each of its containers.
void AddClaims(json::Value& pod_spec, const std::vector<std::string>& claims);

}  // namespace coppice::operators
