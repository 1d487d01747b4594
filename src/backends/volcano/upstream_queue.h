#pragma once

#include <string>

#include "base/result.h"
#include "json/value.h"

namespace coppice::backends::volcano {

// The queue of a PodCliqueSet by upstream Grove's rules: a clique without its own queue uses the
// set's, else "default", and all cliques must agree. Otherwise kInvalid, with upstream's message.
base::Result<std::string> UpstreamQueue(const json::Value& pod_clique_set);

}  // namespace coppice::backends::volcano
