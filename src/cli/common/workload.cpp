#include "cli/common/workload.h"

#include <fmt/format.h>

#include "kube/object.h"

namespace coppice::cli {

Workload WorkloadOf(const json::Value& pod) {
  const auto owner = kube::Metadata(pod).ownerReferences().At(0);
  if (owner.name().empty()) return {"Pod", std::string(kube::Name(pod))};
  std::string_view name = owner.name();
  const std::string suffix = fmt::format("-{}", kube::Label(pod, "pod-template-hash"));
  if (owner.kind() == "ReplicaSet" && suffix.size() > 1 && name.ends_with(suffix)) {
    name.remove_suffix(suffix.size());
    return {"Deployment", std::string(name)};
  }
  return {std::string(owner.kind()), std::string(name)};
}

}  // namespace coppice::cli
