#pragma once

#include <optional>
#include <span>
#include <string>

#include "api/foreign/names.h"
#include "api/gates.h"
#include "backends/framework/backend.h"

// Kueue decides when a gang may start; another backend still places it. A layer in front of any
// backend, switched on by the profile (`config.admission: kueue`) and by the label
// kueue.x-k8s.io/queue-name on the set.
//
// Two ways in. By default we write the Workload and hold our gates until it is admitted. With
// `config.kueueMode: PodGroup` pods name their group by label, and Kueue's own pod integration
// makes the Workload, gates the pods and lets them go.
namespace coppice::backends::kueue {

inline constexpr char kGroup[] = "kueue.x-k8s.io";
// Where layers and schedulers are listed together.
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

// Whether this gang asks for admission.
bool Applies(const GangInput& input);

// Adds the gang's Workload and, once it is scheduled, those for its surplus pods (surplus.h).
void AddWorkloads(const GangInput& input, Translation& translation);

// Kueue's own Topology for a ClusterTopologyBinding.
inline const api::Resource kTopologies{kGroup, "v1beta2", "topologies", "Topology", false};
DesiredObject TranslateTopology(const json::Value& binding);

// What pods carry at creation: their group, or what topology-aware admission needs.
void MarkPod(const GangInput& input, const PodSlot& slot, json::Value& pod);

// Whether Kueue lets the pods of a group go, and with which node selector and tolerations.
struct Admission {
  bool admitted = false;
  json::Value node_selector = json::Value::Object();
  json::Value tolerations = json::Value::Array();
};
Admission CheckAdmission(const GangInput& input, std::string_view group);
// The same for a pod beyond the minimum of its group. `gate` is ours, which holds those that wait.
Admission CheckSurplus(const GangInput& input, const json::Value& pod, std::string_view gate);

void AddSignals(const GangInput& input, std::span<const json::Value> objects, Signals& signals);
// What the owner of a Workload has to do: stop the pods of one that is evicted, give its quota back
// when they have stopped, and tell Kueue whether the pods are ready.
void AddRepair(const GangInput& input, std::span<const json::Value> objects,
               std::span<const json::Value> pods, const std::string& now, Repair& repair);

}  // namespace coppice::backends::kueue
