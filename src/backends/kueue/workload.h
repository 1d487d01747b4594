#pragma once

#include <map>

#include "backends/framework/ladder.h"
#include "backends/framework/queue.h"
#include "backends/kueue/kueue.h"

namespace coppice::backends::kueue {

inline const api::Resource kResourceFlavors{kGroup, "v1beta2", "resourceflavors", "ResourceFlavor",
                                            false};

// Whether Kueue makes the Workload itself, from what pods say.
bool ByPodGroup(const GangInput& input);
// The version that is served, "" when none is.
std::string Version(const GangInput& input);
std::string WorkloadName(const GangInput& input);
// The LocalQueue that the set, or its cliques, name.
QueueAnswer Queue(const GangInput& input);

// How topology is asked of Kueue for one group; null when it is not.
json::Value TopologyRequest(const GangInput& input, const PodGroupInfo& group);
// Why Kueue cannot take the gang's topology, when the profile does not let it be delegated.
std::optional<Refusal> CheckTopology(const GangInput& input);

// Whether an object of the gang's is a Workload of Kueue's.
bool IsWorkload(const json::Value& object);
// Whether pods may go by this Workload. One that is evicted stays Admitted=True until its pods have
// stopped.
bool IsAdmitted(const json::Value& workload);
// Whether this Workload is there and admitted, and on what terms for the pods of a group.
Admission AdmittedBy(const GangInput& input, const std::optional<json::Value>& workload,
                     std::string_view group);

// How many pods a Workload asks for, by group.
using Counts = std::map<std::string, int64_t>;
// The pods without which the gang does not start.
Counts CoreCounts(const GangInput& input);

// Topology is asked for in the gang's own Workload; pods beyond the minimum follow it.
base::Result<json::Value> MakeWorkload(const GangInput& input, const std::string& name,
                                       const Counts& counts);

}  // namespace coppice::backends::kueue
