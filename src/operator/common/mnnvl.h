#pragma once

#include <set>
#include <string>

#include "api/grove/pod_clique_set.h"
#include "json/value.h"
#include "operator/runtime/labels.h"

// Multi-node NVLink: cliques that use GPUs and are enrolled in a group share a ComputeDomain.
namespace coppice::operators {

// True if a container of the template requests NVIDIA GPUs.
bool UsesGpus(const json::Value& pod_spec);
// The group named at the innermost level (clique, then scaling group, then set); "" if none is
// named or the innermost level opts out.
std::string MnnvlGroup(const StringMap& clique, const StringMap& scaling_group,
                       const StringMap& set);
// The groups of a set that have at least one clique with GPUs.
std::set<std::string> MnnvlGroupsInUse(const api::grove::PodCliqueSet& set);
// Adds a claim on a ComputeDomain to the pod and to each container with GPUs.
void InjectMnnvlClaim(json::Value& pod_spec, const std::string& claim_template);

}  // namespace coppice::operators
