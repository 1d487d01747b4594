#include "operator/common/limits.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/schema/errors/field_error.h"

namespace coppice::operators {
namespace {

using api::grove::PodCliqueSet;
using Causes = std::vector<base::FieldCause>;

void CheckCount(const std::string& path, int32_t count, Causes& causes) {
  if (count <= kMostReplicas) return;
  causes.push_back(
      api::InvalidField(path, count, fmt::format("must be at most {}", kMostReplicas)));
}

void CheckSize(const char* path, size_t size, int64_t most, Causes& causes) {
  const auto count = static_cast<int64_t>(size);
  if (count > most) causes.push_back(api::TooManyField(path, count, most));
}

void CheckSizes(const api::grove::PodCliqueSetTemplate& tmpl, Causes& causes) {
  const auto& groups = tmpl.podCliqueScalingGroups;
  size_t members = 0;
  for (const auto& group : groups) members += group.cliqueNames.size();
  CheckSize("spec.template.cliques", tmpl.cliques.size(), kMostCliques, causes);
  CheckSize("spec.template.podCliqueScalingGroups", groups.size(), kMostCliques, causes);
  CheckSize("spec.template.podCliqueScalingGroups.cliqueNames", members, kMostMembers, causes);
}

// Call only if each count is within its limit.
int64_t PodsPerReplica(const api::grove::PodCliqueSetTemplate& tmpl) {
  int64_t pods = 0;
  for (const auto& clique : tmpl.cliques) {
    const auto* group = tmpl.GroupOf(clique.name);
    pods += int64_t{clique.spec.replicas} * (group == nullptr ? 1 : group->Replicas());
  }
  return pods;
}

}  // namespace

std::vector<base::FieldCause> Excess(const PodCliqueSet& set) {
  const auto& tmpl = set.spec.template_;
  Causes causes;
  CheckSizes(tmpl, causes);
  if (!causes.empty()) return causes;
  CheckCount("spec.replicas", set.spec.replicas, causes);
  for (size_t i = 0; i < tmpl.cliques.size(); ++i) {
    CheckCount(fmt::format("spec.template.cliques[{}].spec.replicas", i),
               tmpl.cliques[i].spec.replicas, causes);
  }
  for (size_t i = 0; i < tmpl.podCliqueScalingGroups.size(); ++i) {
    CheckCount(fmt::format("spec.template.podCliqueScalingGroups[{}].replicas", i),
               tmpl.podCliqueScalingGroups[i].Replicas(), causes);
  }
  if (!causes.empty()) return causes;
  const int64_t each = PodsPerReplica(tmpl);
  // At most about 10^10 per clique, and no set has enough cliques to overflow 64 bits.
  const int64_t pods = each * std::max<int64_t>(1, set.spec.replicas);
  if (pods > kMostPods) {
    causes.push_back(api::InvalidField(
        "spec.replicas", set.spec.replicas,
        fmt::format("with {} pods in each replica these are {} pods; a set may have at most {}",
                    each, pods, kMostPods)));
  }
  return causes;
}

std::optional<base::Error> Excess(std::string_view kind, int32_t replicas) {
  if (replicas <= kMostReplicas) return std::nullopt;
  return base::Error(
      base::ErrorCode::kInvalid,
      fmt::format("{} asks for {} replicas, of which at most {} are made; what there "
                  "is stays as it is",
                  kind, replicas, kMostReplicas));
}

}  // namespace coppice::operators
