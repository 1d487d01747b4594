#include "api/grove/crd_notes.h"

namespace coppice::api::grove {
namespace {

constexpr std::string_view kDomainPattern = "^[a-z][a-z0-9-]*$";

SchemaPart DomainPattern() { return Pattern(kDomainPattern); }

StructNotes SharingNotes() {
  return StructNotes("A claim on devices that pods share.")
      .Required({"name", "scope"})
      .Field("name", "The claim template: one of the set's own, or a ResourceClaimTemplate.")
      .Field("namespace", "Namespace of the ResourceClaimTemplate. Default: the set's own.")
      .Field("scope", "One claim for all replicas, or one for each.",
             {Enum({kScopeAllReplicas, kScopePerReplica})});
}

}  // namespace

StructNotes Notes(const TopologyPack*) {
  return StructNotes("Topology domains that pods share.")
      .Field("required", "Pods are not scheduled unless they fit into one such domain.",
             {MaxLength(63), MinLength(1), DomainPattern()})
      .Field("preferred", "Tried first.", {MaxLength(63), MinLength(1), DomainPattern()})
      .Rule("has(self.required) || has(self.preferred)",
            "pack must specify at least one of required or preferred",
            {{"reason", "FieldValueRequired"}});
}

StructNotes Notes(const TopologyConstraint*) {
  return StructNotes("How close pods sit.")
      .Field("topologyName", "The ClusterTopologyBinding whose domains are named; inherited.")
      .Field("pack", "The domains.")
      .Field("packDomain", "Deprecated: pack.required.",
             {MaxLength(63), MinLength(1), DomainPattern()})
      .Rule("has(self.pack) || has(self.packDomain)",
            "topologyConstraint must specify pack or deprecated packDomain",
            {{"reason", "FieldValueRequired"}, {"fieldPath", ".pack"}})
      .Rule("!(has(self.packDomain) && has(self.pack) && has(self.pack.required))",
            "must not set both pack.required and deprecated packDomain",
            {{"fieldPath", ".pack.required"}});
}

StructNotes Notes(const ResourceClaimTemplateConfig*) {
  return StructNotes("A claim template of the set.")
      .Required({"name", "templateSpec"})
      .Field("name", "What resourceSharing calls it.")
      .Field("templateSpec", "What claims are made from.",
             {External("resource/v1 ResourceClaimTemplateSpec")});
}

StructNotes Notes(const ResourceSharingSpec*) { return SharingNotes(); }

StructNotes Notes(const PodCliqueSetSharingFilter*) {
  return StructNotes("Who shares a claim of the set.")
      .Field("childCliqueNames", "Cliques of the set that are in no scaling group.")
      .Field("childScalingGroupNames", "Scaling groups of the set, with all their cliques.");
}

StructNotes Notes(const ScalingGroupSharingFilter*) {
  return StructNotes("Who shares a claim of the scaling group.")
      .Field("childCliqueNames", "Cliques of the group.");
}

StructNotes Notes(const PodCliqueSetResourceSharingSpec*) {
  return SharingNotes().Field("filter", "Who shares it; everybody when absent.");
}

StructNotes Notes(const ScalingGroupResourceSharingSpec*) {
  return SharingNotes().Field("filter", "Who shares it; everybody when absent.");
}

StructNotes Notes(const AutoScalingConfig*) {
  return StructNotes("Bounds and metrics of a HorizontalPodAutoscaler.")
      .Required({"maxReplicas"})
      .Field("minReplicas", "The fewest replicas. Default: the template's replicas.")
      .Field("maxReplicas", "The most replicas.")
      .Field("metrics", "What scaling follows.",
             {AtomicList(), Items({External("autoscaling/v2 MetricSpec")})});
}

StructNotes Notes(const PodCliqueSpec*) {
  return StructNotes("Pods of one role.")
      .Required({"podSpec", "replicas", "roleName"})
      .Field("roleName", "The role, unique within the set.")
      .Field("podSpec", "Of every pod.", {External("core/v1 PodSpec")})
      .Field("replicas", "How many pods.")
      .Field("minAvailable",
             "How many of them are scheduled together or not at all, and below "
             "how many the gang is terminated. Default: replicas.")
      .Field("startsAfter", "The cliques whose minimum must be ready before these pods start.")
      .Field("autoScalingConfig", "Lets the number of pods follow metrics.");
}

StructNotes Notes(const UpdateStrategy*) {
  return StructNotes("How pods follow a changed template.")
      .Field("type", "RollingRecreate replaces them step by step, OnDelete leaves it to the user.",
             {Default(kRollingRecreate), Enum({kRollingRecreate, kOnDelete})});
}

StructNotes Notes(const HeadlessServiceConfig*) {
  return StructNotes("The headless service that every replica of the set has.")
      .Required({"publishNotReadyAddresses"})
      .Field("publishNotReadyAddresses", "Whether pods are found before they are ready.",
             {Default(true)});
}

StructNotes Notes(const PodCliqueTemplate*) {
  return StructNotes("A role of the set.")
      .Required({"name", "spec"})
      .Field("name", "Unique within the set; cannot change.")
      .Field("labels", "Of the PodClique and its pods.")
      .Field("annotations", "Of the PodClique and its pods.")
      .Field("topologyConstraint", "How close the clique's pods sit.")
      .Field("resourceSharing", "Claims that the clique's pods share.")
      .Field("spec", "The clique itself.");
}

StructNotes Notes(const ScalingGroupConfig*) {
  return StructNotes("Cliques that are scaled together.")
      .Required({"cliqueNames", "name"})
      .Field("name", "Unique within the set; cannot change.")
      .Field("cliqueNames", "The cliques; each is in one group at most.")
      .Field("annotations", "Of the PodCliqueScalingGroup.")
      .Field("replicas", "How many at first; later the group's own scale counts.", {Default(1)})
      .Field("minAvailable", "How many belong to the set's base gang.", {Default(1)})
      .Field("scaleConfig", "Lets the number of replicas follow metrics.")
      .Field("resourceSharing", "Claims that pods of the group share.")
      .Field("topologyConstraint", "How close the pods of each replica sit.");
}

StructNotes Notes(const PodCliqueSetTemplate*) {
  return StructNotes("What each replica of the set consists of.")
      .Required({"cliques"})
      .Field("cliques", "The roles.", {MapList({"name"})})
      .Field("cliqueStartupType", "In which order cliques start.",
             {Default(kStartAnyOrder), Enum({kStartAnyOrder, kStartInOrder, kStartExplicit})})
      .Field("priorityClassName", "Priority of the gangs.")
      .Field("terminationDelay",
             "How long a gang may be below its minimum before it is "
             "terminated, as a duration. Default: 4h.")
      .Field("headlessServiceConfig", "The Service by which the pods of a replica find each other.")
      .Field("topologyConstraint", "How close all pods of a replica sit.")
      .Field("resourceClaimTemplates", "Claim templates for resourceSharing.")
      .Field("resourceSharing", "Claims that pods of the set share.")
      .Field("podCliqueScalingGroups", "Cliques that are scaled together.");
}

StructNotes Notes(const PodCliqueSetSpec*) {
  return StructNotes("What the system consists of, and how many copies of it run.")
      .Required({"template"})
      .Field("template", "What each replica of the set consists of.")
      .Field("replicas", "How many copies of the whole system.", {Default(0)})
      .Field("updateStrategy", "How pods follow a changed template.");
}

StructNotes Notes(const ScalingGroupSpec*) {
  return StructNotes("Cliques that are scaled together, and how many copies of them run.")
      .Required({"cliqueNames", "replicas"})
      .Field("replicas", "How many copies of the group's cliques.", {Default(1)})
      .Field("minAvailable", "How many belong to the set's base gang.", {Default(1)})
      .Field("cliqueNames", "The cliques, by their names in the set.");
}

}  // namespace coppice::api::grove
