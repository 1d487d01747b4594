#pragma once

#include <vector>

#include "cli/common/connect.h"
#include "json/value.h"

namespace coppice::cli {

// Which projects' CustomResourceDefinitions to install.
struct CrdChoice {
  bool grove = true;
  bool kai = true;
};

// In installation order.
std::vector<json::Value> CrdsOf(const CrdChoice& choice = {});

// Applies them (server-side, as `grove-crd-installer`), overriding other writers. Stops at the
// first failure. Idempotent.
base::Status InstallCrds(kube::Client& client, const CrdChoice& choice = {});

// `coppice crds --install`: exit code 0 if all of them are installed.
int RunInstallCrds(const ClusterFlags& cluster, const CrdChoice& choice);

}  // namespace coppice::cli
