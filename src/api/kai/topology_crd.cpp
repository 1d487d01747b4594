#include "api/kai/crds.h"
#include "api/kai/topology.h"
#include "api/typed/crd.h"
#include "api/well_known.h"

namespace coppice::api::kai {
namespace {

constexpr std::string_view kLabelKey =
    R"(^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$)";

}  // namespace

StructNotes Notes(const TopologyLevel*) {
  return StructNotes("One level of the hierarchy.")
      .Required({"nodeLabel"})
      .Field("nodeLabel", "The node label whose values are this level's domains.",
             {MinLength(1), MaxLength(316), Pattern(kLabelKey)})
      .Field("alias", "A short name for the level.",
             {MinLength(1), MaxLength(316), Pattern(kLabelKey)});
}

StructNotes Notes(const TopologySpec*) {
  return StructNotes("The levels of the cluster's network, widest first.")
      .Required({"levels"})
      .Field(
          "levels", "The levels.",
          {MinItems(1), MaxItems(16), AtomicList(),
           Rule("self.map(l, l.nodeLabel) == oldSelf.map(l, l.nodeLabel)",
                "nodeLabel structure is immutable; only aliases may be edited"),
           Rule("size(self.filter(i, size(self.filter(j, j.nodeLabel == i.nodeLabel)) > 1)) == 0",
                "nodeLabel must be unique"),
           Rule("size(self.filter(i, i.nodeLabel == 'kubernetes.io/hostname')) == 0 || "
                "self[size(self) - 1].nodeLabel == 'kubernetes.io/hostname'",
                "the kubernetes.io/hostname label can only be used at the lowest level of "
                "topology")});
}

json::Value TopologyCrd() {
  return Crd(kTopologies)
      .Version<TopologySpec, NoPart>("v1alpha1", {.about = "What is close to what.",
                                                  .status_subresource = false,
                                                  .root = {AlsoRequired({"spec"})}})
      .ToJson();
}

}  // namespace coppice::api::kai
