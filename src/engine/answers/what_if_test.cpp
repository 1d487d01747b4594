#include "engine/answers/what_if.h"

#include <gmock/gmock.h>

#include "engine/tests/cluster_testing.h"

namespace coppice::engine {
namespace {

using namespace testing;  // NOLINT: of this folder
using ::testing::HasSubstr;

Engine NodesAandB() {
  Engine engine(Configuration::Defaults());
  engine.KeepInputs();
  engine.PutNode(GpuNode("a", 8));
  engine.PutNode(GpuNode("b", 8));
  engine.PutQueue(TopQueue("team"));
  return engine;
}

Engine::Question Submitted(const std::string& name, int pods, int gpus, int64_t priority = 50) {
  Engine::Question asked;
  asked.group.name = name;
  asked.group.namespace_name = "ns";
  asked.group.queue = "team";
  asked.group.min_members = pods;
  asked.group.priority = priority;
  asked.group.preemptible = priority < 100;
  for (int i = 0; i < pods; ++i) {
    PodSpec pod;
    pod.uid = pod.name = name + "-" + std::to_string(i);
    pod.pod_group = name;
    pod.shape = GpuShape(gpus);
    asked.pods.push_back(pod);
  }
  return asked;
}

WhatIfAnswer Ask(Engine& engine, const WhatIf& question) {
  auto answers = AskWhatIf(engine, {question}, kNow);
  EXPECT_TRUE(answers) << answers.error().message();
  return answers ? answers->front() : WhatIfAnswer{};
}

TEST(WhatIf, SaysWhereASubmittedGangGoes) {
  Engine engine = NodesAandB();
  const WhatIfAnswer answer = Ask(engine, {.submit = {Submitted("asked", 2, 8)}});
  ASSERT_TRUE(answer.runs);
  ASSERT_EQ(answer.submitted.size(), 1u);
  ASSERT_EQ(answer.submitted[0].pods.size(), 2u);
  EXPECT_NE(answer.submitted[0].pods[0].node, answer.submitted[0].pods[1].node);
  EXPECT_FALSE(answer.submitted[0].waits_for_others);
  EXPECT_FALSE(engine.FindPod("asked-0"));
  EXPECT_EQ(engine.FindNode("a")->idle_gpus, 8);
}

TEST(WhatIf, SaysWhoIsEvictedAndWhoWaits) {
  Engine engine = NodesAandB();
  PutGang(engine, "low", {.pods = 2, .shape = GpuShape(8)});
  engine.RunCycle(kNow);
  const WhatIfAnswer answer = Ask(engine, {.submit = {Submitted("high", 1, 8, 90)}});
  EXPECT_TRUE(answer.runs);
  EXPECT_TRUE(answer.submitted[0].waits_for_others);
  ASSERT_EQ(answer.evicted.size(), 2u);
  EXPECT_EQ(answer.evicted[0].group.name, "low");
  EXPECT_EQ(answer.evicted[0].again, "");
  ASSERT_EQ(answer.delayed.size(), 1u);
  EXPECT_EQ(answer.delayed[0].without, 2);
  EXPECT_EQ(answer.delayed[0].with, 0);
  EXPECT_EQ(engine.FindPod("low-0")->status, TaskStatus::kBinding);
}

TEST(WhatIf, SaysWhyItDoesNotRun) {
  Engine engine = NodesAandB();
  const WhatIfAnswer answer = Ask(engine, {.submit = {Submitted("big", 3, 8)}});
  EXPECT_FALSE(answer.runs);
  ASSERT_TRUE(answer.submitted[0].why);
  EXPECT_EQ(answer.submitted[0].why->verdict, Verdict::kNever);
  EXPECT_EQ(answer.submitted[0].pods[0].node, "");
}

TEST(WhatIf, DrainMovesOrDelaysThePodsOfANode) {
  Engine engine = NodesAandB();
  PutGang(engine, "one", {.shape = GpuShape(4), .node = "a"});
  WhatIfAnswer answer = Ask(engine, {.drain = {"a"}});
  ASSERT_EQ(answer.evicted.size(), 1u);
  EXPECT_EQ(answer.evicted[0].node, "a");
  EXPECT_EQ(answer.evicted[0].again, "b");
  EXPECT_THAT(answer.evicted[0].why, HasSubstr("drained"));
  EXPECT_TRUE(answer.delayed.empty());
  PutGang(engine, "two",
          {.shape = GpuShape(8), .priority = 100, .preemptible = false, .node = "b"});
  answer = Ask(engine, {.drain = {"a"}});
  ASSERT_EQ(answer.delayed.size(), 1u);
  EXPECT_EQ(answer.delayed[0].group.name, "one");
  EXPECT_EQ(engine.FindPod("one-0")->node, "a");
}

TEST(WhatIf, ACordonKeepsWhatRuns) {
  Engine engine = NodesAandB();
  PutGang(engine, "one", {.shape = GpuShape(4), .node = "a"});
  PutGang(engine, "waits", {.pods = 3, .shape = GpuShape(4)});
  const WhatIfAnswer answer = Ask(engine, {.cordon = {"a"}});
  EXPECT_TRUE(answer.evicted.empty());
  ASSERT_EQ(answer.delayed.size(), 1u);
  EXPECT_EQ(answer.delayed[0].group.name, "waits");
}

TEST(WhatIf, FailedNodesTakeTheirCapacityAlong) {
  Engine engine = NodesAandB();
  PutGang(engine, "both", {.pods = 2, .shape = GpuShape(8)});
  engine.RunCycle(kNow);
  const WhatIfAnswer answer = Ask(engine, {.fail = {"b"}});
  ASSERT_EQ(answer.evicted.size(), 1u);
  EXPECT_EQ(answer.evicted[0].again, "");
  EXPECT_TRUE(engine.FindNode("b"));
}

TEST(WhatIf, NewNodesAndQuotaLetWaitingWorkStart) {
  Engine engine = NodesAandB();
  engine.PutQueue(TopQueue("limited", 4, 4));
  PutGang(engine, "large", {.pods = 3, .shape = GpuShape(8)});
  PutGang(engine, "capped", {.queue = "limited", .shape = GpuShape(8)});
  WhatIfAnswer answer = Ask(engine, {.add = {GpuNode("c", 8)}});
  ASSERT_EQ(answer.sooner.size(), 1u);
  EXPECT_EQ(answer.sooner[0].group.name, "large");
  EXPECT_EQ(answer.sooner[0].with, 3);
  answer = Ask(engine, {.queues = {TopQueue("limited", 8, 8)}});
  ASSERT_EQ(answer.sooner.size(), 1u);
  EXPECT_EQ(answer.sooner[0].group.name, "capped");
}

TEST(WhatIf, ChangesCombine) {
  Engine engine = NodesAandB();
  EXPECT_FALSE(Ask(engine, {.submit = {Submitted("g", 2, 8)}, .fail = {"a"}}).runs);
  EXPECT_TRUE(
      Ask(engine, {.submit = {Submitted("g", 2, 8)}, .fail = {"a"}, .add = {GpuNode("c", 8)}})
          .runs);
}

// While other work waits, it is served in its order: the question does not jump the queue.
TEST(WhatIf, WaitingWorkIsServedInOrder) {
  Engine engine = NodesAandB();
  PutGang(engine, "first", {.pods = 2, .shape = GpuShape(8), .priority = 60});
  EXPECT_FALSE(Ask(engine, {.submit = {Submitted("later", 1, 8)}}).runs);
}

TEST(WhatIf, NamesWhatDoesNotExist) {
  Engine engine = NodesAandB();
  PutGang(engine, "known", {.shape = GpuShape(1)});
  const auto error = [&](const WhatIf& question) {
    const auto answers = AskWhatIf(engine, {question}, kNow);
    return answers ? std::string() : answers.error().message();
  };
  EXPECT_EQ(error({.drain = {"z"}}), "there is no node z");
  EXPECT_EQ(error({.queues = {TopQueue("z")}}), "there is no queue z");
  EXPECT_EQ(error({.add = {GpuNode("a", 1)}}), "node a exists already");
  EXPECT_THAT(error({.submit = {Submitted("known", 1, 1)}}), HasSubstr("PodGroup ns/known exists"));
}

}  // namespace
}  // namespace coppice::engine
