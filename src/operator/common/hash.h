#pragma once

#include <string>

#include "api/grove/pod_clique_set.h"

namespace coppice::operators {

// Tells pods of one template from those of another: labels, annotations and pod spec of a clique,
// with the set's priority class in place of the pod's own. Replicas, minimum, startup order,
// autoscaling and topology do not count.
//
// A set whose pods were made by another operator, or by another release of this one, keeps the
// hashes that were found on it (adopted_hashes.h) until its template changes.
std::string PodTemplateHash(const api::grove::PodCliqueTemplate& clique,
                            const api::grove::PodCliqueSet& set);

// All cliques of a set together; for a set of one clique it equals that clique's hash.
std::string GenerationHash(const api::grove::PodCliqueSet& set);

// The same as we compute them, whatever is found.
std::string OwnPodTemplateHash(const api::grove::PodCliqueTemplate& clique,
                               const api::grove::PodCliqueSetTemplate& set);
std::string OwnGenerationHash(const api::grove::PodCliqueSetTemplate& set);

}  // namespace coppice::operators
