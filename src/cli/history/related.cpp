#include "cli/history/related.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/labels.h"
#include "api/well_known.h"
#include "cli/common/list_or_none.h"
#include "kube/object.h"
#include "services/common/names.h"

namespace coppice::cli {
namespace {

using json::Value;

bool IsOwnedByAny(const Value& object, const RelatedObjects& related) {
  for (const view::meta::OwnerReference owner : kube::Metadata(object).ownerReferences()) {
    if (related.uids.contains(owner.uid())) return true;
  }
  return false;
}

void Include(const Value& object, RelatedObjects& related) {
  if (!related.uids.emplace(kube::Uid(object)).second) return;
  related.objects.push_back(object);
  const std::string_view kind = kube::Kind(object);
  if (kind != "Pod" && kind != "PodGroup" && kind != "PodCliqueSet") {
    related.pod_prefixes.push_back(fmt::format("{}-", kube::Name(object)));
  }
}

// The pods of a gang are owned by cliques.
bool IsPodOfGang(const Value& object, const Value& root) {
  return kube::Kind(root) == "PodGang" &&
         kube::Label(object, api::labels::kPodGang) == kube::Name(root);
}

bool IsGroupOfPods(const Value& group, const RelatedObjects& related) {
  return std::any_of(related.objects.begin(), related.objects.end(), [&](const Value& object) {
    return kube::Kind(object) == "Pod" &&
           kube::Annotation(object, services::names::kPodGroupAnnotation) == kube::Name(group);
  });
}

}  // namespace

bool RelatedObjects::Contains(std::string_view uid, std::string_view kind,
                              std::string_view name) const {
  if (uids.contains(uid)) return true;
  return kind == "Pod" &&
         std::any_of(pod_prefixes.begin(), pod_prefixes.end(),
                     [&](const std::string& prefix) { return name.starts_with(prefix); });
}

base::Result<RelatedObjects> FindRelated(kube::Client& client, const FoundObject& found) {
  RelatedObjects related;
  Include(found.object, related);
  const std::string ns(kube::Namespace(found.object));
  // Owners come before what they own.
  for (const api::Resource& resource :
       {api::kJobs, api::kReplicaSets, api::kPodCliqueScalingGroups, api::kPodCliques,
        api::kPodGangs, api::kPods, api::kPodGroups}) {
    const auto objects = ListOrNone(client, resource, ns);
    if (objects.Is(base::ErrorCode::kForbidden)) continue;
    if (!objects) return objects.error();
    for (const Value& object : *objects) {
      const bool member = IsOwnedByAny(object, related) || IsPodOfGang(object, found.object) ||
                          (resource == api::kPodGroups && IsGroupOfPods(object, related));
      if (member) Include(object, related);
    }
  }
  return related;
}

}  // namespace coppice::cli
