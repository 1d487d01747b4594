#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/resource.h"
#include "json/value.h"

namespace coppice::backends {

// Why a gang is not handed to its scheduler: the reason of condition BackendSynced=False.
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
// Told by the operator: no enabled backend serves the gang's scheduler.
inline constexpr std::string_view kNoBackend = "NoBackend";
}  // namespace reasons

// "Never, as things are": the gang cannot be translated, and why. `path` is the field at fault.
struct Refusal {
  std::string reason;
  std::string path;
  std::string message;

  friend bool operator==(const Refusal&, const Refusal&) = default;
};

// Something that the target scheduler cannot say natively, and what became of it.
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

// One object that must exist for the gang. Only the fields in `object` are ours.
struct DesiredObject {
  api::Resource resource;
  json::Value object;  // With apiVersion, kind, metadata.name and, where namespaced, namespace.
  // Fields whose change needs a new object ({"spec", "podGroups"}).
  std::vector<FieldPath> immutable;
  // Members below those fields that may change all the same ("minCount").
  std::vector<std::string> editable_keys;
  // Fields that are written at creation and then belong to someone else.
  std::vector<FieldPath> create_only;
  // Fields that nobody else writes: one that we no longer say goes from the live object as well.
  // Looked at where no hash of what was applied is kept (compatibility: grove).
  std::vector<FieldPath> exclusive;
  // Whether a live pod of the gang refers to this object, so that it must not be replaced under
  // it. Empty: every pod does.
  std::function<bool(const json::Value& pod)> referenced_by;
  // A copy for readers of another API; never read back.
  bool mirror = false;
  // Owned by the gang. False for objects that gangs share (a Topology).
  bool owned = true;
};

// The whole answer of a backend for one gang, in the order in which objects must be written.
struct Translation {
  std::optional<Refusal> refusal;
  std::vector<DesiredObject> objects;
  std::vector<Outcome> outcomes;

  static Translation Refuse(std::string_view reason, std::string path, std::string message);
  // The cluster does not serve a kind that is written.
  static Translation Unserved(const api::Resource& resource);
};

// The message of condition TranslationDegraded: "<path>=<value>: <outcome>; …".
std::string Describe(const std::vector<Outcome>& outcomes);

}  // namespace coppice::backends
