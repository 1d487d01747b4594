#include "services/workloads/deployment.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "api/edit/apps.h"
#include "api/key/apps.h"
#include "api/labels.h"
#include "api/view/apps.h"
#include "api/well_known.h"
#include "kube/cache/apply.h"
#include "kube/cache/index.h"
#include "kube/object.h"
#include "services/workloads/status.h"
#include "services/workloads/template_hash.h"

namespace coppice::services::workloads {
namespace {

using json::Value;
using kube::Requeue;
using view::apps::Deployment;

constexpr std::string_view kHashLabel = "pod-template-hash";
using api::labels::kRevision;

// Of a ReplicaSet.
int64_t Replicas(const Value& set) { return view::apps::ReplicaSet(set).spec().replicas(); }
int64_t Existing(const Value& set) { return view::apps::ReplicaSet(set).status().replicas(); }
int64_t Available(const Value& set) {
  return view::apps::ReplicaSet(set).status().availableReplicas();
}

int64_t RevisionOf(const Value& set) {
  const std::string_view text = kube::Annotation(set, kRevision);
  int64_t revision = 0;
  std::from_chars(text.data(), text.data() + text.size(), revision);
  return revision;
}

template <typename Function>
int64_t Sum(const std::vector<Value>& sets, Function of) {
  int64_t total = 0;
  for (const Value& set : sets) total += of(set);
  return total;
}

class DeploymentController final : public kube::Reconciler {
 public:
  explicit DeploymentController(kube::Runtime runtime)
      : client_(runtime.client),
        executor_(runtime.executor),
        deployments_(runtime.cache.InformerFor(api::kDeployments)),
        sets_(runtime.cache.InformerFor(api::kReplicaSets)) {
    kube::AddOwnerIndex(sets_);
  }

  base::Result<Requeue> Reconcile(const api::ObjectKey& key) override {
    const auto object = deployments_.Get(key);
    if (!object || kube::IsDeleting(*object)) return Requeue::Done();
    const Deployment deployment(*object);
    std::vector<Value> old_sets = kube::OwnedBy(sets_, kube::Uid(*object));
    const std::string hash = TemplateHash(deployment.spec().template_());
    std::optional<Value> current;
    std::erase_if(old_sets, [&](const Value& set) {
      if (kube::Label(set, kHashLabel) != hash) return false;
      current = set;
      return true;
    });
    if (deployment.spec().paused()) {
      COPPICE_TRY(ScalePaused(deployment, current, old_sets));
    } else if (!current) {
      COPPICE_TRY(CreateSet(deployment, hash, old_sets));
      return Requeue::Done();  // Its event brings us back.
    } else {
      COPPICE_TRY(Roll(deployment, *current, old_sets));
      COPPICE_TRY(DropOldRevisions(deployment, old_sets));
    }
    COPPICE_TRY(kube::PatchStatus(client_, api::kDeployments, *object,
                                  Status(deployment, current, old_sets)));
    return Requeue::Done();
  }

 private:
  base::Status CreateSet(Deployment deployment, const std::string& hash,
                         const std::vector<Value>& old_sets) {
    int64_t revision = 1;
    for (const Value& set : old_sets) revision = std::max(revision, RevisionOf(set) + 1);
    const std::string text = fmt::format("{}", revision);
    // The first set starts whole; a later one grows as the others shrink.
    const int64_t replicas = old_sets.empty() ? deployment.spec().replicas(1) : 0;
    const Value set = MakeSet(deployment, hash, text, replicas);
    const auto created = client_.Create(api::kReplicaSets, set);
    if (!created && !created.Is(base::ErrorCode::kAlreadyExists)) return created.error();
    Value annotated = deployment.Json();
    edit::apps::Deployment(annotated).metadata().annotations().Set(kRevision, text);
    COPPICE_TRY(kube::PatchTo(client_, api::kDeployments, deployment.Json(), annotated));
    return {};
  }

  static Value MakeSet(Deployment deployment, const std::string& hash, const std::string& revision,
                       int64_t replicas) {
    Value set = kube::NewObject(api::kReplicaSets, deployment.metadata().namespace_(),
                                fmt::format("{}-{}", deployment.metadata().name(), hash));
    const edit::apps::ReplicaSet edit(set);
    edit.spec()
        .set_replicas(replicas)
        .set_selector(deployment.spec().selector().Json())
        .set_template_(deployment.spec().template_().Json());
    edit.spec().selector().matchLabels().Set(kHashLabel, hash);
    edit.spec().template_().metadata().labels().Set(kHashLabel, hash);
    edit.metadata()
        .set_labels(view::apps::ReplicaSet(set).spec().template_().metadata().labels().Json())
        .set_ownerReferences(Value::Array({kube::MakeControllerReference(deployment.Json())}));
    edit.metadata().annotations().Set(kRevision, revision);
    return set;
  }

  base::Status Scale(const Value& set, int64_t replicas) {
    if (Replicas(set) == replicas) return {};
    Value scaled = set;
    edit::apps::ReplicaSet(scaled).spec().set_replicas(replicas);
    COPPICE_TRY(kube::PatchTo(client_, api::kReplicaSets, set, scaled));
    return {};
  }

  // No new template is rolled out, but the replicas follow the spec. While two templates run, each
  // keeps what it has.
  base::Status ScalePaused(Deployment deployment, const std::optional<Value>& current,
                           std::vector<Value> sets) {
    if (current) sets.push_back(*current);
    if (sets.empty()) return {};
    if (std::ranges::count_if(sets, [](const Value& set) { return Replicas(set) > 0; }) > 1) {
      return {};
    }
    const auto scaled = std::ranges::max_element(
        sets, {}, [](const Value& set) { return std::pair(Replicas(set) > 0, RevisionOf(set)); });
    return Scale(*scaled, deployment.spec().replicas(1));
  }

