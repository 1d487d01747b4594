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
      .Field("allocation", "The devices, as in the status of a ResourceClaim.",
             {External(kAllocation)});
}

StructNotes Notes(const ContainerMapping*) {
  return StructNotes("Which request of the claim serves an extended resource of a container.")
      .Required({"containerName", "resourceName", "requestName"})
      .Field("containerName", "The container.")
      .Field("resourceName", "The extended resource.")
      .Field("requestName", "The request in the claim.");
}

StructNotes Notes(const ExtendedClaimAllocation*) {
  return StructNotes("The devices chosen for extended resources that a device class serves.")
      .Field("allocation", "The devices, as in the status of a ResourceClaim.",
             {External(kAllocation)})
      .Field("containerMappings", "Which request serves which container.")
      .Field("deviceRequests", "The requests of the claim to be created.",
             {Items({External("resource/v1 DeviceRequest")})});
}

StructNotes Notes(const NumaZone*) {
  return StructNotes("What the pod should get from one NUMA zone of the node.")
      .Required({"zone", "amount"})
      .Field("zone", "The zone.")
      .Field("amount", "How much of each resource.");
}

StructNotes Notes(const BindRequestSpec*) {
  return StructNotes("The scheduler's decision about one pod.")
      .Field("podName", "The pod, in the same namespace.")
      .Field("selectedNode", "Where it goes.")
      .Field("receivedResourceType", "Regular or Fraction.")
      .Field("receivedGPU", "The GPUs that it gets.")
      .Field("resourceClaimAllocations", "Devices for its claims.")
      .Field("extendedResourceClaimAllocation",
             "Devices for extended resources that a device class serves.")
      .Field("predictedNUMAZones", "NUMA zones that the kubelet should choose.")
      .Field("selectedGPUGroups", "The shared GPUs that it joins.", {kGpuGroups})
      .Field("backoffLimit", "How many failed attempts end the request.");
}

StructNotes Notes(const BindRequestStatus*) {
  return StructNotes("How far the binder is.")
      .Field("phase", "Pending, Succeeded or Failed.")
      .Field("reason", "Why the last attempt failed.")
      .Field("failedAttempts", "How many attempts failed.");
}

json::Value BindRequestCrd() {
  return Crd(kBindRequests)
      .Version<BindRequestSpec, BindRequestStatus>("v1alpha2",
                                                   {.about = "A pod to be bound by the binder."})
      .ToJson();
}

}  // namespace coppice::api::kai
