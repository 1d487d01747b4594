#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/gates.h"
#include "api/resource.h"
#include "backends/framework/config.h"
#include "backends/model/capabilities.h"
#include "backends/model/gang_info.h"
#include "backends/model/options.h"
#include "backends/model/topology.h"
#include "backends/model/translation.h"
#include "base/error.h"
#include "base/result.h"
#include "json/value.h"

// A scheduler backend translates gangs into the objects of one scheduler. All decisions are pure
// functions of a GangInput. Applying them, writing status back and removing gates is common to all
// backends (sync.h, status.h, gates.h).
namespace coppice::backends {

// Reads the other objects that a translation depends on (queues, priority classes, HyperNodes):
// from the shared cache in a process, from a few documents offline and in tests.
class ClusterView {
 public:
  virtual ~ClusterView() = default;
  virtual std::optional<json::Value> Get(const api::Resource& resource,
                                         const api::ObjectKey& key) const = 0;
  virtual std::vector<json::Value> List(const api::Resource& resource) const = 0;
  // Objects with an owner reference to `uid`.
  virtual std::vector<json::Value> OwnedBy(const api::Resource& resource,
                                           std::string_view uid) const;
  // The pods labelled grove.io/podgang with this gang, including terminating ones.
  virtual std::vector<json::Value> GangPods(std::string_view ns, std::string_view gang) const;
  // The pods labelled yunikorn.apache.org/app-id with this application: a gang's pods and the
  // placeholders that the scheduler created for them.
  virtual std::vector<json::Value> ApplicationPods(std::string_view ns,
                                                   std::string_view application) const;
  // Events about the object with this uid, limited to those that a ResourceUse selects.
  virtual std::vector<json::Value> EventsAbout(std::string_view uid) const;
  // Whether a schedulable node has this label. Also true while no nodes are known.
  virtual bool AnyNodeHasLabel(std::string_view key) const;
  // Whether any node is known. Offline there often is none.
  virtual bool AnyNode() const;
};

// Everything a backend may read when it decides about one gang.
struct GangInput {
  PodGangInfo gang;
  json::Value set;  // The PodCliqueSet; null if it cannot be read.
  TopologyLevels topology;
  json::Value topology_binding;  // The ClusterTopologyBinding behind `topology`; may be null.
  std::shared_ptr<const Capabilities> capabilities;
  std::shared_ptr<const ClusterView> cluster;
  Profile profile;
  const CompatibilityPolicy* policy = &CompatibilityPolicy::Coppice();
  json::Value status;  // The PodGang's status; null before it exists.
};

// A pod's position in its gang. Surplus pods have index >= minReplicas.
struct PodSlot {
  std::string group;  // The PodClique's name.
  int64_t index = 0;
};

// What a scheduler reports about a gang through its own objects.
struct Signals {
  // Why the gang is not scheduled, if the scheduler reports it.
  std::string unschedulable_reason;
  std::string unschedulable_message;
  // The message only has counts and no cause, so the pods' own messages are appended.
  bool counts_only = false;
  // Set if the scheduler considers the gang broken, or is about to evict it.
  std::string unhealthy_reason;
  std::string disruption_reason;
  std::string message;
};

// What a gang's pods wait for, besides the gang object.
struct ReleaseRule {
  // Pods beyond the minimum wait until the gang is scheduled, then follow it into its topology
  // domain. For schedulers that cannot express "at least k of this role".
  bool hold_surplus = false;
  // Pods that replace pods of a scheduled gang are pinned to its domain too.
  bool pin_replacements = false;
};

// A resource that a backend reads or writes. Drives discovery, watches and RBAC.
struct ResourceUse {
  api::Resource resource;
  bool write = false;  // False: get, list and watch only.
  // The operator writes it for ClusterTopologyBindings; gangs only read it.
  bool topology = false;
  // Optional fields to look for ("spec.subGroupPolicy").
  std::vector<std::string> fields;
  // For built-in kinds: an object with all these fields, for a dry-run create.
  json::Value canary;
  // Single objects to read during discovery, for Capabilities::Document.
  std::vector<api::ObjectKey> documents;
  // For events: the field selector to watch ("reason=NotReady"). ReadSignals gets them through the
  // input's ClusterView.
  std::string field_selector = {};
  // If one of `fields` is missing from the CRD, this is reported as an event on the CRD.
  struct Lack {
    std::string field;
    std::string reason;
    std::string message;
  };
  std::vector<Lack> lacks = {};
};

// What to do about a gang that its scheduler gave up on.
struct Repair {
  json::Value gang_annotations = json::Value::Object();  // To set on the PodGang.
  std::vector<json::Value> delete_pods;                  // The operator recreates them.
  std::string reason;
  // Conditions to write on objects that wait for our answer.
  struct StatusReport {
    api::Resource resource;
    json::Value object;  // As last seen. If it has changed since, it is evaluated again first.
    json::Value status;  // A merge patch.
  };
  std::vector<StatusReport> reports;
  // Not finished: reconcile again later, because pods still have time to terminate.
  bool waits = false;
};

// One target scheduler. Implementations are immutable after construction: every method is const,
// may run on several threads at once, does no I/O (everything about the cluster comes with the
// input) and never throws. A gang that cannot be translated is a Refusal in the result. An error
// Status means that a pod cannot be prepared *now* (kUnavailable: retry when the gang exists) or
// *never* (kInvalid).
class SchedulerBackend {
 public:
  virtual ~SchedulerBackend() = default;