  base::Status Roll(Deployment deployment, const Value& current,
                    const std::vector<Value>& old_sets) {
    const int64_t wanted = deployment.spec().replicas(1);
    const view::apps::DeploymentStrategy strategy = deployment.spec().strategy();
    if (strategy.type() == "Recreate") {
      for (const Value& set : old_sets) COPPICE_TRY(Scale(set, 0));
      return Sum(old_sets, Existing) == 0 ? Scale(current, wanted) : base::Status();
    }
    const int64_t surge = MaxSurge(deployment), unavailable = MaxUnavailable(deployment);
    const int64_t room = wanted + surge - Sum(old_sets, Replicas) - Replicas(current);
    const int64_t target = Replicas(current) > wanted
                               ? wanted
                               : std::min(wanted, Replicas(current) + std::max<int64_t>(room, 0));
    COPPICE_TRY(Scale(current, target));
    return ShrinkOld(current, old_sets, wanted - unavailable);
  }

  // Takes old pods away as far as enough stay available; unavailable ones go first.
  base::Status ShrinkOld(const Value& current, const std::vector<Value>& old_sets,
                         int64_t must_stay) {
    int64_t spare = Sum(old_sets, Available) + Available(current) - must_stay;
    for (const Value& set : old_sets) {
      // A status that lags behind may count pods that were asked for no longer.
      const int64_t available = std::min(Available(set), Replicas(set));
      const int64_t healthy = std::clamp<int64_t>(spare, 0, available);
      COPPICE_TRY(Scale(set, available - healthy));
      spare -= healthy;
    }
    return {};
  }

  base::Status DropOldRevisions(Deployment deployment, std::vector<Value> old_sets) {
    const int64_t keep = deployment.spec().revisionHistoryLimit(10);
    std::erase_if(old_sets,
                  [](const Value& set) { return Replicas(set) != 0 || Existing(set) != 0; });
    std::sort(old_sets.begin(), old_sets.end(),
              [](const Value& a, const Value& b) { return RevisionOf(a) < RevisionOf(b); });
    for (size_t i = 0; static_cast<int64_t>(old_sets.size() - i) > keep; ++i) {
      COPPICE_TRY(kube::DeleteObject(client_, api::kReplicaSets, old_sets[i]));
    }
    return {};
  }

  static int64_t MaxSurge(Deployment deployment) {
    return IntOrPercent(deployment.spec().strategy().rollingUpdate().maxSurge(),
                        deployment.spec().replicas(1), true, 1);
  }
  static int64_t MaxUnavailable(Deployment deployment) {
    if (deployment.spec().strategy().type() == "Recreate") return 0;
    const int64_t unavailable =
        IntOrPercent(deployment.spec().strategy().rollingUpdate().maxUnavailable(),
                     deployment.spec().replicas(1), false, 0);
    return unavailable == 0 && MaxSurge(deployment) == 0 ? 1 : unavailable;
  }

  // Without `current` the template has not been rolled out.
  Value Status(Deployment deployment, const std::optional<Value>& current,
               const std::vector<Value>& old_sets) const {
    const int64_t wanted = deployment.spec().replicas(1);
    const int64_t updated = current ? Existing(*current) : 0;
    const int64_t available = (current ? Available(*current) : 0) + Sum(old_sets, Available);
    const int64_t replicas = updated + Sum(old_sets, Existing);
    Value status = deployment.status().Json();
    const edit::apps::DeploymentStatus edit(status);
    edit.set_replicas(replicas).set_updatedReplicas(updated);
    edit.set_readyReplicas(available).set_availableReplicas(available);
    edit.set_observedGeneration(deployment.metadata().generation());
    status.Set(key::apps::DeploymentStatus::unavailableReplicas,
               NonZero(std::max<int64_t>(0, wanted - available)));
    Value& conditions = edit.conditions().Json();
    const std::string now = base::FormatRfc3339(executor_.Now());
    const bool enough = available >= wanted - MaxUnavailable(deployment);
    SetCondition(conditions, "Available", enough ? "True" : "False",
                 enough ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
                 enough ? "Deployment has minimum availability."
                        : "Deployment does not have minimum availability.",
                 now);
    if (deployment.spec().paused() || !current) {
      SetCondition(conditions, "Progressing", "Unknown", "DeploymentPaused", "Deployment is paused",
                   now);
      return status;
    }
    const bool done = updated == wanted && replicas == wanted && available == wanted;
    SetCondition(conditions, "Progressing", "True",
                 done ? "NewReplicaSetAvailable" : "ReplicaSetUpdated",
                 fmt::format("ReplicaSet \"{}\" {}.", kube::Name(*current),
                             done ? "has successfully progressed" : "is progressing"),
                 now);
    return status;
  }

  kube::Client& client_;
  kube::Executor& executor_;
  kube::Informer& deployments_;
  kube::Informer& sets_;
};

}  // namespace

void AddDeploymentController(kube::Manager& manager) {
  kube::ControllerSpec spec{.name = "deployment", .workers = 2};
  spec.For(api::kDeployments).Owns(api::kReplicaSets, "Deployment");
  manager.AddController(std::move(spec), std::make_unique<DeploymentController>(manager.runtime()));
}

}  // namespace coppice::services::workloads
