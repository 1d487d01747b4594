#pragma once

#include "backends/model/gang_info.h"
#include "operator/runtime/context.h"

// The pods of a gang, from the cache.
namespace coppice::operators::podgang {

// References the live pods of each group's PodClique that have the gang's label, sorted by name.
void AddReferences(const Context& context, backends::PodGangInfo& gang);
// True if every clique of the gang exists and has all its pods, each referenced and with the gang's
// label.
bool IsComplete(const Context& context, const backends::PodGangInfo& gang);

}  // namespace coppice::operators::podgang
