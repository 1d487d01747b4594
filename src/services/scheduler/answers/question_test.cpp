#include "services/scheduler/answers/question.h"

#include <gmock/gmock.h>

#include "engine/tests/cluster_testing.h"
#include "json/yaml/yaml.h"

namespace coppice::services::scheduler {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

engine::Ledger SmallCluster() {
  engine::Ledger objects;
  objects.Put(engine::testing::GpuNode("a", 8, {{"topo/rack", "r1"}, {"zone", "z"}}));
  objects.Put(engine::testing::GpuNode("b", 8, {{"topo/rack", "r2"}, {"zone", "z"}}));
  objects.Put(engine::testing::TopQueue("team", 4));
  return objects;
}

std::string ErrorOf(const WhatIfRequest& request) {
  const auto read = ReadWhatIf(request, SmallCluster(), {}, "");
  return read ? "" : read.error().message();
}

TEST(Question, SelectorsFindNodesAlsoWithoutTheirDomain) {
  const engine::Ledger objects = SmallCluster();
  EXPECT_THAT(*SelectNodes(objects, "topo/rack=r1"), ElementsAre("a"));
  EXPECT_THAT(*SelectNodes(objects, "rack in (r2)"), ElementsAre("b"));
  EXPECT_THAT(*SelectNodes(objects, "zone=z"), ElementsAre("a", "b"));
  EXPECT_EQ(SelectNodes(objects, "rack=r9").error().message(), "no node has labels rack=r9");
  EXPECT_THAT(SelectNodes(objects, "").error().message(), HasSubstr("all nodes"));
}

TEST(Question, QuotasAreInTheUsersUnits) {
  const engine::Ledger objects = SmallCluster();
  const auto queue = ReadQuotaChange(objects, "team=gpu:16,cpu:8,memory:1G");
  ASSERT_TRUE(queue) << queue.error().message();
  EXPECT_EQ(queue->gpu.quota, 16);
  EXPECT_EQ(queue->cpu.quota, 8000);
  EXPECT_EQ(queue->memory.quota, 1000);
  EXPECT_EQ(ReadQuotaChange(objects, "team=gpu:unlimited")->gpu.quota, -1);
  const auto error = [&](const char* text) {
    return ReadQuotaChange(objects, text).error().message();
  };
  EXPECT_THAT(error("team"), HasSubstr("is not QUEUE=gpu:NUMBER"));
  EXPECT_EQ(error("other=gpu:1"), "there is no queue other");
  EXPECT_THAT(error("team=gpus:1"), HasSubstr("\"gpus:1\" is not gpu:NUMBER"));
  EXPECT_THAT(error("team=gpu:-3"), HasSubstr("-3 is negative"));
  EXPECT_THAT(error("team=gpu:many"), HasSubstr("many"));
}

TEST(Question, NewNodesAreCopies) {
  const auto read = ReadWhatIf({.add_nodes = 2, .like = "a"}, SmallCluster(), {}, "");
  ASSERT_TRUE(read) << read.error().message();
  ASSERT_EQ(read->add.size(), 2u);
  EXPECT_EQ(read->add[0].name, "a-new-0");
  EXPECT_EQ(read->add[1].labels.at("topo/rack"), "r1");
  EXPECT_EQ(ErrorOf({.add_nodes = 2, .like = "z"}), "there is no node z");
  EXPECT_THAT(ErrorOf({.add_nodes = 2}), HasSubstr("--like"));
  EXPECT_THAT(ErrorOf({.add_nodes = -1, .like = "a"}), HasSubstr("cannot be added"));
  EXPECT_THAT(ErrorOf({}), HasSubstr("nothing is asked"));
}

TEST(Question, SubmittedPodsBelongToTheirGroups) {
  const std::vector<json::Value> objects = *json::ParseYamlDocuments(R"(
apiVersion: scheduling.run.ai/v2alpha2
kind: PodGroup
metadata: {name: g, namespace: ns}
spec: {queue: team, minMember: 1}
---
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: ns, annotations: {pod-group-name: g}}
spec: {schedulerName: kai-scheduler, schedulingGates: [{name: x}], containers: [{name: c, image: i}]}
)");
  const auto read = ReadSubmitted(objects, {}, "");
  ASSERT_TRUE(read) << read.error().message();
  ASSERT_EQ(read->size(), 1u);
  EXPECT_EQ(read->front().group.queue, "team");
  ASSERT_EQ(read->front().pods.size(), 1u);
  EXPECT_EQ(read->front().pods[0].status, engine::TaskStatus::kPending);
  EXPECT_THAT(ReadSubmitted({objects[1]}, {}, "").error().message(),
              HasSubstr("pod p is in no PodGroup"));
  EXPECT_THAT(ReadSubmitted(*json::ParseYamlDocuments("{kind: Job, metadata: {name: j}}"), {}, "")
                  .error()
                  .message(),
              HasSubstr("Job j is neither"));
}

}  // namespace
}  // namespace coppice::services::scheduler
