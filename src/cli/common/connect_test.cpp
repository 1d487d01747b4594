#include "cli/common/connect.h"

#include <gtest/gtest.h>

#include <fstream>

#include "cli/run/processes_testing.h"
#include "kube/executor/thread_executor.h"

namespace coppice::cli {
namespace {

TEST(CurrentNamespace, IsTheContexts) {
  const TemporaryFolder folder;
  const std::string path = folder / "kubeconfig";
  std::ofstream(path) << "clusters: [{name: k, cluster: {server: 'https://127.0.0.1:1'}}]\n"
                         "users: [{name: u, user: {token: t}}]\n"
                         "contexts:\n"
                         "- {name: plain, context: {cluster: k, user: u}}\n"
                         "- {name: mine, context: {cluster: k, user: u, namespace: team}}\n"
                         "current-context: mine\n";
  kube::ThreadExecutor executor;
  EXPECT_EQ(*CurrentNamespace({.kubeconfig = path}, executor), "team");
  EXPECT_EQ(*CurrentNamespace({.kubeconfig = path, .context = "plain"}, executor), "default");
  EXPECT_FALSE(CurrentNamespace({.kubeconfig = path, .context = "nobody"}, executor));
}

}  // namespace
}  // namespace coppice::cli
