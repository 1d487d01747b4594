#include "cli/show/queue_view.h"

#include <gmock/gmock.h>

#include "cli/show/show_testing.h"

namespace coppice::cli {
namespace {

using json::Value;
using ::testing::HasSubstr;

class QueueViewTest : public ShowTest {};

TEST_F(QueueViewTest, QueuesSayHowMuchGpuMemoryIsAskedFor) {
  Put(api::kQueues, R"(
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: team}
spec: {resources: {gpu: {quota: 4, limit: -1, overQuotaWeight: 1}}}
status: {requested: {nvidia.com/gpu: 1500m, run.ai/gpu.memory: 20k}}
)");
  const Value queues = *ReadQueues(*client_);
  EXPECT_EQ(queues.At(0)["gpu"]["requestedMemory"].AsDouble(), 20000);
  EXPECT_NE(FormatQueues(queues).find("1.5 + 20000 MiB"), std::string::npos)
      << FormatQueues(queues);
}

TEST(QueueView, AClusterWithoutQueuesIsToldHowToHaveThem) {
  kube::Stepper stepper;
  const auto server = *server::ApiServer::Make({.clock = &stepper.clock(), .seed = 1});
  const auto client = server->NewClient(stepper);
  const auto queues = ReadQueues(*client);
  ASSERT_FALSE(queues);
  EXPECT_EQ(queues.error().message(),
            "the cluster serves no queues.scheduling.run.ai; coppice crds --install brings them");
}

TEST_F(QueueViewTest, QueuesCountGpusThatComeByClaims) {
  Put(api::kQueues, R"(
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: team}
spec: {resources: {gpu: {quota: 4, limit: -1, overQuotaWeight: 1}}}
status: {allocated: {nvidia.com/gpu: "1", example.com/gpu: "2", gpu.example.com: "4", cpu: "8"}}
)");
  EXPECT_EQ((*ReadQueues(*client_)).At(0)["gpu"]["allocated"].AsDouble(), 7);
}

TEST_F(QueueViewTest, ABoundThatIsAbsentIsZeroAsTheSchedulerReadsIt) {
  Put(api::kQueues, R"(
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: team}
spec: {resources: {gpu: {quota: 4}}}
)");
  const Value queues = *ReadQueues(*client_);
  EXPECT_EQ(queues.At(0)["gpu"]["quota"].AsDouble(), 4);
  EXPECT_EQ(queues.At(0)["gpu"]["limit"].AsDouble(), 0);
  EXPECT_EQ(queues.At(0)["gpu"]["weight"].AsDouble(), 0);
}

TEST_F(QueueViewTest, ShowsSharesOverQuotaAndWhatRunsAndWaits) {
  Put(api::kQueues, R"(
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: company}
spec: {resources: {gpu: {quota: 8, limit: -1, overQuotaWeight: 1}}}
)");
  Put(api::kQueues, R"(
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: team, annotations: {coppice.dev/limits-before-hold: "{}"}}
spec:
  parentQueue: company
  resources:
    gpu: {quota: 2, limit: 6, overQuotaWeight: 1}
    cpu: {quota: 4000, limit: -1, overQuotaWeight: 1}
    memory: {quota: 1000, limit: -1, overQuotaWeight: 1}
status: {allocated: {nvidia.com/gpu: "3", cpu: "2", memory: 4Gi}}
)");
  for (const char* name : {"runs", "waits"}) {
    Put(api::kPodGroups, fmt::format(R"(
apiVersion: scheduling.run.ai/v2alpha2
kind: PodGroup
metadata: {{name: {}, namespace: default}}
spec: {{queue: team, minMember: 1}}
)",
                                     name));
    const bool runs = name == std::string("runs");
    Put(api::kPods, fmt::format(R"(
apiVersion: v1
kind: Pod
metadata: {{name: {0}, namespace: default, annotations: {{pod-group-name: {0}}}}}
spec: {{{1}containers: [{{name: c, image: i}}]}}
)",
                                name, runs ? "nodeName: node-1, " : ""));
  }
  const ReadShares shares = [](const std::string&) {
    engine::QueueShare share;
    share.queue = "team";
    share.fair_share[0] = 3000;
    share.fair_share[2] = 5;
    return std::vector<engine::QueueShare>{share};
  };
  const Value queues = *ReadQueues(*client_, shares);
  const Value& team = queues.At(1);
  EXPECT_EQ(team["gpu"]["fairShare"].AsDouble(), 5);
  EXPECT_EQ(team["cpu"]["fairShare"].AsDouble(), 3);
  EXPECT_EQ(team["cpu"]["quota"].AsDouble(), 4) << "in cores, as usage";
  EXPECT_EQ(team["memory"]["quota"].AsDouble(), 1e9) << "in bytes, as usage";
  EXPECT_TRUE(team["overQuota"].AsBool());
  EXPECT_TRUE(team["held"].AsBool());
  EXPECT_EQ(queues.At(0)["running"].AsInt(), 1) << "a parent has what its children have";
  EXPECT_EQ(team["waiting"].AsInt(), 1);
  EXPECT_EQ(
      FormatQueues(queues),
      "QUEUE    GPUS  QUOTA  FAIR  LIMIT  ASKED  CPU  MEM GIB  RUN  WAIT\n"
      "company  0     8      -     ∞      0      0    0        1    1\n"
      "  team   3     2      5     6      0      2    4        1    1     over quota, on hold\n");
  EXPECT_THAT(FormatQueues(queues, {.wide = true}), HasSubstr("PRIORITY"));
}

}  // namespace
}  // namespace coppice::cli
