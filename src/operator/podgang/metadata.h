#pragma once

#include "api/grove/pod_clique_set.h"
#include "backends/model/gang_info.h"
#include "json/value.h"
#include "operator/runtime/config.h"

namespace coppice::operators::podgang {

// Labels, annotations and owner of a PodGang. Mirrors the set's metadata outside grove.io/,
// including removals; keys under grove.io/ that others added stay.
void SetGangMetadata(const Config& config, const api::grove::PodCliqueSet& set,
                     const backends::PodGangInfo& gang, const json::Value& backend_labels,
                     const json::Value& backend_annotations, json::Value& object);

}  // namespace coppice::operators::podgang
