#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/resource.h"
#include "json/value.h"

namespace coppice::backends {

// Why a gang is not handed to its scheduler: the reason of the condition BackendSynced=False.
namespace reasons {
inline constexpr std::string_view kSynced = "Synced";
inline constexpr std::string_view kBackendUnavailable = "BackendUnavailable";
inline constexpr std::string_view kCapabilityMissing = "CapabilityMissing";
inline constexpr std::string_view kFieldDropped = "FieldDropped";
inline constexpr std::string_view kQueueUnresolved = "QueueUnresolved";
inline constexpr std::string_view kTopologyUnresolved = "TopologyUnresolved";
inline constexpr std::string_view kPriorityMismatch = "PriorityMismatch";
inline constexpr std::string_view kSchedulerMismatch = "SchedulerMismatch";
inline constexpr std::string_view kNameConflict = "NameConflict";
inline constexpr std::string_view kUpdateBlocked = "UpdateBlocked";
inline constexpr std::string_view kInvalidGang = "InvalidGang";
inline constexpr std::string_view kRejectedByApi = "RejectedByAPI";
// Set by the operator: no enabled backend serves the gang's scheduler.
inline constexpr std::string_view kNoBackend = "NoBackend";
}  // namespace reasons

// A permanent failure: why the gang cannot be translated as things are. `path` is the field at
// fault.
struct Refusal {
  std::string reason;
  std::string path;
  std::string message;

  friend bool operator==(const Refusal&, const Refusal&) = default;
};

// Something that the target scheduler cannot express natively, and what was done instead.
struct Outcome {
  enum class Kind { kApproximated, kDropped };

  Kind kind;
  std::string path;     // Into the PodGang: "spec.topologyConstraint.packConstraint.required".
  std::string value;    // "topology.kubernetes.io/rack".
  std::string outcome;  // "PodAffinity, GreedyTopology".
  bool quiet = false;   // Listed, but not worth a warning.

  friend bool operator==(const Outcome&, const Outcome&) = default;
};

using FieldPath = std::vector<std::string>;

// An object that must exist for the gang. We own only the fields in `object`.
struct DesiredObject {
  api::Resource resource;
  json::Value object;  // With apiVersion, kind, metadata.name and, if namespaced, namespace.
  // Fields whose change requires a new object ({"spec", "podGroups"}).
  std::vector<FieldPath> immutable;
  // Members of those fields that may still change ("minCount").
  std::vector<std::string> editable_keys;
  // Fields that we write at creation and that belong to someone else afterwards.
  std::vector<FieldPath> create_only;
  // Fields that only we write: one that we no longer set is removed from the live object too. Used
  // if no hash of the applied object is kept (compatibility: grove).
  std::vector<FieldPath> exclusive;
  // Whether a live pod of the gang refers to this object, so that it must not be replaced. Empty:
  // every pod does.
  std::function<bool(const json::Value& pod)> referenced_by;
  // A copy for readers of another API; we never read it back.
  bool mirror = false;
  // Owned by the gang. False for shared objects (a Topology).
  bool owned = true;
};

// A backend's complete result for one gang. Objects are in the order in which they must be written.
struct Translation {
  std::optional<Refusal> refusal;
  std::vector<DesiredObject> objects;
  std::vector<Outcome> outcomes;

  static Translation Refuse(std::string_view reason, std::string path, std::string message);
  // The cluster does not serve a kind that must be written.
  static Translation Unserved(const api::Resource& resource);
};

// The message of condition TranslationDegraded: "<path>=<value>: <outcome>; …".
std::string Describe(const std::vector<Outcome>& outcomes);

}  // namespace coppice::backends
