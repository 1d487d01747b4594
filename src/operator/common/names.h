#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "json/value.h"

// Names of generated objects. `i` is the index of a set replica, `j` that of a scaling group
// replica.
namespace coppice::operators::names {

// The headless service and base gang of a replica: "<set>-<i>".
std::string Replica(std::string_view set, int i);
// "<set>-<i>.<namespace>.svc.cluster.local"
std::string ServiceDns(std::string_view set, int i, std::string_view ns);
// "<set>-<i>-<clique>"
std::string StandaloneClique(std::string_view set, int i, std::string_view clique);
// "<set>-<i>-<group>"
std::string ScalingGroup(std::string_view set, int i, std::string_view group);
// "<scaling group>-<j>-<clique>"
std::string MemberClique(std::string_view scaling_group, int j, std::string_view clique);
// The gang of scaling group replica `j`: the base gang if `j` is below `min_available`, else a
// scaled gang, whose index starts at 0 again.
std::string GangOfMember(std::string_view set, int i, std::string_view scaling_group, int j,
                         int min_available);

std::string Role(std::string_view set);
std::string TokenSecret(std::string_view set);
std::string LegacyTokenSecret(std::string_view set);
// The shared claim of `owner` for all its replicas, or for replica `index`.
std::string Claim(std::string_view owner, std::optional<int> index,
                  std::string_view claim_template);
std::string ComputeDomain(std::string_view set, int i, std::string_view group);

// The clique's name in the set's template, derived from a PodClique's labels.
std::string CliqueTemplateName(const json::Value& pod_clique);
// The group's name in the set's template, derived from a PodCliqueScalingGroup's labels.
std::string GroupConfigName(const json::Value& scaling_group);
// The value of an index label; nullopt if it is missing or not a number.
std::optional<int> IndexLabel(const json::Value& object, std::string_view label);

}  // namespace coppice::operators::names
