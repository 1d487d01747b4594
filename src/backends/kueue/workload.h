#pragma once

#include <map>

#include "backends/framework/ladder.h"
#include "backends/framework/queue.h"
#include "backends/kueue/kueue.h"

namespace coppice::backends::kueue {

inline const api::Resource kResourceFlavors{kGroup, "v1beta2", "resourceflavors", "ResourceFlavor",
                                            false};

// Whether Kueue creates the Workload itself, from the pods' labels.
bool ByPodGroup(const GangInput& input);
// The served version; "" if none.
std::string Version(const GangInput& input);
std::string WorkloadName(const GangInput& input);
// The LocalQueue named by the set or its cliques.
QueueAnswer Queue(const GangInput& input);

// The topology request to Kueue for one group; null if there is none.
json::Value TopologyRequest(const GangInput& input, const PodGroupInfo& group);
// Why Kueue cannot handle the gang's topology, if the profile does not allow delegating it.
std::optional<Refusal> CheckTopology(const GangInput& input);

// Whether this object of the gang is a Kueue Workload.
bool IsWorkload(const json::Value& object);
// Whether this Workload allows pods to start. An evicted Workload stays Admitted=True until its
// pods have stopped.
bool IsAdmitted(const json::Value& workload);
// Whether this Workload exists and is admitted, and the terms for the pods of a group.
Admission AdmittedBy(const GangInput& input, const std::optional<json::Value>& workload,
                     std::string_view group);

// How many pods a Workload asks for, by group.
using Counts = std::map<std::string, int64_t>;
// The pods that the gang needs to start.
Counts CoreCounts(const GangInput& input);

// Only the gang's own Workload requests topology; pods beyond the minimum follow it.
base::Result<json::Value> MakeWorkload(const GangInput& input, const std::string& name,
                                       const Counts& counts);

}  // namespace coppice::backends::kueue
