#include "cli/install_crds.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/edit/apiextensions.h"
#include "api/grove/crds.h"
#include "api/kai/crds.h"
#include "api/view/apiextensions.h"
#include "api/well_known.h"
#include "cli/common/fail.h"
#include "kube/executor/thread_executor.h"
#include "kube/object.h"

namespace coppice::cli {
namespace {

using json::Value;

// The order in which Grove's installer applies its kinds.
size_t Rank(const Value& crd) {
  constexpr std::string_view kOrder[] = {"podcliques", "podcliquesets", "podcliquescalinggroups",
                                         "clustertopologybindings", "podgangs"};
  const std::string_view plural =
      view::apiextensions::CustomResourceDefinition(crd).spec().names().plural();
  return static_cast<size_t>(std::find(std::begin(kOrder), std::end(kOrder), plural) -
                             std::begin(kOrder));
}

}  // namespace

std::vector<Value> CrdsOf(const CrdChoice& choice) {
  std::vector<Value> crds;
  if (choice.grove) {
    for (const Value& crd : api::grove::Crds()) crds.push_back(crd);
  }
  if (choice.kai) {
    for (const Value& crd : api::kai::Crds()) crds.push_back(crd);
  }
  std::stable_sort(crds.begin(), crds.end(),
                   [](const Value& a, const Value& b) { return Rank(a) < Rank(b); });
  return crds;
}

base::Status InstallCrds(kube::Client& client, const CrdChoice& choice) {
  for (Value& crd : CrdsOf(choice)) {
    edit::apiextensions::CustomResourceDefinition(crd).clear_status();
    const auto applied = client.Patch(api::kCustomResourceDefinitions,
                                      {"", std::string(kube::Name(crd))}, kube::PatchType::kApply,
                                      crd, {.field_manager = "grove-crd-installer", .force = true});
    if (!applied) return applied.error().During(fmt::format("installing {}", kube::Name(crd)));
    fmt::print("{} installed\n", kube::Name(crd));
  }
  return {};
}

int RunInstallCrds(const ClusterFlags& cluster, const CrdChoice& choice) {
  kube::ThreadExecutor executor;
  const auto client = Connect(cluster, executor);
  if (!client) return Fail(client.error());
  const base::Status installed = InstallCrds(**client, choice);
  return installed ? 0 : Fail(installed.error());
}

}  // namespace coppice::cli
