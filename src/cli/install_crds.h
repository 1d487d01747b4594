#pragma once

#include <vector>

#include "cli/common/connect.h"
#include "json/value.h"

namespace coppice::cli {

// Whose CustomResourceDefinitions.
struct CrdChoice {
  bool grove = true;
  bool kai = true;
};

// In the order they are installed in.
std::vector<json::Value> CrdsOf(const CrdChoice& choice = {});

// Applies them (server-side, as `grove-crd-installer`), whatever others wrote there. Stops at the
// first that fails. Doing it again changes nothing.
base::Status InstallCrds(kube::Client& client, const CrdChoice& choice = {});

// `coppice crds --install`: exit code 0 when all of them are there.
int RunInstallCrds(const ClusterFlags& cluster, const CrdChoice& choice);

}  // namespace coppice::cli
