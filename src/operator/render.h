#pragma once

#include <vector>

#include "backends/framework/selection.h"
#include "backends/model/gang_info.h"
#include "base/result.h"
#include "json/value.h"
#include "operator/runtime/config.h"

namespace coppice::operators {

// Every object that the operator would create for a PodCliqueSet in an empty cluster, computed
// without a cluster: access, services, autoscalers, claims, scaling groups, PodCliques and pods (as
// the operator builds them, before their backend completes them). PodGangs and the backend's
// objects come from backends::RenderSet. Applies defaults to the set first; a set that admission
// rejects is an error. `cluster` holds the ResourceClaimTemplates that the set names.
base::Result<std::vector<json::Value>> RenderSet(const Config& config, json::Value set,
                                                 const std::vector<json::Value>& cluster = {});

// Labels, annotations and owner of a PodGang as the operator writes them.
void RenderGangMetadata(const Config& config, const json::Value& set,
                        const backends::PodGangInfo& gang, const backends::Selection& selection,
                        json::Value& pod_gang);

}  // namespace coppice::operators
