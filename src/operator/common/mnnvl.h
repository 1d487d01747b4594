#pragma once

#include <set>
#include <string>

#include "api/grove/pod_clique_set.h"
#include "json/value.h"
#include "operator/runtime/labels.h"

// Multi-node NVLink: cliques that use GPUs and are enrolled in a group share a ComputeDomain.
namespace coppice::operators {

// True when a container of the template asks for NVIDIA GPUs.
bool UsesGpus(const json::Value& pod_spec);
// The group that the nearest layer names (clique, then scaling group, then set); "" when none does
// or the nearest one opts out.
std::string MnnvlGroup(const StringMap& clique, const StringMap& scaling_group,
                       const StringMap& set);
// Groups of a set that at least one clique with GPUs is in.
std::set<std::string> MnnvlGroupsInUse(const api::grove::PodCliqueSet& set);
// Adds the claim on a ComputeDomain to the pod and to each of its containers with GPUs.
void InjectMnnvlClaim(json::Value& pod_spec, const std::string& claim_template);

}  // namespace coppice::operators
