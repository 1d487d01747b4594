#pragma once

#include "backends/model/gang_info.h"
#include "operator/runtime/context.h"

// The pods of a gang as the cache knows them.
namespace coppice::operators::podgang {

// References the live pods of each group's PodClique that carry the gang's label, sorted by name.
void AddReferences(const Context& context, backends::PodGangInfo& gang);
// True when every clique of the gang, with its references, exists with all its pods, each labelled
// as the gang's.
bool IsComplete(const Context& context, const backends::PodGangInfo& gang);

}  // namespace coppice::operators::podgang
