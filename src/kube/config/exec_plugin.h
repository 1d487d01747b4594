#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "json/value.h"
#include "kube/config/cluster_config.h"

namespace coppice::kube {

// A program that hands out credentials (client.authentication.k8s.io v1 and v1beta1).
struct ExecPlugin {
  std::string api_version;
  std::string command;
  std::vector<std::string> args;
  std::map<std::string, std::string> env;  // Besides our own environment.
  std::string install_hint;
  // The cluster's part of KUBERNETES_EXEC_INFO; null unless the user asked for it.
  json::Value cluster;
};

// From a kubeconfig user's `exec`. `dir` is the kubeconfig's folder, where relative commands start.
base::Result<ExecPlugin> ReadExecPlugin(const json::Value& exec, const std::string& dir);

// Runs the plugin when a credential is needed and keeps what it says until it expires or is
// refused. `clock` must outlive the source.
std::shared_ptr<CredentialSource> ExecCredentials(ExecPlugin plugin, const base::Clock& clock);

}  // namespace coppice::kube
