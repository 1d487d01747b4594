#pragma once

#include <span>

#include "api/view/view.h"
#include "services/grouper/groups/grouper.h"

namespace coppice::services::grouper {

// The base of all groupers: one group per top owner with one pod as its minimum. Uses the whole
// list of owners to find priority class and preemptibility.
base::Result<Metadata> GroupByDefault(const Context& context, const Workload& workload);

// The same for specialised groupers: only the top owner and the pod are used, and the fallback
// priority class is given.
base::Result<Metadata> GroupByTopOwner(const Context& context, const json::Value& top_owner,
                                       const json::Value& pod,
                                       std::string_view fallback_class = "train");

// The class named by an owner's label, the pod's label or the pod's spec.
std::string_view NamedPriorityClass(const json::Value& owner, const json::Value& pod);
base::Result<bool> PriorityClassExists(const Context& context, std::string_view name);
std::string ResolveQueue(const Context& context, const json::Value& owner, const json::Value& pod);
// "" unless the text is one of the two known values.
std::string_view ParsePreemptibility(std::string_view text);
// From the three topology annotations.
TopologyConstraint TopologyOf(view::Map<std::string_view> annotations);
// As TopologyOf, but nothing unless both a topology and a level are named.
std::optional<TopologyConstraint> CompleteTopology(view::Map<std::string_view> annotations);
// As PriorityClassExists for each candidate; `fallback` when there is none.
base::Result<std::string> ResolvePriorityClass(const Context& context,
                                               std::span<const json::Value> owners,
                                               const json::Value& pod, std::string_view fallback);

}  // namespace coppice::services::grouper
