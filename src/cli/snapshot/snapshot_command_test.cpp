#include "cli/snapshot/snapshot_command.h"

#include <gmock/gmock.h>

#include "cli/show/show_testing.h"
#include "cli/snapshot/redact.h"
#include "engine/engine.h"
#include "json/write.h"
#include "services/scheduler/snapshot.h"

namespace coppice::cli {
namespace {

using json::Value;
using ::testing::HasSubstr;
using ::testing::Not;

class SnapshotCommand : public ShowTest {};

TEST_F(SnapshotCommand, IsWhatTheSimulationReads) {
  Put(api::kQueues, R"(
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: team}
spec: {resources: {gpu: {quota: 4, limit: -1, overQuotaWeight: 1}}}
)");
  Put(api::kNodes, R"(
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {nvidia.com/gpu: "4", cpu: "8", memory: 16Gi, pods: "110"}, conditions: [{type: Ready, status: "True"}]}
)");
  Put(api::kPodGroups, R"(
apiVersion: scheduling.run.ai/v2alpha2
kind: PodGroup
metadata: {name: g, namespace: default}
spec: {queue: team, minMember: 1}
)");
  Put(api::kPods, R"(
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: default, annotations: {pod-group-name: g}}
spec: {schedulerName: kai-scheduler, containers: [{name: c, image: i, env: [{name: TOKEN, value: hunter2}], resources: {limits: {nvidia.com/gpu: "1"}}}]}
)");
  const auto bytes = TakeSnapshot(*client_);
  ASSERT_TRUE(bytes) << bytes.error().message();
  const auto snapshot = services::scheduler::ReadSnapshot(*bytes);
  ASSERT_TRUE(snapshot) << snapshot.error().message();
  EXPECT_THAT(json::Write(snapshot->objects), Not(HasSubstr("hunter2")));
  engine::Engine engine(snapshot->options.configuration);
  services::scheduler::LoadSnapshot(*snapshot, engine);
  const engine::CycleResult result = engine.RunCycle(stepper_.Now());
  ASSERT_EQ(result.binds.size(), 1u);
  EXPECT_EQ(result.binds[0].node, "n1");
}

// Any cluster: one without our kinds has nodes and pods.
TEST(SnapshotOfAnyCluster, LeavesOutWhatIsNotServed) {
  kube::Stepper stepper;
  const auto server = *server::ApiServer::Make({.clock = &stepper.clock(), .seed = 1});
  const auto client = server->NewClient(stepper);
  const auto bytes = TakeSnapshot(*client);
  ASSERT_TRUE(bytes) << bytes.error().message();
  EXPECT_TRUE(services::scheduler::ReadSnapshot(*bytes));
}

TEST(RedactTest, LeavesOutWhatMayBeConfidential) {
  const Value pod = Redact(*json::ParseYaml(R"(
apiVersion: v1
kind: Pod
metadata:
  name: p
  managedFields: [{manager: m}]
  annotations: {keep: this, kubectl.kubernetes.io/last-applied-configuration: "hunter2"}
spec:
  initContainers: [{name: i, image: x, command: [sh, -c, hunter2]}]
  containers:
  - {name: c, image: x, args: [hunter2], env: [{name: A, value: hunter2}], envFrom: [{secretRef: {name: hunter2}}], resources: {limits: {cpu: "1"}}}
)"));
  const std::string text = json::Write(pod);
  EXPECT_THAT(text, Not(HasSubstr("hunter2")));
  EXPECT_THAT(text, Not(HasSubstr("managedFields")));
  EXPECT_THAT(text, HasSubstr("\"keep\":\"this\""));
  EXPECT_THAT(text, HasSubstr("\"cpu\":\"1\""));
  const Value map = Redact(*json::ParseYaml(
      "{apiVersion: v1, kind: ConfigMap, metadata: {name: m}, data: {k: hunter2}}"));
  EXPECT_THAT(json::Write(map), Not(HasSubstr("hunter2")));
}

}  // namespace
}  // namespace coppice::cli
