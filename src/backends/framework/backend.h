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

// A scheduler backend turns gangs into what one scheduler understands. Everything that decides is
// a pure function of a GangInput; who applies the answer, feeds status back and opens gates is
// common to all backends (sync.h, status.h, gates.h).
namespace coppice::backends {

// Reads other objects that a translation depends on (queues, priority classes, HyperNodes). Over
// the shared cache in a process; over a handful of documents offline and in tests.
class ClusterView {
 public:
  virtual ~ClusterView() = default;
  virtual std::optional<json::Value> Get(const api::Resource& resource,
                                         const api::ObjectKey& key) const = 0;
  virtual std::vector<json::Value> List(const api::Resource& resource) const = 0;
  // Objects with an owner reference to `uid`.
  virtual std::vector<json::Value> OwnedBy(const api::Resource& resource,
                                           std::string_view uid) const;
  // The pods with label grove.io/podgang of this gang, terminating ones included.
  virtual std::vector<json::Value> GangPods(std::string_view ns, std::string_view gang) const;
  // The pods with label yunikorn.apache.org/app-id of this application: those of a gang, and those
  // that the scheduler made in their place.
  virtual std::vector<json::Value> ApplicationPods(std::string_view ns,
                                                   std::string_view application) const;
  // Events about the object with this uid, of those that a ResourceUse asks for.
  virtual std::vector<json::Value> EventsAbout(std::string_view uid) const;
  // Whether a schedulable node carries this label; true as well while no node is known.
  virtual bool AnyNodeHasLabel(std::string_view key) const;
  // Whether any node is known, as on a cluster; offline there often is none.
  virtual bool AnyNode() const;
};

// Everything that a backend may look at when it decides about one gang.
struct GangInput {
  PodGangInfo gang;
  json::Value set;  // The PodCliqueSet; null when it cannot be read.
  TopologyLevels topology;
  json::Value topology_binding;  // The ClusterTopologyBinding behind `topology`; may be null.
  std::shared_ptr<const Capabilities> capabilities;
  std::shared_ptr<const ClusterView> cluster;
  Profile profile;
  const CompatibilityPolicy* policy = &CompatibilityPolicy::Coppice();
  json::Value status;  // Of the PodGang; null before it exists.
};

// The place of one pod in its gang. Surplus pods are those with index >= minReplicas.
struct PodSlot {
  std::string group;  // The PodClique's name.
  int64_t index = 0;
};

// What a scheduler says about a gang through its own objects.
struct Signals {
  // Why the gang is not scheduled, when the scheduler says so.
  std::string unschedulable_reason;
  std::string unschedulable_message;
  // The message says how many, and not why: what stands on the pods belongs behind it.
  bool counts_only = false;
  // Set when the scheduler considers the gang broken, or is about to evict it.
  std::string unhealthy_reason;
  std::string disruption_reason;
  std::string message;
};

// What pods of a gang wait for besides their gang object.
struct ReleaseRule {
  // Pods beyond the minimum wait until the gang is scheduled, and then follow it into its domain:
  // for targets that cannot say "at least k of this role".
  bool hold_surplus = false;
  // Pods that replace others of a scheduled gang are pinned to its domain too.
  bool pin_replacements = false;
};

// A resource that a backend reads or writes. Drives discovery, watches and RBAC.
struct ResourceUse {
  api::Resource resource;
  bool write = false;  // False: get, list, watch only.
  // Written by the operator for ClusterTopologyBindings, and only read for gangs.
  bool topology = false;
  // Optional fields to look for ("spec.subGroupPolicy").
  std::vector<std::string> fields;
  // For built-in kinds: an object with all those fields, for a dry-run create.
  json::Value canary;
  // Single objects to read with discovery, for Capabilities::Document.
  std::vector<api::ObjectKey> documents;
  // For events: which of them to follow ("reason=NotReady"). They reach ReadSignals through the
  // input's ClusterView.
  std::string field_selector = {};
  // Told as an event on the kind's definition where one of `fields` is missing from it.
  struct Lack {
    std::string field;
    std::string reason;
    std::string message;
  };
  std::vector<Lack> lacks = {};
};

// What must happen to a gang that its scheduler gave up on.
struct Repair {
  json::Value gang_annotations = json::Value::Object();  // To set on the PodGang.
  std::vector<json::Value> delete_pods;                  // To be made anew by the operator.
  std::string reason;
  // Conditions to report on objects that wait for our word.
  struct StatusReport {
    api::Resource resource;
    json::Value object;  // As it was seen; one that has changed since is looked at again first.
    json::Value status;  // A merge patch.
  };
  std::vector<StatusReport> reports;
  // More is to be done when time has passed: pods are given theirs to end.
  bool waits = false;
};

// One target scheduler. Implementations are immutable after construction: every method is const,
// may run on several threads at once, does no I/O of its own (what it needs of the cluster comes
// through the input) and never throws. A gang that cannot be translated is a Refusal in the
// result; an error Status is for a pod that cannot be prepared *now* (kUnavailable: retry when
// the gang exists) or *never* (kInvalid).
class SchedulerBackend {
 public:
  virtual ~SchedulerBackend() = default;

