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

// A created pod that has not shown up after this long may have come and gone unseen; one that was
// released and still has its gate is looked at again.
constexpr base::Duration kLostAfter = std::chrono::seconds(5);
constexpr base::Duration kSurplusInterval = std::chrono::seconds(1);

std::string Uid(const json::Value& pod) { return std::string(kube::Uid(pod)); }

bool HasDoubles(const std::vector<json::Value>& active) {
  std::set<std::optional<int>> seen;
  return !std::all_of(active.begin(), active.end(),
                      [&](const json::Value& pod) { return seen.insert(IndexOf(pod)).second; });
}

// The name in the server's answer is another one each time; what is told of it must not be, or each
// try would be news.
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

// Takes out pods whose index another, better one has: what is left of a create that happened
// although its answer got lost.
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

}  // namespace

void PodKeeper::Forget(const api::ObjectKey& clique) {
  expected_.Forget(clique);
  const std::lock_guard lock(mutex_);
  last_create_.erase(clique);
  released_.erase(clique);
}

void PodKeeper::Released(const Pass& pass, const json::Value& pod) {
  const std::lock_guard lock(mutex_);
  released_[pass.key()][Uid(pod)] = pass.context.Elapsed();
}

bool PodKeeper::IsReleased(const Pass& pass, const json::Value& pod) const {
  const std::lock_guard lock(mutex_);
  const auto clique = released_.find(pass.key());
  if (clique == released_.end()) return false;
  const auto released = clique->second.find(Uid(pod));
  return released != clique->second.end() && pass.context.Elapsed() - released->second < kLostAfter;
}

void PodKeeper::AllReleased(const Pass& pass) {
  const std::lock_guard lock(mutex_);
  released_.erase(pass.key());
}

kube::Expectations::Pending PodKeeper::Settle(const Pass& pass) {
  kube::Expectations::Uids live;
  kube::Expectations::Uids terminating;
  for (const json::Value& pod : pass.pods) {
    (kube::IsDeleting(pod) ? terminating : live).insert(Uid(pod));
  }
  kube::Expectations::Pending pending = expected_.Sync(pass.key(), live, terminating);
  DropLostCreates(pass, pending);
  return pending;
}

void PodKeeper::DropLostCreates(const Pass& pass, kube::Expectations::Pending& pending) {
  if (pending.creates.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    if (pass.context.Elapsed() - last_create_[pass.key()] < kLostAfter) return;
  }
  kube::ListOptions options;
  options.ns = pass.clique.ns();
  options.label_selector = Selector({{std::string(labels::kPodClique), pass.clique.name()}});
  const auto live = pass.context.runtime.client.List(api::kPods, options);
  if (!live) return;
  kube::Expectations::Uids seen;
  for (const json::Value& pod : live->items) seen.insert(Uid(pod));
  for (auto uid = pending.creates.begin(); uid != pending.creates.end();) {
    if (seen.contains(*uid)) {
      ++uid;
      continue;
    }
    expected_.Gone(pass.key(), *uid);
    uid = pending.creates.erase(uid);
  }
}

bool PodKeeper::IsBeingDeleted(const Pass& pass, const json::Value& pod) const {
  return kube::IsDeleting(pod) || expected_.Get(pass.key()).deletes.contains(Uid(pod));
}

StepOutcome PodKeeper::Scale(const Pass& pass) {
  const kube::Expectations::Pending pending = Settle(pass);
  std::vector<json::Value> active;
  for (const json::Value& pod : pass.pods) {
    if (kube::IsDeleting(pod) || pending.deletes.contains(Uid(pod))) continue;
    if (IsActive(pod)) {
      active.push_back(pod);
      continue;
    }
    // A finished pod does no work; its index goes to its successor.
    OPERATOR_TRY("ERR_DELETE_POD", "Sync", Delete(pass, pod));
  }
  for (const json::Value& pod : TakeDoubles(active, pass.clique.label(labels::kTemplateHash))) {
    OPERATOR_TRY("ERR_DELETE_POD", "Sync", Delete(pass, pod));
  }
  const size_t wanted = static_cast<size_t>(std::max(0, pass.clique.spec.replicas));
  const size_t present = active.size() + pending.creates.size();
  if (present > wanted) {
    return DeleteSurplus(pass, active, std::min(present - wanted, active.size()));
  }
  if (present == wanted) return StepOutcome::Done();
  // Soon, in case the cache knows the clique and not yet what it belongs to.
  if (pass.surplus()) return StepOutcome::ContinueAndRequeue("it is about to go", kSurplusInterval);
  // Which indices are free is known only when all pods that were created are in sight.
  if (!pending.creates.empty()) {
    return StepOutcome::ContinueAndRequeue("pods created earlier are not in the cache yet");
  }
  return Create(pass, wanted - present);
}

// One, two, four, … at a time, so that a create that cannot work fails few times, not hundreds.
StepOutcome PodKeeper::Create(const Pass& pass, size_t count) {
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

// All of them at once; the first failure, if any.
base::Status PodKeeper::CreateBatch(const Pass& pass, std::span<const int> indices) {
  std::vector<base::Status> created(indices.size());
  InParallel(pass.context.runtime, kube::Priority::kHighest, indices.size(),
             [&](size_t i) { created[i] = CreateOne(pass, indices[i]); });
  for (const base::Status& one : created) COPPICE_TRY(one);
  return {};
}

base::Status PodKeeper::CreateOne(const Pass& pass, int index) {
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
  expected_.ExpectCreate(pass.key(), Uid(*created));
  {
    const std::lock_guard lock(mutex_);
    last_create_[pass.key()] = context.Elapsed();
  }
  context.Event(pass.clique.object, "Normal", "PodCreateSuccessful",
                fmt::format("Created Pod: {}", kube::Name(*created)));
  return {};
}

StepOutcome PodKeeper::DeleteSurplus(const Pass& pass, const std::vector<json::Value>& active,
                                     size_t count) {
  std::vector<json::Value> candidates = active;
  const auto& progress = pass.clique.status.updateProgress;
  const bool targets_present =
      progress && progress->podCliqueSetGenerationHash == pass.set.status.currentGenerationHash;
  SortForDeletion(
      candidates,
      targets_present ? progress->podTemplateHash : pass.clique.label(labels::kTemplateHash),
      pass.context.config.policy().DeletesEqualPods());
  return MergeUntilFailure(pass.context.runtime, kube::Priority::kNormal, count, [&](size_t i) {
    OPERATOR_TRY("ERR_DELETE_POD", "Sync", Delete(pass, candidates[i]));
    return StepOutcome::Done();
  });
}

base::Status PodKeeper::Delete(const Pass& pass, const json::Value& pod) {
  const base::Status deleted =
      pass.context.runtime.client.Delete(api::kPods, kube::KeyOf(pod), {.uid = Uid(pod)});
  // Nothing was deleted, and the next look at the cache may show another pod.
  if (deleted.Is(base::ErrorCode::kConflict)) return deleted;
  if (!deleted && !deleted.Is(base::ErrorCode::kNotFound)) {
    pass.context.Event(pass.clique.object, "Warning", "PodDeleteFailed",
                       fmt::format("Error deleting pod: {}", deleted.error().message()));
    return deleted.error();
  }
  expected_.ExpectDelete(pass.key(), Uid(pod));
  if (deleted) {
    pass.context.Event(pass.clique.object, "Normal", "PodDeleteSuccessful",
                       fmt::format("Deleted Pod: {}", kube::Name(pod)));
  }
  return {};
}

}  // namespace coppice::operators::podclique
