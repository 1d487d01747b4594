#include <fmt/format.h>

#include <set>

#include "api/edit/core.h"
#include "kube/object.h"
#include "operator/webhooks/checks/checks.h"

namespace coppice::operators::webhooks {
namespace {

using api::grove::PodCliqueSet;

const api::Resource kPodTemplates{"", "v1", "podtemplates", "PodTemplate", true};
constexpr std::string_view kInTemplate = "template.spec";

// A PodTemplate is only validated like a pod: no quota, service account or pod webhook applies to
// it.
json::Value PodTemplate(const std::string& ns, const json::Value& pod_spec) {
  json::Value object = kube::NewObject(kPodTemplates, ns, "");
  const edit::core::PodTemplate edit(object);
  edit.metadata().clear_name();
  edit.metadata().set_generateName("podcliqueset-");
  edit.template_().set_spec(pod_spec);
  return object;
}

// What the API server rejects. If it cannot answer for another reason, the set is not rejected; the
// pods will show the problem.
Causes Problems(kube::Client& client, const std::string& ns, const json::Value& pod_spec) {
  const auto tried = client.Create(kPodTemplates, PodTemplate(ns, pod_spec), {.dry_run = true});
  return tried.Is(base::ErrorCode::kInvalid) ? tried.error().causes() : Causes();
}

// Our own errors about the pod spec have a "spec" in the path, like Grove's.
void Add(base::FieldCause cause, const std::string& pod_spec, std::set<std::string>& known,
         Causes& causes) {
  const std::string inside = cause.field.substr(kInTemplate.size());
  cause.field = pod_spec + inside;
  if (known.contains(pod_spec + ".spec" + inside) || !known.insert(cause.field).second) return;
  causes.push_back(std::move(cause));
}

bool IsAsBefore(const PodCliqueSet& set, const PodCliqueSet& old, size_t index) {
  const auto& clique = set.spec.template_.cliques[index];
  const auto* before = old.spec.template_.FindClique(clique.name);
  return before != nullptr && before->spec.podSpec == clique.spec.podSpec;
}

}  // namespace

void CheckPodTemplates(kube::Client& client, const PodCliqueSet& set, const PodCliqueSet& old,
                       Causes& causes) {
  std::set<std::string> known;
  for (const base::FieldCause& cause : causes) known.insert(cause.field);
  for (size_t i = 0; i < set.spec.template_.cliques.size(); ++i) {
    if (IsAsBefore(set, old, i)) continue;
    for (base::FieldCause& cause :
         Problems(client, set.ns(), set.spec.template_.cliques[i].spec.podSpec)) {
      if (!cause.field.starts_with(kInTemplate)) continue;
      Add(std::move(cause), CliquePath(i) + ".spec.podSpec", known, causes);
    }
  }
}

}  // namespace coppice::operators::webhooks
