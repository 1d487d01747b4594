#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/selectors.h"

// Storage as plain values: the input of the VolumeBinding filter and the CSI capacity checks.

namespace coppice::engine {

enum class ClaimPhase { kPending, kBound, kLost };

struct PersistentVolumeClaimSpec {
  std::string namespace_name;
  std::string name;
  std::string uid;
  std::string storage_class;
  std::string volume_name;
  bool prebound = false;      // Requests that volume but is not bound to it yet.
  std::string owner_pod_uid;  // Set if a Pod is the only owner of the claim.
  std::string selected_node;  // Annotation volume.kubernetes.io/selected-node.
  ClaimPhase phase = ClaimPhase::kPending;
  int64_t bytes = 0;
  std::vector<std::string> access_modes;
  std::string mode;              // Empty: Filesystem.
  std::string attributes_class;  // Of VolumeAttributesClasses.
  std::optional<LabelSelector> selector;
  bool deleted = false;
};

struct PersistentVolumeSpec {
  std::string name;
  std::string storage_class;
  std::string claim_namespace;  // claimRef; empty: free.
  std::string claim_name;
  std::string claim_uid;  // Empty: any claim of that name.
  int64_t bytes = 0;
  std::vector<std::string> access_modes;
  std::string mode;  // Empty: Filesystem.
  std::string attributes_class;
  Labels labels;
  std::optional<NodeSelector> node_affinity;
  bool available = true;  // Its phase allows a claim to take it.
  bool deleted = false;
};

struct StorageClassSpec {
  std::string name;
  std::string provisioner;  // "kubernetes.io/no-provisioner": only existing volumes.
  bool wait_for_first_consumer = false;
  // Terms of label values; empty: anywhere.
  std::vector<NodeSelectorTerm> allowed_topologies;
};

struct CsiDriverSpec {
  std::string name;
  bool storage_capacity = false;
};

struct CsiStorageCapacitySpec {
  std::string namespace_name;
  std::string name;
  std::string storage_class;
  int64_t bytes = 0;
  std::optional<int64_t> maximum_volume_bytes;
  std::optional<LabelSelector> node_topology;
};

// Whether the volume is reserved for the claim.
bool IsKeptFor(const PersistentVolumeSpec& volume, const PersistentVolumeClaimSpec& claim);
// Whether the claim could be bound to the volume, ignoring where it can be used: it is free and
// matches the request, or it is reserved for the claim and large enough.
bool Satisfies(const PersistentVolumeSpec& volume, const PersistentVolumeClaimSpec& claim);

}  // namespace coppice::engine
