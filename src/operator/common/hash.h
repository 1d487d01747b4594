#pragma once

#include <string>

#include "api/grove/pod_clique_set.h"

namespace coppice::operators {

// Identifies the pod template of a clique: its labels, annotations and pod spec, with the set's
// priority class instead of the pod's own. Replicas, minimum, startup order, autoscaling and
// topology are not part of the hash.
//
// A set whose pods were created by another operator or another release keeps the hashes found on it
// (adopted_hashes.h) until its template changes.
std::string PodTemplateHash(const api::grove::PodCliqueTemplate& clique,
                            const api::grove::PodCliqueSet& set);

// The hash of all cliques of a set. For a set with one clique it equals that clique's hash.
std::string GenerationHash(const api::grove::PodCliqueSet& set);

// The hashes as we compute them, ignoring adopted ones.
std::string OwnPodTemplateHash(const api::grove::PodCliqueTemplate& clique,
                               const api::grove::PodCliqueSetTemplate& set);
std::string OwnGenerationHash(const api::grove::PodCliqueSetTemplate& set);

}  // namespace coppice::operators
