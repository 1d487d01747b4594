#pragma once

#include <string>

#include "base/result.h"
#include "json/value.h"

namespace coppice::backends::volcano {

// The queue of a PodCliqueSet by upstream Grove's rules: a clique without one of its own has the
// set's, else "default", and all cliques must come out equal. kInvalid, in upstream's words, when
// they do not.
base::Result<std::string> UpstreamQueue(const json::Value& pod_clique_set);

}  // namespace coppice::backends::volcano