  // "kai", "default", …: the value of label grove.io/scheduler-backend.
  virtual std::string_view name() const = 0;
  // Whether pods with this schedulerName are this backend's ("" is a pod without one), whatever
  // its profile is called and lists: Serves below knows that.
  virtual bool Matches(std::string_view scheduler_name) const = 0;
  // What pods get as schedulerName when their template says `scheduler_name` and no profile knows
  // it: SchedulerNameFor below.
  virtual std::string PodSchedulerName(std::string_view scheduler_name) const = 0;
  // The one gate that we put on, and later remove from, every pod of this backend, unless the
  // CompatibilityPolicy has another.
  virtual std::string SchedulingGate() const { return std::string(api::gates::kPodGang); }
  virtual std::vector<ResourceUse> Resources() const = 0;
  // What the profile's `config` may say beyond what all backends take; nullopt takes anything.
  virtual std::optional<std::vector<Option>> Options() const { return std::nullopt; }
  // Whether a gang has to exist before its pods can be marked, as when they name its uid. Otherwise
  // it is written when they are there, whole.
  virtual bool PodsNeedGang() const { return true; }
  // Whether preferred affinities of pods have an effect.
  virtual bool WeighsPreferences() const { return true; }
  // Annotations that every PodGang of this backend carries.
  virtual json::Value GangAnnotations() const { return json::Value::Object(); }
  // What upstream calls the event of a gang that cannot be handed over; "" goes by our reasons.
  virtual std::string_view GroveProblemEvent() const { return {}; }

  // The scheduler's objects for a gang, and everything that could not be said.
  virtual Translation Translate(const GangInput& input) const = 0;
  // Puts on a new pod what this scheduler needs to see: labels, annotations, group reference,
  // affinity. Its schedulerName is there already; the gate is added by PrepareGangPod.
  virtual base::Status MarkPod(const GangInput& input, const PodSlot& slot,
                               json::Value& pod) const = 0;
  virtual ReleaseRule Release(const GangInput& /*input*/) const { return {}; }
  // Whether pods that wait are tried again only when their gang's object changes: this scheduler
  // does not notice that room was freed.
  virtual bool NeedsWaking() const { return false; }
  // What the scheduler's objects (in the order of Translation::objects, null where missing) and
  // the gang's pods say about its state.
  virtual Signals ReadSignals(const GangInput& input, std::span<const json::Value> objects,
                              std::span<const json::Value> pods) const;
  // How to get a gang going again that the scheduler gave up on.
  virtual Repair MakeRepair(const GangInput& /*input*/, std::span<const json::Value> /*objects*/,
                            std::span<const json::Value> /*pods*/) const {
    return {};
  }
  // Whether the scheduler has topology objects of its own.
  virtual bool KeepsTopology() const { return false; }
  // Objects of the scheduler that describe a topology, for a ClusterTopologyBinding. `topology`
  // is the binding; the result replaces what exists under the same names.
  virtual std::vector<DesiredObject> TranslateTopology(const GangInput& input,
                                                       const json::Value& binding) const;
  // Checks of a PodCliqueSet beyond translating its gangs (queues that must agree, …).
  virtual std::vector<base::FieldCause> ValidateSet(const GangInput& input) const;
};

// Whether pods with this schedulerName are the backend's under this profile, which may have a
// schedulerName for its own name and list others (`config.schedulerNames`).
bool Serves(const SchedulerBackend& backend, const Profile& profile,
            std::string_view scheduler_name);
// What pods get as schedulerName when their template says `scheduler_name` ("" names none). One
// that the profile lists stays: a scheduler that runs under it sees no other pods.
std::string SchedulerNameFor(const SchedulerBackend& backend, const Profile& profile,
                             std::string_view scheduler_name);

}  // namespace coppice::backends