  // "kai", "default", …: the value of label grove.io/scheduler-backend.
  virtual std::string_view name() const = 0;
  // Whether pods with this schedulerName ("" for none) belong to this backend, regardless of the
  // profile. Serves() below takes the profile into account.
  virtual bool Matches(std::string_view scheduler_name) const = 0;
  // The schedulerName for pods whose template says `scheduler_name`, if no profile lists it. See
  // SchedulerNameFor() below.
  virtual std::string PodSchedulerName(std::string_view scheduler_name) const = 0;
  // The gate that we add to every pod of this backend and later remove, unless the
  // CompatibilityPolicy uses another one.
  virtual std::string SchedulingGate() const { return std::string(api::gates::kPodGang); }
  virtual std::vector<ResourceUse> Resources() const = 0;
  // The keys that the profile's `config` may have, besides those common to all backends; nullopt
  // accepts any.
  virtual std::optional<std::vector<Option>> Options() const { return std::nullopt; }
  // Whether the PodGang must exist before its pods can be marked, for example because they carry
  // its uid. Otherwise it is written complete, after its pods.
  virtual bool PodsNeedGang() const { return true; }
  // Whether preferred affinities of pods have an effect.
  virtual bool WeighsPreferences() const { return true; }
  // Annotations for every PodGang of this backend.
  virtual json::Value GangAnnotations() const { return json::Value::Object(); }
  // The event reason that upstream Grove uses for a gang that cannot be handed over; "" uses our
  // own reasons.
  virtual std::string_view GroveProblemEvent() const { return {}; }

  // The scheduler's objects for a gang, and everything that could not be expressed.
  virtual Translation Translate(const GangInput& input) const = 0;
  // Adds to a new pod what this scheduler needs: labels, annotations, group reference, affinity.
  // Its schedulerName is already set; PrepareGangPod adds the gate.
  virtual base::Status MarkPod(const GangInput& input, const PodSlot& slot,
                               json::Value& pod) const = 0;
  virtual ReleaseRule Release(const GangInput& /*input*/) const { return {}; }
  // Whether this scheduler retries waiting pods only when their gang's object changes, because it
  // does not notice freed capacity.
  virtual bool NeedsWaking() const { return false; }
  // The gang's state as reported by the scheduler's objects (in the order of Translation::objects,
  // null if missing) and the gang's pods.
  virtual Signals ReadSignals(const GangInput& input, std::span<const json::Value> objects,
                              std::span<const json::Value> pods) const;
  // How to restart a gang that the scheduler gave up on.
  virtual Repair MakeRepair(const GangInput& /*input*/, std::span<const json::Value> /*objects*/,
                            std::span<const json::Value> /*pods*/) const {
    return {};
  }
  // Whether the scheduler has topology objects of its own.
  virtual bool KeepsTopology() const { return false; }
  // The scheduler's objects that describe the topology of a ClusterTopologyBinding. They replace
  // existing objects with the same names.
  virtual std::vector<DesiredObject> TranslateTopology(const GangInput& input,
                                                       const json::Value& binding) const;
  // Checks of a PodCliqueSet beyond translating its gangs (queues that must agree, …).
  virtual std::vector<base::FieldCause> ValidateSet(const GangInput& input) const;
};

// Whether pods with this schedulerName belong to the backend under this profile. The profile's own
// name may be a schedulerName, and it may list others (`config.schedulerNames`).
bool Serves(const SchedulerBackend& backend, const Profile& profile,
            std::string_view scheduler_name);
// The schedulerName for pods whose template says `scheduler_name` ("" for none). A name that the
// profile lists is kept, because a scheduler running under that name sees no other pods.
std::string SchedulerNameFor(const SchedulerBackend& backend, const Profile& profile,
                             std::string_view scheduler_name);

}  // namespace coppice::backends
