#include "services/admission/admission.h"

#include <fmt/format.h>

#include "api/well_known.h"
#include "kube/object.h"
#include "services/admission/device_access.h"
#include "services/admission/pod_group.h"
#include "services/admission/queue.h"
#include "services/admission/topology.h"

namespace coppice::services::admission {

Admission::Admission(kube::Client& client, Options options, uint64_t seed)
    : client_(client), options_(std::move(options)), random_(seed) {}

bool Admission::Handles(const api::Resource& resource) {
  return resource == api::kPods || resource == api::kQueues || resource == api::kPodGroups ||
         resource == api::kTopologies;
}

std::string Admission::Random(int count) {
  static constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  std::lock_guard lock(mutex_);
  std::uniform_int_distribution<size_t> pick(0, kAlphabet.size() - 1);
  std::string text;
  for (int i = 0; i < count; ++i) text += kAlphabet[pick(random_)];
  return text;
}

base::Status Admission::Mutate(Request& request) {
  if (request.resource != api::kPods || request.operation != Operation::kCreate) return {};
  const std::string_view own = kube::Namespace(request.object);
  if (!own.empty() && !request.ns.empty() && own != request.ns) {
    return base::InvalidArgument(
        fmt::format("error: the namespace from the provided object {} does not match the "
                    "namespace {}",
                    own, request.ns));
  }
  return MutatePod(own.empty() ? request.ns : std::string(own), request.object);
}

base::Status Admission::MutatePod(const std::string& ns, json::Value& pod) {
  ApplyPlacementRules(options_.placement, ns, pod);
  if (!IsOurs(view::core::Pod(pod))) return {};
  COPPICE_TRY(MutateGpuSharing([this](int count) { return Random(count); }, pod));
  if (options_.hami_core_enabled) COPPICE_TRY(MutateHamiCore(pod));
  if (options_.block_nvidia_visible_devices) MutateDeviceAccess(pod);
  MutateRuntimeClass(options_.gpu_fraction_runtime_class_name, pod);
  return {};
}

Verdict Admission::Validate(const Request& request) {
  if (request.resource == api::kPods) return ValidatePod(request);
  if (request.resource == api::kQueues) return ValidateQueueRequest(request);
  if (request.operation == Operation::kDelete) return {};
  if (request.resource == api::kPodGroups) {
    return ValidatePodGroup(view::kai::PodGroup(request.object),
                            request.operation == Operation::kUpdate);
  }
  if (request.resource == api::kTopologies) {
    return ValidateTopology(view::kai::Topology(request.object));
  }
  return {};
}

Verdict Admission::ValidatePod(const Request& request) {
  const view::core::Pod pod(request.object);
  if (request.operation == Operation::kDelete || !IsOurs(pod)) return {};
  Verdict verdict;
  verdict.status = ValidateGpuSharing(request.object, options_.gpu_sharing_enabled);
  if (verdict.status && options_.block_nvidia_visible_devices) {
    verdict.status = ValidateDeviceAccess(pod);
  }
  if (verdict.status && request.operation == Operation::kCreate) {
    verdict.status = CheckQueue(options_.placement, pod, [&](const std::string& queue) {
      return !client_.Get(api::kQueues, {"", queue}).Is(base::ErrorCode::kNotFound);
    });
  }
  return verdict;
}

Verdict Admission::ValidateQueueRequest(const Request& request) {
  if (request.operation == Operation::kDelete) {
    if (!options_.guard_queue_deletion) return {};
    return ValidateQueueDeletion(view::kai::Queue(request.old_object));
  }
  const view::kai::Queue queue(request.object);
  if (!options_.quota_validation) return ValidateQueue(queue, nullptr);
  const auto family = FamilyOf(queue, request.operation == Operation::kUpdate);
  if (!family) return {family.error(), {}};
  return ValidateQueue(queue, &*family);
}

base::Result<QueueFamily> Admission::FamilyOf(view::kai::Queue queue, bool is_update) {
  COPPICE_ASSIGN(const kube::ObjectList all, client_.List(api::kQueues));
  const std::string_view name = queue.metadata().name();
  const std::string_view parent = queue.spec().parentQueue();
  QueueFamily family;
  for (const json::Value& other : all.items) {
    const std::string_view others_parent = view::kai::Queue(other).spec().parentQueue();
    if (kube::Name(other) == name) continue;
    if (!parent.empty() && kube::Name(other) == parent) family.parent = other;
    if (!parent.empty() && others_parent == parent) family.siblings.push_back(other);
    if (is_update && others_parent == name) family.children.push_back(other);
  }
  return family;
}

}  // namespace coppice::services::admission
