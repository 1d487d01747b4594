#include "api/kai/bind_request.h"
#include "api/kai/crds.h"
#include "api/typed/crd.h"
#include "api/well_known.h"

namespace coppice::api::kai {
namespace {

// A group is the value of a label.
const SchemaPart kGpuGroups =
    Items({MinLength(1), MaxLength(63), Pattern("^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$")});

constexpr std::string_view kAllocation = "resource/v1 AllocationResult";

}  // namespace

StructNotes Notes(const ReceivedGpu*) {
  return StructNotes("The GPUs that the pod gets.")
      .Field("count", "How many.", {Type("integer")})
      .Field("portion", "How much of each, as a decimal.");
}

StructNotes Notes(const ClaimAllocation*) {
  return StructNotes("The devices chosen for one of the pod's claims.")
      .Field("name", "The claim's name in the pod.")
      .Field("allocation", "", {External(kAllocation)});
}

StructNotes Notes(const ContainerMapping*) {
  return StructNotes().Required({"containerName", "resourceName", "requestName"});
}

StructNotes Notes(const ExtendedClaimAllocation*) {
  return StructNotes("The devices chosen for extended resources that a device class serves.")
      .Field("allocation", "", {External(kAllocation)})
      .Field("deviceRequests", "", {Items({External("resource/v1 DeviceRequest")})});
}

StructNotes Notes(const NumaZone*) { return StructNotes().Required({"zone", "amount"}); }

StructNotes Notes(const BindRequestSpec*) {
  return StructNotes("The scheduler's decision about one pod.")
      .Field("podName", "The pod, in the same namespace.")
      .Field("selectedNode", "Where it goes.")
      .Field("receivedResourceType", "Regular or Fraction.")
      .Field("selectedGPUGroups", "The shared GPUs that it joins.", {kGpuGroups})
      .Field("backoffLimit", "How many failed attempts end the request.");
}

json::Value BindRequestCrd() {
  return Crd(kBindRequests)
      .Version<BindRequestSpec, BindRequestStatus>("v1alpha2",
                                                   {.about = "A pod to be bound by the binder."})
      .ToJson();
}

}  // namespace coppice::api::kai
