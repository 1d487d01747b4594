// The init container as a process: with a command, and without, as Grove's operator starts it.
#include "cli/initc.h"

#include <gmock/gmock.h>

#include "api/well_known.h"
#include "base/files.h"
#include "cli/common/wait.h"
#include "cli/run/processes_testing.h"
#include "json/yaml/yaml.h"
#include "kube/executor/thread_executor.h"

namespace coppice::cli {
namespace {

using ::testing::HasSubstr;

constexpr char kLeader[] = R"(
apiVersion: v1
kind: Pod
metadata: {name: leader, namespace: default, labels: {grove.io/podgang: g, grove.io/podclique: a}}
spec: {nodeName: node-0, containers: [{name: c, image: i}]}
)";

TEST(Initc, WaitsForOtherCliquesAndSaysSo) {
  const TemporaryFolder folder;
  ASSERT_TRUE(base::WriteSecretFile(folder / "namespace", "default\n"));
  ASSERT_TRUE(base::WriteSecretFile(folder / "podgangname", "g"));
  Process up({"up", "--listen", "127.0.0.1:0", "--write-kubeconfig", folder / "kubeconfig",
              "--nodes", "1"},
             folder / "log");
  ASSERT_TRUE(up.WaitForLine("Ctrl-C"));
  const std::vector<std::string> flags = {"--podcliques=a:1", "--pod-info", folder / "",
                                          "--kubeconfig", folder / "kubeconfig"};
  std::vector<std::string> command = {"initc"};
  command.insert(command.end(), flags.begin(), flags.end());
  Process with_command(command, folder / "with");
  Process without(flags, folder / "without");
  kube::ThreadExecutor executor;
  ASSERT_TRUE(WaitUntil(executor, std::chrono::seconds(30), [&] {
    const auto waits = [&](const char* log) {
      return base::ReadFile(folder / log).value_or("").find("a: 0 of 1 ready") != std::string::npos;
    };
    return waits("with") && waits("without");
  }));
  ClusterWatch cluster(folder / "kubeconfig", {api::kPods});
  ASSERT_TRUE(cluster.client().Create(api::kPods, *json::ParseYaml(kLeader)));
  EXPECT_EQ(with_command.Wait(), 0);
  EXPECT_EQ(without.Wait(), 0);
  EXPECT_THAT(base::ReadFile(folder / "without").value_or(""),
              HasSubstr("all cliques to start after are ready"));
}

TEST(Initc, BadArgumentsEndIt) {
  const Printed printed = RunToTheEnd({"initc", "--podcliques=a"});
  EXPECT_EQ(printed.code, 1);
  EXPECT_THAT(printed.errors, HasSubstr("\"a\" is not of the form <podclique>:<count>"));
}

}  // namespace
}  // namespace coppice::cli
