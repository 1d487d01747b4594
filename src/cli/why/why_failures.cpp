#include "cli/why/why_failures.h"

#include <fmt/format.h>

#include <set>

#include "api/view/grove.h"
#include "api/well_known.h"
#include "backends/model/labels.h"
#include "cli/common/resource_words.h"
#include "cli/why/why_refusal.h"
#include "kube/object.h"

namespace coppice::cli {
namespace {

using json::Value;

using backends::labels::kPartOf;

using Failures = std::vector<engine::Explanation>;

// The number of pods that the clique wants but does not have.
base::Result<int64_t> MissingPods(kube::Client& client, const Value& clique) {
  COPPICE_ASSIGN(
      const kube::ObjectList pods,
      client.List(api::kPods, {.ns = std::string(kube::Namespace(clique)),
                               .label_selector = fmt::format("{}={}", backends::labels::kPodClique,
                                                             kube::Name(clique))}));
  return view::grove::PodClique(clique).spec().replicas(1) -
         static_cast<int64_t>(pods.items.size());
}

// A set repeats the errors of its cliques; the clique's own entry is enough.
base::Status Append(kube::Client& client, const Value& object, Failures& failures) {
  // Scaling groups and cliques have lastErrors in the same place.
  for (const view::grove::LastError error :
       view::grove::PodCliqueSet(object).status().lastErrors()) {
    int64_t missing = 1;
    if (kube::Kind(object) == "PodClique") {
      COPPICE_ASSIGN(missing, MissingPods(client, object));
      if (missing <= 0) continue;
    }
    engine::Explanation failure = ExplainRefusal(object, error.description(), missing);
    if (failure.reason == "FailedCreate") failure.reason = error.code();
    failures.push_back(std::move(failure));
  }
  return {};
}

base::Status AppendSet(kube::Client& client, const api::ObjectKey& key, Failures& failures) {
  const auto set = client.Get(api::kPodCliqueSets, key);
  if (set.Is(base::ErrorCode::kNotFound)) return {};
  if (!set) return set.error();
  COPPICE_TRY(Append(client, *set, failures));
  for (const api::Resource& resource : {api::kPodCliqueScalingGroups, api::kPodCliques}) {
    COPPICE_ASSIGN(
        const kube::ObjectList children,
        client.List(resource,
                    {.ns = key.ns, .label_selector = fmt::format("{}={}", kPartOf, key.name)}));
    for (const Value& child : children.items) COPPICE_TRY(Append(client, child, failures));
  }
  return {};
}

}  // namespace

base::Result<Failures> FindFailures(kube::Client& client, const std::string& ns,
                                    const std::string& target,
                                    const std::vector<WhyTarget>& groups) {
  std::set<std::string> sets;
  COPPICE_ASSIGN(const NamedObject named, ParseNamedObject(target));
  const bool is_set = named.kind != nullptr && named.kind->resource == api::kPodCliqueSets;
  const bool any_kind = named.kind == nullptr && named.other_kind.empty();
  if (is_set || any_kind) sets.insert(named.name);
  for (const WhyTarget& each : groups) {
    const std::string_view set = kube::Label(each.gang, kPartOf);
    if (!set.empty()) sets.emplace(set);
  }
  Failures failures;
  for (const std::string& set : sets) COPPICE_TRY(AppendSet(client, {ns, set}, failures));
  return failures;
}

}  // namespace coppice::cli
