#include "api/grove/crds.h"

#include "api/grove/crd_notes.h"
#include "api/typed/crd.h"
#include "api/well_known.h"

namespace coppice::api::grove {
namespace {

const char kBreachedPath[] = ".status.conditions[?(@.type==\"MinAvailableBreached\")].status";

PrinterColumn Integer(std::string_view name, std::string_view path, int priority = 0) {
  return {.name = std::string(name),
          .type = "integer",
          .path = std::string(path),
          .priority = priority};
}

PrinterColumn Text(std::string_view name, std::string_view path, int priority = 0) {
  return {
      .name = std::string(name), .type = "string", .path = std::string(path), .priority = priority};
}

PrinterColumn Age() {
  return {.name = "Age", .type = "date", .path = ".metadata.creationTimestamp"};
}

// Sets of the past may keep the deprecated field; new ones may not bring it.
SchemaPart NoPackDomainOnCreate(std::string_view path, std::string_view rule) {
  return Rule(rule,
              "packDomain is deprecated and cannot be used on new workloads; use "
              "pack.required",
              {{"fieldPath", path}, {"reason", "FieldValueForbidden"}, {"optionalOldSelf", true}});
}

}  // namespace

json::Value PodCliqueSetCrd() {
  return Crd(kPodCliqueSets)
      .ShortNames({"pcs"})
      .Version<PodCliqueSetSpec, PodCliqueSetStatus>(
          "v1alpha1",
          {.about = "One AI system: its roles, how many of each, what starts together.",
           .columns = {Integer("Replicas", ".spec.replicas"),
                       Integer("Available", ".status.availableReplicas"),
                       Integer("Updated", ".status.updatedReplicas"),
                       Integer("PCLQs-Updated", ".status.updateProgress.updatedPodCliquesCount"),
                       Integer("PCLQs-Total", ".status.updateProgress.totalPodCliquesCount"),
                       Integer("PCSGs-Updated",
                               ".status.updateProgress.updatedPodCliqueScalingGroupsCount"),
                       Integer("PCSGs-Total",
                               ".status.updateProgress.totalPodCliqueScalingGroupsCount"),
                       Age()},
           .scale = ScalePaths{.label_selector = ".status.hpaPodSelector"},
           .root = {AlsoRequired({"spec"}),
                    NoPackDomainOnCreate(
                        ".spec.template.topologyConstraint.packDomain",
                        "oldSelf.hasValue() || !has(self.spec.template.topologyConstraint) || "
                        "!has(self.spec.template.topologyConstraint.packDomain)"),
                    NoPackDomainOnCreate(
                        ".spec.template.cliques",
                        "oldSelf.hasValue() || !has(self.spec.template.cliques) || "
                        "self.spec.template.cliques.all(c, !has(c.topologyConstraint) || "
                        "!has(c.topologyConstraint.packDomain))"),
                    NoPackDomainOnCreate(
                        ".spec.template.podCliqueScalingGroups",
                        "oldSelf.hasValue() || !has(self.spec.template.podCliqueScalingGroups) || "
                        "self.spec.template.podCliqueScalingGroups.all(g, "
                        "!has(g.topologyConstraint) || !has(g.topologyConstraint.packDomain))")}})
      .ToJson();
}

json::Value PodCliqueCrd() {
  return Crd(kPodCliques)
      .ShortNames({"pclq"})
      .Version<PodCliqueSpec, PodCliqueStatus>(
          "v1alpha1", {.about = "Pods of one role in one replica of a set.",
                       .columns = {Integer("MinAvail", ".spec.minAvailable"),
                                   Integer("Replicas", ".spec.replicas"),
                                   Integer("Ready", ".status.readyReplicas"),
                                   Integer("Scheduled", ".status.scheduledReplicas"),
                                   Integer("Updated", ".status.updatedReplicas"),
                                   Integer("Gated", ".status.scheduleGatedReplicas", 1),
                                   Text("MinBreached", kBreachedPath, 1), Age()},
                       .scale = ScalePaths{.label_selector = ".status.hpaPodSelector"},
                       .root = {AlsoRequired({"spec"})}})
      .ToJson();
}

json::Value ScalingGroupCrd() {
  return Crd(kPodCliqueScalingGroups)
      .ShortNames({"pcsg"})
      .Version<ScalingGroupSpec, ScalingGroupStatus>(
          "v1alpha1",
          {.about = "Cliques of one replica of a set that are scaled together.",
           .columns = {Integer("MinAvail", ".spec.minAvailable"),
                       Integer("Replicas", ".spec.replicas"),
                       Integer("Available", ".status.availableReplicas"),
                       Integer("Scheduled", ".status.scheduledReplicas"),
                       Integer("Updated", ".status.updatedReplicas"),
                       Integer("PCLQs-Updated", ".status.updateProgress.updatedPodCliquesCount"),
                       Integer("PCLQs-Total", ".status.updateProgress.totalPodCliquesCount"),
                       Text("MinBreached", kBreachedPath, 1), Age()},
           .scale = ScalePaths{.label_selector = ".status.selector"},
           .root = {AlsoRequired({"spec"})}})
      .ToJson();
}

json::Value ClusterTopologyBindingCrd() {
  return Crd(kClusterTopologyBindings)
      .ShortNames({"ct"})
      .Version<ClusterTopologyBindingSpec, ClusterTopologyBindingStatus>(
          "v1alpha1", {.about = "The levels of a cluster's topology, and what schedulers call it.",
                       .columns = {Text("Domains", ".spec.levels[*].domain"), Age()},
                       .root = {AlsoRequired({"spec"})}})
      .ToJson();
}

json::Value PodGangCrd() {
  return Crd(kPodGangs)
      .ShortNames({"pg"})
      .Version<PodGangSpec, PodGangStatus>(
          "v1alpha1", {.about = "Pods that are scheduled together or not at all.",
                       .columns = {Text("Phase", ".status.phase"), Age()},
                       .root = {AlsoRequired({"spec"})}})
      .ToJson();
}

std::vector<json::Value> Crds() {
  return {PodCliqueCrd(), PodCliqueSetCrd(), ScalingGroupCrd(), ClusterTopologyBindingCrd(),
          PodGangCrd()};
}

}  // namespace coppice::api::grove
