#pragma once

#include <optional>
#include <span>
#include <string>

#include "api/foreign/names.h"
#include "api/gates.h"
#include "backends/framework/backend.h"

// Kueue decides when a gang may start; another backend still places it. An admission layer in front
// of any backend, enabled by the profile (`config.admission: kueue`) and the label
// kueue.x-k8s.io/queue-name on the set.
//
// There are two modes. By default we write the Workload and keep our gates until it is admitted.
// With `config.kueueMode: PodGroup` pods name their group by label, and Kueue's pod integration
// creates the Workload, and gates and ungates the pods.
namespace coppice::backends::kueue {

inline constexpr char kGroup[] = "kueue.x-k8s.io";
// The name used in lists of layers and schedulers.
inline constexpr std::string_view kName = "kueue";

// Conditions of a Workload.
inline constexpr std::string_view kAdmitted = "Admitted";
inline constexpr std::string_view kEvicted = "Evicted";
inline constexpr std::string_view kPodsReady = "PodsReady";
inline constexpr std::string_view kPreempted = "Preempted";
inline constexpr std::string_view kQuotaReserved = "QuotaReserved";
inline constexpr std::string_view kRequeued = "Requeued";

inline constexpr std::string_view kQueueLabel = api::foreign::kKueueQueueName;
inline constexpr std::string_view kTopologyGate = api::gates::kKueueTopology;

api::Resource Workloads(const std::string& version);
std::vector<ResourceUse> Resources();

// Whether this gang needs admission by Kueue.
bool Applies(const GangInput& input);

// Adds the gang's Workload and, once the gang is scheduled, those for its surplus pods (surplus.h).
void AddWorkloads(const GangInput& input, Translation& translation);

// Kueue's own Topology for a ClusterTopologyBinding.
inline const api::Resource kTopologies{kGroup, "v1beta2", "topologies", "Topology", false};
DesiredObject TranslateTopology(const json::Value& binding);

// Adds to a new pod its group, or what topology-aware admission needs.
void MarkPod(const GangInput& input, const PodSlot& slot, json::Value& pod);

// Whether Kueue admits the pods of a group, and the node selector and tolerations they get.
struct Admission {
  bool admitted = false;
  json::Value node_selector = json::Value::Object();
  json::Value tolerations = json::Value::Array();
};
Admission CheckAdmission(const GangInput& input, std::string_view group);
// The same for a pod beyond its group's minimum. `gate` is our gate, which waiting pods have.
Admission CheckSurplus(const GangInput& input, const json::Value& pod, std::string_view gate);

void AddSignals(const GangInput& input, std::span<const json::Value> objects, Signals& signals);
// The duties of a Workload's owner: stop the pods of an evicted Workload, release its quota when
// they have stopped, and report whether the pods are ready.
void AddRepair(const GangInput& input, std::span<const json::Value> objects,
               std::span<const json::Value> pods, const std::string& now, Repair& repair);

}  // namespace coppice::backends::kueue
