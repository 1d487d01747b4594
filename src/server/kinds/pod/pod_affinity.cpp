#include "server/kinds/checks/checks.h"
#include "server/kinds/checks/selectors.h"
#include "server/kinds/pod/pod_parts.h"

namespace coppice::server {
namespace {

using api::Child;
using api::Index;

constexpr char kRequired[] = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr char kPreferred[] = "preferredDuringSchedulingIgnoredDuringExecution";

void CheckWeight(const json::Value& preference, const std::string& path, Causes& causes) {
  const int64_t weight = preference["weight"].AsInt();
  if (weight >= 1 && weight <= 100) return;
  causes.push_back(api::InvalidField(Child(path, "weight"), weight, "must be in the range 1-100"));
}

void CheckNodeAffinity(const json::Value& affinity, const std::string& path, Causes& causes) {
  if (affinity[kRequired].IsObject()) {
    CheckNodeSelector(affinity[kRequired], Child(path, kRequired), causes);
  }
  const json::Value& preferred = affinity[kPreferred];
  for (size_t i = 0; i < preferred.size(); ++i) {
    const std::string place = Index(Child(path, kPreferred), i);
    CheckWeight(preferred.At(i), place, causes);
    CheckNodeSelectorTerm(preferred.At(i)["preference"], Child(place, "preference"), causes);
  }
}

void CheckPodTerm(const json::Value& term, const std::string& path, Causes& causes) {
  CheckLabelSelector(term["labelSelector"], Child(path, "labelSelector"), causes);
  CheckLabelSelector(term["namespaceSelector"], Child(path, "namespaceSelector"), causes);
  for (const json::Value& name : term["namespaces"].Items()) {
    CheckProblems(name, api::Dns1123LabelProblems(name.AsString()), Child(path, "namespace"),
                  causes);
  }
  const json::Value key = term["topologyKey"].AsString();
  const std::string place = Child(path, "topologyKey");
  if (key.AsString().empty()) causes.push_back(api::RequiredField(place, "can not be empty"));
  CheckProblems(key, api::LabelKeyProblems(key.AsString()), place, causes);
}

void CheckPodAffinity(const json::Value& affinity, const std::string& path, Causes& causes) {
  const json::Value& required = affinity[kRequired];
  for (size_t i = 0; i < required.size(); ++i) {
    CheckPodTerm(required.At(i), Index(Child(path, kRequired), i), causes);
  }
  const json::Value& preferred = affinity[kPreferred];
  for (size_t i = 0; i < preferred.size(); ++i) {
    const std::string place = Index(Child(path, kPreferred), i);
    CheckWeight(preferred.At(i), place, causes);
    CheckPodTerm(preferred.At(i)["podAffinityTerm"], Child(place, "podAffinityTerm"), causes);
  }
}

}  // namespace

void ValidateAffinity(const json::Value& affinity, const std::string& path, Causes& causes) {
  if (!affinity.IsObject()) return;
  CheckNodeAffinity(affinity["nodeAffinity"], Child(path, "nodeAffinity"), causes);
  CheckPodAffinity(affinity["podAffinity"], Child(path, "podAffinity"), causes);
  CheckPodAffinity(affinity["podAntiAffinity"], Child(path, "podAntiAffinity"), causes);
}

}  // namespace coppice::server
