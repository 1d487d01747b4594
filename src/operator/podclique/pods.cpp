#include "operator/podclique/pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "api/view/core.h"
#include "api/well_known.h"
#include "kube/executor/priority.h"
#include "kube/object.h"
#include "operator/podclique/pod_builder.h"
#include "operator/podclique/pod_facts.h"
#include "operator/podclique/pod_order.h"
#include "operator/runtime/labels.h"
#include "operator/runtime/parallel.h"

namespace coppice::operators::podclique {
namespace {

constexpr base::Duration kSurplusInterval = std::chrono::seconds(1);

std::string Uid(const json::Value& pod) { return std::string(kube::Uid(pod)); }

bool HasDoubles(const std::vector<json::Value>& active) {
  std::set<std::optional<int>> seen;
  return !std::all_of(active.begin(), active.end(),
                      [&](const json::Value& pod) { return seen.insert(IndexOf(pod)).second; });
}

// The generated name in the server's error differs each time. Remove it, or every retry would look
// like a new error.
base::Error WithoutName(const base::Error& error, std::string_view prefix) {
  std::string message = error.message();
  const std::string quoted = fmt::format("\"{}", prefix);
  const size_t at = message.find(quoted);
  if (at == std::string::npos) return error;
  const size_t name = at + quoted.size();
  const size_t end = message.find('"', name);
  if (end == std::string::npos) return error;
  message.replace(name, end - name, "*");
  return base::Error(error.code(), std::move(message)).WithCauses(error.causes());
}

// Removes pods whose index another, better pod has: leftovers of a create that succeeded although
// its response was lost.
std::vector<json::Value> TakeDoubles(std::vector<json::Value>& active, const std::string& hash) {
  if (!HasDoubles(active)) return {};
  SortForDeletion(active, hash, backends::DeletionTieBreak::kHighestIndexFirst);
  std::set<std::optional<int>> seen;
  std::vector<json::Value> doubles;
  std::vector<json::Value> kept;
  for (auto pod = active.rbegin(); pod != active.rend(); ++pod) {
    (seen.insert(IndexOf(*pod)).second ? kept : doubles).push_back(*pod);
  }
  active = std::move(kept);
  return doubles;
}

base::Status CreateOne(const Pass& pass, int index) {
  const Context& context = pass.context;
  COPPICE_ASSIGN(json::Value pod, BuildPod(context.config, pass.set, pass.clique, index));
  COPPICE_TRY(context.backends.PreparePod(pass.set.object, pass.clique.object, index, pod));
  const auto created = context.runtime.client.Create(api::kPods, pod);
  if (!created) {
    base::Error error =
        WithoutName(created.error(), view::core::Pod(pod).metadata().generateName());
    context.Event(pass.clique.object, "Warning", "PodCreateFailed",
                  fmt::format("Error creating pod: {}", error.message()));
    return error;
  }
  context.Event(pass.clique.object, "Normal", "PodCreateSuccessful",
                fmt::format("Created Pod: {}", kube::Name(*created)));
  return {};
}

// Creates all of them concurrently; returns the first failure, if any.
base::Status CreateBatch(const Pass& pass, std::span<const int> indices) {
  std::vector<base::Status> created(indices.size());
  InParallel(pass.context.runtime, kube::Priority::kHighest, indices.size(),
             [&](size_t i) { created[i] = CreateOne(pass, indices[i]); });
  for (const base::Status& one : created) COPPICE_TRY(one);
  return {};
}

// Creates one, two, four, … at a time, so that a create that cannot succeed fails a few times, not
// hundreds.
StepOutcome Create(const Pass& pass, size_t count) {
  std::vector<json::Value> occupying;
  for (const json::Value& pod : pass.pods) {
    if (!IsBeingDeleted(pass, pod)) occupying.push_back(pod);
  }
  const auto indices = FreeIndices(occupying, count);
  OPERATOR_TRY("ERR_GET_AVAILABLE_POD_HOSTNAME_INDICES", "Sync", indices);
  const kube::PriorityScope creating(pass.context.runtime.priorities, kube::Priority::kHighest);
  size_t done = 0;
  for (size_t batch = 1; done < count; batch *= 2) {
    const size_t end = std::min(count, done + batch);
    const base::Status created = CreateBatch(pass, std::span(*indices).subspan(done, end - done));
    if (created.Is(base::ErrorCode::kUnavailable)) {
      return StepOutcome::RequeueAfter(created.error().message());
    }
    OPERATOR_TRY("ERR_CREATE_POD", "Sync", created);
    done = end;
  }
  return StepOutcome::Done();
}

StepOutcome DeleteSurplus(const Pass& pass, const std::vector<json::Value>& active, size_t count) {
  std::vector<json::Value> candidates = active;
  const auto& progress = pass.clique.status.updateProgress;
  const bool targets_present =
      progress && progress->podCliqueSetGenerationHash == pass.set.status.currentGenerationHash;
  SortForDeletion(
      candidates,
      targets_present ? progress->podTemplateHash : pass.clique.label(labels::kTemplateHash),
      pass.context.config.policy().DeletesEqualPods());
  return MergeUntilFailure(pass.context.runtime, kube::Priority::kNormal, count, [&](size_t i) {
    OPERATOR_TRY("ERR_DELETE_POD", "Sync", DeletePod(pass, candidates[i]));
    return StepOutcome::Done();
  });
}

}  // namespace

bool IsBeingDeleted(const Pass& pass, const json::Value& pod) {
  if (kube::IsDeleting(pod)) return true;
  const auto current = pass.context.pods.Get(kube::KeyOf(pod));
  return !current || kube::Uid(*current) != kube::Uid(pod) || kube::IsDeleting(*current);
}

StepOutcome ScalePods(const Pass& pass) {
  std::vector<json::Value> active;
  for (const json::Value& pod : pass.pods) {
    if (kube::IsDeleting(pod)) continue;
    if (IsActive(pod)) {
      active.push_back(pod);
      continue;
    }
    // A finished pod does no work; its replacement gets its index.
    OPERATOR_TRY("ERR_DELETE_POD", "Sync", DeletePod(pass, pod));
  }
  for (const json::Value& pod : TakeDoubles(active, pass.clique.label(labels::kTemplateHash))) {
    OPERATOR_TRY("ERR_DELETE_POD", "Sync", DeletePod(pass, pod));
  }
  const size_t wanted = static_cast<size_t>(std::max(0, pass.clique.spec.replicas));
  const size_t present = active.size();
  if (present > wanted) {
    return DeleteSurplus(pass, active, present - wanted);
  }
  if (present == wanted) return StepOutcome::Done();
  // Requeue soon, in case the cache has the clique but not yet its owner.
  if (pass.surplus()) return StepOutcome::ContinueAndRequeue("it is about to go", kSurplusInterval);
  return Create(pass, wanted - present);
}

base::Status DeletePod(const Pass& pass, const json::Value& pod) {
  const base::Status deleted =
      pass.context.runtime.client.Delete(api::kPods, kube::KeyOf(pod), {.uid = Uid(pod)});
  // Nothing was deleted; retry with a fresh cache, which may show another pod.
  if (deleted.Is(base::ErrorCode::kConflict)) return deleted;
  if (!deleted && !deleted.Is(base::ErrorCode::kNotFound)) {
    pass.context.Event(pass.clique.object, "Warning", "PodDeleteFailed",
                       fmt::format("Error deleting pod: {}", deleted.error().message()));
    return deleted.error();
  }
  if (deleted) {
    pass.context.Event(pass.clique.object, "Normal", "PodDeleteSuccessful",
                       fmt::format("Deleted Pod: {}", kube::Name(pod)));
  }
  return {};
}

}  // namespace coppice::operators::podclique
