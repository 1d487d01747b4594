#include "operator/render.h"

#include <utility>

#include "api/edit/grove.h"
#include "api/edit/meta.h"
#include "api/grove/convert.h"
#include "api/key/grove.h"
#include "api/key/meta.h"
#include "kube/object.h"
#include "operator/common/clique_builder.h"
#include "operator/common/limits.h"
#include "operator/common/resource_claims.h"
#include "operator/podclique/pod_builder.h"
#include "operator/podcliqueset/objects.h"
#include "operator/podgang/metadata.h"
#include "operator/runtime/labels.h"
#include "operator/webhooks/admission.h"
#include "operator/webhooks/checks/checks.h"
#include "operator/webhooks/defaulting.h"

namespace coppice::operators {
namespace {

using api::grove::PodCliqueSet;
using api::grove::PodCliqueTemplate;

// Owner references need a uid, which does not exist yet.
void DropUids(json::Value& object) {
  json::Value& metadata = edit::meta::PartialObjectMetadata(object).metadata().Json();
  json::Value* references = metadata.FindMutable(key::meta::ObjectMeta::ownerReferences);
  if (references == nullptr) return;
  for (json::Value& reference : references->MutableItems()) {
    edit::meta::OwnerReference(reference).clear_uid();
  }
}

class Renderer {
 public:
  Renderer(const Config& config, const PodCliqueSet& set, const std::vector<json::Value>& cluster)
      : config_(config), set_(set), cluster_(cluster) {}

  base::Result<std::vector<json::Value>> Render() {
    Add(podcliqueset::BuildServiceAccount(set_, std::nullopt));
    Add(podcliqueset::BuildRole(set_, std::nullopt));
    Add(podcliqueset::BuildRoleBinding(set_, std::nullopt));
    Add(podcliqueset::BuildTokenSecret(set_));
    for (const auto& [name, target] : podcliqueset::WantedAutoscalers(set_)) {
      Add(podcliqueset::BuildAutoscaler(set_, name, target, std::nullopt));
    }
    COPPICE_TRY(RenderClaims(SetClaims(set_)));
    if (config_.auto_mnnvl) {
      for (json::Value& domain : podcliqueset::BuildComputeDomains(set_)) Add(std::move(domain));
    }
    for (int i = 0; i < set_.spec.replicas; ++i) COPPICE_TRY(RenderReplica(i));
    return std::move(objects_);
  }

 private:
  base::Status RenderReplica(int i) {
    Add(podcliqueset::BuildService(set_, i, std::nullopt));
    for (const PodCliqueTemplate& clique : set_.spec.template_.cliques) {
      if (set_.spec.template_.GroupOf(clique.name) != nullptr) continue;
      COPPICE_TRY(RenderClique(i, clique, std::nullopt));
    }
    for (const auto& group : set_.spec.template_.podCliqueScalingGroups) {
      const json::Value object =
          podcliqueset::BuildScalingGroup(config_, set_, i, group, std::nullopt);
      Add(object);
      COPPICE_TRY(RenderClaims(GroupClaims(group, api::grove::ReadScalingGroup(object))));
      for (int j = 0; j < group.Replicas(); ++j) {
        for (const std::string& name : group.cliqueNames) {
          const auto* clique = set_.spec.template_.FindClique(name);
          if (clique != nullptr) COPPICE_TRY(RenderClique(i, *clique, MemberOf{object, group, j}));
        }
      }
    }
    return {};
  }

  base::Status RenderClique(int i, const PodCliqueTemplate& clique,
                            const std::optional<MemberOf>& member) {
    const json::Value object = BuildPodClique(config_, set_, i, clique, member, std::nullopt);
    Add(object);
    const auto typed = api::grove::ReadPodClique(object);
    COPPICE_TRY(RenderClaims(CliqueClaims(clique, typed)));
    for (int index = 0; index < typed.spec.replicas; ++index) {
      COPPICE_ASSIGN(json::Value pod, podclique::BuildPod(config_, set_, typed, index));
      Add(std::move(pod));
    }
    return {};
  }

  base::Status RenderClaims(const ClaimLevel& level) {
    const auto find = [this](const api::ObjectKey& key) -> base::Result<json::Value> {
      for (const json::Value& object : cluster_) {
        if (kube::Kind(object) != "ResourceClaimTemplate" || kube::Name(object) != key.name)
          continue;
        const std::string_view ns = kube::Namespace(object);
        if ((ns.empty() ? "default" : ns) == key.ns) return object;
      }
      return base::NotFound(key.ToString());
    };
    COPPICE_ASSIGN(std::vector<json::Value> claims, BuildClaims(config_, set_, level, find));
    for (json::Value& claim : claims) Add(std::move(claim));
    return {};
  }

  void Add(json::Value object) {
    DropUids(object);
    objects_.push_back(std::move(object));
  }

  const Config& config_;
  const PodCliqueSet& set_;
  const std::vector<json::Value>& cluster_;
  std::vector<json::Value> objects_;
};

// The checks that need neither a cluster nor a backend.
webhooks::Causes Check(const Config& config, const PodCliqueSet& set) {
  webhooks::Causes causes = Excess(set);
  webhooks::CheckBase(set, /*creating=*/true, {}, causes);
  webhooks::CheckMnnvl(set, config.auto_mnnvl, causes);
  return causes;
}

}  // namespace

base::Result<std::vector<json::Value>> RenderSet(const Config& config, json::Value set,
                                                 const std::vector<json::Value>& cluster) {
  edit::grove::PodCliqueSet(set).metadata().Json().SetDefault(key::meta::ObjectMeta::namespace_,
                                                              "default");
  if (json::Value* spec = set.FindMutable(key::grove::PodCliqueSet::spec); spec != nullptr) {
    edit::grove::PodCliqueSetSpec(*spec).template_().Json().SetDefault(
        key::grove::PodCliqueSetTemplate::cliqueStartupType, api::grove::kStartAnyOrder);
  }
  webhooks::DefaultPodCliqueSet(set);
  const PodCliqueSet typed = api::grove::ReadPodCliqueSet(std::move(set));
  const webhooks::Causes causes = Check(config, typed);
  if (!causes.empty()) return webhooks::Denial(webhooks::kSetValidatorName, causes);
  return Renderer(config, typed, cluster).Render();
}

void RenderGangMetadata(const Config& config, const json::Value& set,
                        const backends::PodGangInfo& gang, const backends::Selection& selection,
                        json::Value& pod_gang) {
  const backends::CompatibilityPolicy& policy = config.policy();
  json::Value labels = json::Value::Object({{labels::kSchedulerName, selection.scheduler_name}});
  if (policy.LabelsGangsWithBackend()) labels.Set(labels::kBackend, selection.backend->name());
  podgang::SetGangMetadata(config, api::grove::ReadPodCliqueSet(set), gang, labels,
                           policy.AnnotatesGangsForBackend() ? selection.backend->GangAnnotations()
                                                             : json::Value::Object(),
                           pod_gang);
  DropUids(pod_gang);
}

}  // namespace coppice::operators
