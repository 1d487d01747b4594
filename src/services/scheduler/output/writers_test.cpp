#include "services/scheduler/output/writers.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/executor/priority.h"
#include "kube/metrics.h"
#include "services/muted_watch_testing.h"
#include "services/scheduler/tests/fixture_testing.h"

// What becomes of the scheduler's decisions in the API.

namespace coppice::services::scheduler {
namespace {

using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

// A server that carries the first BindRequest out without ever answering, and whose watch of
// BindRequests says nothing until it is let go.
class SilentAboutRequests final : public MutedWatch {
 public:
  explicit SilentAboutRequests(kube::Client& inner) : MutedWatch(inner, api::kBindRequests) {
    Mute();
  }

 protected:
  base::Status After(const kube::Call& call, const base::Status& outcome) override {
    const bool first = call.verb == kube::Verb::kCreate && call.resource == api::kBindRequests &&
                       !std::exchange(silenced_, true);
    return first ? base::Error(base::ErrorCode::kTimeout, "no answer") : outcome;
  }

 private:
  bool silenced_ = false;
};

class WritersTest : public SchedulerFixture {
 protected:
  json::Value Condition(const json::Value& pod, std::string_view type) {
    for (const json::Value& condition : pod["status"]["conditions"].Items()) {
      if (condition["type"].AsString() == type) return condition;
    }
    return {};
  }
  json::Value OnlyGroup() {
    const auto groups = cluster.List(api::kPodGroups, "default");
    EXPECT_EQ(groups.size(), 1u);
    return groups.empty() ? json::Value() : groups[0];
  }
};

TEST_F(WritersTest, AnEvictedPodIsToldWhyAndDeleted) {
  cluster.AddNode("n1", 1);
  Options options;
  options.update_pod_eviction_condition = true;
  StartForTeam(std::move(options));
  cluster.AddPod("low", "team", 1, "labels: {priorityClassName: train}");
  cluster.Settle();
  cluster.RunBoundPods();
  cluster.AddPod("high", "team", 1, "labels: {priorityClassName: build}");
  cluster.Settle();
  const json::Value victim = cluster.Get(api::kPods, "low");
  EXPECT_TRUE(kube::IsDeleting(victim));
  const json::Value condition = Condition(victim, "DisruptionTarget");
  EXPECT_EQ(condition["status"].AsString(), "True");
  EXPECT_EQ(condition["reason"].AsString(), "PreemptionByScheduler");
  EXPECT_THAT(std::string(condition["message"].AsString()),
              HasSubstr("was preempted by higher priority"));
  EXPECT_THAT(cluster.manager->runtime().metrics.Text(),
              ContainsRegex("kai_pod_group_evicted_pods_total\\{.*action=\"preempt\".*\\} 1"));
}

TEST_F(WritersTest, ARequestThatTheBinderGaveUpMakesWayForANewOne) {
  cluster.AddNode("n1", 1);
  StartForTeam({}, false);
  cluster.AddPod("p", "team", 1);
  cluster.Settle();
  const json::Value first = cluster.Get(api::kBindRequests, "p");
  ASSERT_TRUE(cluster.client().Patch(api::kBindRequests, {"default", "p"}, kube::PatchType::kMerge,
                                     Doc("{status: {phase: Failed, failedAttempts: 1}}"),
                                     {.subresource = "status"}));
  cluster.Settle();
  const json::Value second = cluster.Get(api::kBindRequests, "p");
  EXPECT_NE(kube::Uid(first), kube::Uid(second));
  EXPECT_EQ(second["spec"]["selectedNode"].AsString(), "n1");
}

// The room of a request that may exist is not given to somebody else before the caches show what
// became of it.
TEST_F(WritersTest, ARequestWithoutAnAnswerKeepsItsRoom) {
  SilentAboutRequests silent(cluster.client());
  cluster.manager = kube::Manager::Make(silent, cluster.stepper);
  cluster.AddNode("n1", 1);
  StartForTeam({}, false);
  // Neither can be preempted; the second would be first in line for room that is free.
  cluster.AddPod("first", "team", 1, "labels: {priorityClassName: build}");
  cluster.Settle(std::chrono::milliseconds(500));
  ASSERT_TRUE(cluster.Exists(api::kBindRequests, "first"));
  cluster.AddPod("second", "team", 1, "labels: {priorityClassName: inference}");
  cluster.Settle(std::chrono::seconds(10));
  EXPECT_FALSE(cluster.Exists(api::kBindRequests, "second"));
  silent.LetGo();
  cluster.Settle(std::chrono::seconds(10));
  EXPECT_TRUE(cluster.Exists(api::kBindRequests, "first"));
  EXPECT_FALSE(cluster.Exists(api::kBindRequests, "second"));
  cluster.manager.reset();
}

TEST_F(WritersTest, ARequestForANodeThatIsGoneIsRemoved) {
  cluster.AddNode("n1", 1);
  StartForTeam({}, false);
  cluster.AddPod("p", "team", 1);
  cluster.Settle();
  ASSERT_TRUE(cluster.Exists(api::kBindRequests, "p"));
  ASSERT_TRUE(cluster.client().Delete(api::kNodes, {"", "n1"}, {}));
  cluster.Settle();
  EXPECT_FALSE(cluster.Exists(api::kBindRequests, "p"));
}

TEST_F(WritersTest, AWaitingGroupGetsOneConditionThatChangesOnlyWithItsReason) {
  cluster.AddNode("n1", 1);
  StartForTeam({});
  cluster.AddPod("large", "team", 2);
  cluster.Settle();
  const json::Value before = OnlyGroup();
  ASSERT_EQ(before["status"]["schedulingConditions"].size(), 1u);
  const json::Value condition = before["status"]["schedulingConditions"].At(0);
  EXPECT_EQ(condition["type"].AsString(), "UnschedulableOnNodePool");
  EXPECT_EQ(condition["nodePool"].AsString(), "default");
  EXPECT_EQ(condition["reason"].AsString(), "Unschedulable");
  EXPECT_EQ(condition["status"].AsString(), "True");
  const json::Value pod = cluster.Get(api::kPods, "large");
  EXPECT_EQ(Condition(pod, "PodScheduled")["reason"].AsString(), "Unschedulable");
  EXPECT_THAT(cluster.EventsOf("Pod", "large"), Contains(HasSubstr("Unschedulable: ")));
  EXPECT_THAT(cluster.EventsOf("PodGroup", kube::Name(before)),
              Contains(HasSubstr("Unschedulable: ")));
  cluster.Settle(std::chrono::seconds(30));
  EXPECT_EQ(OnlyGroup()["metadata"]["resourceVersion"], before["metadata"]["resourceVersion"]);
  // Another reason: the number of nodes in the message.
  cluster.AddNode("n2", 1);
  cluster.Settle();
  const json::Value& after = OnlyGroup()["status"]["schedulingConditions"];
  ASSERT_EQ(after.size(), 1u);
  EXPECT_EQ(std::stoi(std::string(after.At(0)["transitionID"].AsString())),
            std::stoi(std::string(condition["transitionID"].AsString())) + 1);
  // And when the last of its pods is bound there is nothing left to say.
  cluster.AddNode("n3", 2);
  cluster.Settle();
  cluster.RunBoundPods();
  cluster.Settle();
  EXPECT_EQ(OnlyGroup()["status"]["schedulingConditions"].size(), 0u);
}

// Without a binder: what needs more than a node waits for one.
TEST_F(WritersTest, PodsThatNeedOnlyANodeCanBeBoundDirectly) {
  cluster.AddNode("n1", 4);
  Options options;
  options.bind_directly = true;
  StartForTeam(std::move(options), false);
  cluster.AddPod("plain", "team", 1);
  cluster.AddPod("shares", "team", 0, "annotations: {gpu-fraction: '0.5'}");
  cluster.Settle();
  const json::Value pod = cluster.Get(api::kPods, "plain");
  EXPECT_EQ(pod["spec"]["nodeName"].AsString(), "n1");
  EXPECT_EQ(kube::Annotation(pod, "received-resource-type"), "Regular");
  EXPECT_THAT(cluster.EventsOf("Pod", "plain"), Contains(HasSubstr("Scheduled: ")));
  EXPECT_FALSE(cluster.Exists(api::kBindRequests, "plain"));
  EXPECT_TRUE(cluster.Exists(api::kBindRequests, "shares"));
  EXPECT_EQ(cluster.Get(api::kPods, "shares")["spec"]["nodeName"].AsString(), "");
}

// Of a group's times, a scheduler that starts anew can find out the first start by itself. That its
// gang is broken, and was restarted, it would not know.
TEST_F(WritersTest, OnlyTimesThatCanBeFoundOutLetUrgentWorkPass) {
  const auto time = [this](std::string_view what) {
    return std::string(kube::Annotation(cluster.Get(api::kPodGroups, "g"),
                                        fmt::format("kai.scheduler/{}-timestamp", what)));
  };
  const auto add = [this](const char* pod) {
    cluster.AddPod(pod, "team", 1,
                   "annotations: {pod-group-name: g, kai.scheduler/skip-podgrouper: 'true'}");
  };
  cluster.AddNode("n1", 2);
  StartForTeam({});
  cluster.Create(api::kPodGroups,
                 "{apiVersion: scheduling.run.ai/v2alpha2, kind: PodGroup, metadata: {name: g, "
                 "namespace: default}, spec: {minMember: 2, queue: team}}");
  const auto urgent = std::make_unique<kube::PriorityScope>(cluster.manager->runtime().priorities,
                                                            kube::Priority::kHighest);
  for (const char* pod : {"a", "b"}) add(pod);
  cluster.Settle();
  cluster.RunBoundPods();
  EXPECT_EQ(time("last-start"), "");
  ASSERT_TRUE(cluster.client().Delete(api::kPods, {"default", "b"}, {.grace_period_seconds = 0}));
  cluster.Settle(std::chrono::milliseconds(100));
  EXPECT_NE(time("stale-podgroup"), "");
  const std::string first = time("last-start");
  EXPECT_NE(first, "");
  add("b");
  cluster.Settle(std::chrono::milliseconds(100));
  EXPECT_EQ(time("stale-podgroup"), "");
  for (const char* pod : {"a", "b"}) {
    ASSERT_TRUE(cluster.client().Delete(api::kPods, {"default", pod}, {.grace_period_seconds = 0}));
  }
  cluster.Settle();
  for (const char* pod : {"a", "b"}) add(pod);
  cluster.Settle(std::chrono::milliseconds(100));
  EXPECT_GT(time("last-start"), first);
}

TEST_F(WritersTest, ABoundPodCarriesItsShard) {
  constexpr char kPool[] = "kai.scheduler/node-pool";
  cluster.AddNode("n1", 1, "kai.scheduler/node-pool: a");
  Options options;
  options.partition_label_value = "a";
  StartForTeam(std::move(options));
  for (const char* queue : {"root", "team"}) {
    ASSERT_TRUE(cluster.client().Patch(api::kQueues, {"", queue}, kube::PatchType::kMerge,
                                       Doc("{metadata: {labels: {kai.scheduler/node-pool: a}}}")));
  }
  // The group is the shard's, its pod does not say so.
  cluster.Create(api::kPodGroups,
                 "{apiVersion: scheduling.run.ai/v2alpha2, kind: PodGroup, metadata: {name: g, "
                 "namespace: default, labels: {kai.scheduler/node-pool: a}}, spec: {minMember: 1, "
                 "queue: team}}");
  cluster.AddPod("p", "team", 1,
                 "annotations: {pod-group-name: g, kai.scheduler/skip-podgrouper: 'true'}");
  cluster.Settle();
  const json::Value pod = cluster.Get(api::kPods, "p");
  EXPECT_EQ(pod["spec"]["nodeName"].AsString(), "n1");
  EXPECT_EQ(kube::Label(pod, kPool), "a");
}

}  // namespace
}  // namespace coppice::services::scheduler
