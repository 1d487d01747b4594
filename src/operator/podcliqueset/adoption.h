#pragma once

#include "api/grove/pod_clique_set.h"
#include "base/result.h"
#include "operator/runtime/context.h"

namespace coppice::operators::podcliqueset {

// Takes over a set that is at rest and has hashes that differ from ours: upstream Grove's, or those
// of another release. Only records our hashes for the current template beside them
// (common/adopted_hashes.h); no object's hash changes and no pod is replaced. Does nothing to a set
// whose template is about to be rolled out.
base::Status AdoptFoundHashes(const Context& context, api::grove::PodCliqueSet& set);

}  // namespace coppice::operators::podcliqueset
