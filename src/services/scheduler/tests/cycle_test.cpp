// What a cycle leaves in the API: conditions, events, evictions, labels, metrics.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/well_known.h"
#include "kube/client/counting_client.h"
#include "kube/object.h"
#include "services/binder/controller.h"
#include "services/scheduler/service.h"
#include "services/test_cluster_testing.h"

namespace coppice::services::scheduler {
namespace {

using std::chrono::seconds;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Lets everything through until it is told what to refuse, and remembers the order of writes.
class Gatekeeper final : public kube::InterceptedClient {
 public:
  using InterceptedClient::InterceptedClient;
  std::string refused;  // "podgroups.scheduling.run.ai/status".
  base::ErrorCode with = base::ErrorCode::kUnavailable;
  int attempts = 0;

 protected:
  base::Status Before(const kube::Call& call) override {
    if (refused.empty() || !call.writes() || call.What() != refused) return {};
    ++attempts;
    return base::Error(with, "refused by the test");
  }
};

class CycleTest : public ::testing::Test {
 protected:
  CycleTest() {
    cluster.manager = kube::Manager::Make(gate, cluster.stepper);
    cluster.AddPriorityClasses();
    cluster.AddQueue("root", "", -1);
    cluster.AddQueue("a", "root", -1);
  }

  std::shared_ptr<Service> Start(Options options = {}, bool with_binder = true) {
    if (with_binder) {
      EXPECT_TRUE(binder::AddToManager(*cluster.manager, {}));
    }
    auto added = AddToManager(*cluster.manager, std::move(options));
    EXPECT_TRUE(added) << added.error().message();
    cluster.Start();
    return *added;
  }

  void AddGroup(std::string_view name, std::string_view spec, std::string_view metadata = "") {
    cluster.Create(api::kPodGroups,
                   fmt::format("{{apiVersion: scheduling.run.ai/v2alpha2, kind: PodGroup, "
                               "metadata: {{name: {}, namespace: default{}}}, spec: {{queue: a, "
                               "minMember: 1{}}}}}",
                               name, metadata, spec));
  }
  json::Value AddMember(std::string_view name, std::string_view group, int gpus) {
    return cluster.AddPod(name, "a", gpus,
                          fmt::format("annotations: {{pod-group-name: {}}}", group));
  }
  json::Value Conditions(std::string_view group) {
    return cluster.Get(api::kPodGroups, group)["status"]["schedulingConditions"];
  }
  std::string Metrics() { return cluster.manager->runtime().metrics.Text(); }

  TestCluster cluster{1};
  Gatekeeper gate{cluster.client()};
};

TEST_F(CycleTest, ABindThatNeverSucceedsIsTriedSeldomAndLeavesItsRoomToOthers) {
  cluster.AddNode("n1", 1);
  AddGroup("bad", ", priorityClassName: build");
  cluster.AddPod("b", "a", 0,
                 "annotations: {pod-group-name: bad, gpu-fraction: '0.5', "
                 "gpu-fraction-num-devices: many}");
  kube::CountingClient counting(gate);
  cluster.manager = kube::Manager::Make(counting, cluster.stepper);
  Start();
  cluster.Settle(std::chrono::minutes(5));
  const std::string requests = api::kBindRequests.QualifiedName();
  EXPECT_GE(counting.Count(kube::Verb::kCreate, requests), 5);
  EXPECT_LE(counting.Count(kube::Verb::kCreate, requests), 15);
  AddGroup("good", "");
  AddMember("g", "good", 1);
  cluster.Settle(std::chrono::minutes(2));
  EXPECT_EQ(cluster.Get(api::kPods, "g")["spec"]["nodeName"].AsString(), "n1");
}

TEST_F(CycleTest, ItsOwnBindRequestsCountBeforeTheyAreSeen) {
  cluster.AddNode("n1", 2);
  AddGroup("g", "");
  // Nobody binds, and the second pod comes while the first one's request is on its way.
  AddMember("first", "g", 2);
  Start({}, /*with_binder=*/false);
  cluster.Settle();
  ASSERT_TRUE(cluster.Exists(api::kBindRequests, "first"));
  AddGroup("h", "");
  AddMember("second", "h", 1);
  cluster.Settle();
  EXPECT_FALSE(cluster.Exists(api::kBindRequests, "second")) << "the node is full already";
}

// The second request is refused, and from then on nothing may go to the node.
class Closer final : public kube::InterceptedClient {
 public:
  using InterceptedClient::InterceptedClient;
  std::string refused;  // The pod.

 protected:
  base::Status Before(const kube::Call& call) override {
    if (call.verb != kube::Verb::kCreate || call.resource != api::kBindRequests) return {};
    if (++requests_ == 2) {
      refused = call.key.name;
      EXPECT_TRUE(Patch(api::kNodes, {"", "n1"}, kube::PatchType::kMerge,
                        Doc("{spec: {unschedulable: true}}")));
    }
    return call.key.name == refused ? base::Unavailable("refused by the test") : base::Status();
  }

 private:
  int requests_ = 0;
};

TEST_F(CycleTest, WhatFollowsABindThatFailsIsDecidedAnew) {
  Closer closer(cluster.client());
  cluster.manager = kube::Manager::Make(closer, cluster.stepper);
  cluster.AddNode("n1", 4);
  AddGroup("g", ", minMember: 4");
  for (const char* name : {"p0", "p1", "p2", "p3"}) AddMember(name, "g", 1);
  Options options;
  options.bind_workers = 1;
  Start(std::move(options), /*with_binder=*/false);
  cluster.Settle();
  EXPECT_EQ(cluster.List(api::kBindRequests).size(), 1u) << "what is bound stays so, and alone";
  EXPECT_FALSE(cluster.Exists(api::kBindRequests, closer.refused));
  EXPECT_THAT(cluster.EventsOf("Pod", closer.refused), Contains(HasSubstr("FailedBinding: ")));
}

TEST_F(CycleTest, PodsThatFailedHoldNothing) {
  cluster.AddNode("n1", 1);
  AddGroup("g", "");
  AddMember("dead", "g", 1);
  Start();
  cluster.Settle();
  ASSERT_TRUE(cluster.client().Patch(api::kPods, {"default", "dead"}, kube::PatchType::kMerge,
                                     Doc("{status: {phase: Failed}}"), {.subresource = "status"}));
  AddGroup("h", "");
  AddMember("next", "h", 1);
  cluster.Settle();
  EXPECT_EQ(cluster.Get(api::kPods, "next")["spec"]["nodeName"].AsString(), "n1");
}

TEST_F(CycleTest, ConditionsAreNumberedReplacedAndCleared) {
  AddGroup("g", "");
  const json::Value pod = AddMember("p", "g", 2);
  Start();
  cluster.Settle();
  ASSERT_EQ(Conditions("g").size(), 1u);
  const json::Value first = Conditions("g").At(0);
  EXPECT_EQ(first["type"].AsString(), "UnschedulableOnNodePool");
  EXPECT_EQ(first["nodePool"].AsString(), "default");
  EXPECT_EQ(first["reason"].AsString(), "Unschedulable");
  EXPECT_EQ(first["status"].AsString(), "True");
  EXPECT_EQ(first["transitionID"].AsString(), "0");
  EXPECT_EQ(kube::Condition(cluster.Get(api::kPods, "p"), "PodScheduled")["reason"].AsString(),
            "Unschedulable");
  EXPECT_THAT(cluster.EventsOf("Pod", "p"), Contains(HasSubstr("Unschedulable: ")));
  EXPECT_THAT(cluster.EventsOf("PodGroup", "g"), Contains(HasSubstr("Unschedulable: ")));
  // Nothing changes, nothing is written.
  cluster.Settle(seconds(30));
  EXPECT_EQ(Conditions("g").At(0), first);
  // Another reason: the condition of the pool is replaced.
  cluster.AddNode("small", 1);
  cluster.Settle();
  ASSERT_EQ(Conditions("g").size(), 1u);
  EXPECT_EQ(Conditions("g").At(0)["transitionID"].AsString(), "1");
  EXPECT_NE(Conditions("g").At(0)["message"], first["message"]);
  cluster.AddNode("large", 2);
  cluster.Settle();
  EXPECT_EQ(cluster.Get(api::kPods, "p")["spec"]["nodeName"].AsString(), "large");
  EXPECT_THAT(cluster.EventsOf("Pod", "p"),
              Contains("Scheduled: Successfully assigned pod default/p to node large at node-pool "
                       "default"));
  cluster.RunBoundPods();
  cluster.Settle();
  EXPECT_TRUE(Conditions("g").empty());
  EXPECT_NE(
      kube::Annotation(cluster.Get(api::kPodGroups, "g"), "kai.scheduler/last-start-timestamp"),
      "");
}

TEST_F(CycleTest, AGroupThatIsNotReadySaysSoAndGetsNoCondition) {
  cluster.AddNode("n1", 4);
  AddGroup("g", ", minMember: 2");
  AddMember("p", "g", 1);
  Start();
  cluster.Settle();
  EXPECT_TRUE(Conditions("g").empty());
  EXPECT_THAT(cluster.EventsOf("PodGroup", "g"),
              Contains("NotReady: Job is not ready for scheduling. Waiting for 2 pods, currently 1 "
                       "exist, 0 are gated"));
}

TEST_F(CycleTest, UnmarkedGroupsLeaveTheirPodsWithoutACondition) {
  AddGroup("g", ", markUnschedulable: false");
  AddMember("p", "g", 1);
  Start();
  cluster.Settle();
  EXPECT_EQ(Conditions("g").size(), 1u);
  EXPECT_TRUE(kube::Condition(cluster.Get(api::kPods, "p"), "PodScheduled").IsNull());
}

TEST_F(CycleTest, OfManyStatesThatCouldNotBeWrittenTheLastIs) {
  gate.refused = "podgroups.scheduling.run.ai/status";
  AddGroup("g", "");
  AddMember("p", "g", 4);
  Start();
  cluster.Settle();
  for (int gpus = 1; gpus < 4; ++gpus) {
    cluster.AddNode(fmt::format("n{}", gpus), gpus);
    cluster.Settle();
  }
  EXPECT_TRUE(Conditions("g").empty());
  EXPECT_GT(gate.attempts, 1) << "it is tried again";
  gate.refused.clear();
  cluster.Settle(std::chrono::minutes(3));
  ASSERT_EQ(Conditions("g").size(), 1u);
  EXPECT_THAT(Conditions("g").At(0)["message"].ToString(), HasSubstr("is topped at 3"));
}

TEST_F(CycleTest, WhatNobodyIsLeftToBeToldIsDropped) {
  gate.refused = "podgroups.scheduling.run.ai/status";
  gate.with = base::ErrorCode::kNotFound;
  AddGroup("g", "");
  AddMember("p", "g", 4);
  Start();
  cluster.Settle();
  EXPECT_GT(gate.attempts, 0);
  // A cycle says it again, once; nothing is tried again in between.
  gate.attempts = 0;
  cluster.Settle(seconds(30));
  EXPECT_LE(gate.attempts, 31);
}

TEST_F(CycleTest, OnlyConfiguredActionsRunAndThePeriodBeginsWhenACycleEnds) {
  cluster.AddNode("n1", 1);
  AddGroup("g", "");
  AddMember("p", "g", 1);
  Options options;
  options.configuration.actions = {"stalegangeviction", "reclaim"};
  options.schedule_period = seconds(7);
  const auto service = Start(std::move(options));
  cluster.Settle(seconds(30));
  EXPECT_FALSE(cluster.Exists(api::kBindRequests, "p")) << "allocate is not among the actions";
  // Something waits: the next cycle comes a period after this one's end.
  const auto next = service->RunCycle();
  ASSERT_TRUE(next);
  EXPECT_EQ(*next->after, seconds(7));
  for (const char* action : {"stalegangeviction", "reclaim"}) {
    EXPECT_THAT(Metrics(),
                HasSubstr(fmt::format("kai_action_scheduling_latency_milliseconds{{action=\"{}\"}}",
                                      action)));
  }
  EXPECT_THAT(Metrics(), ::testing::Not(HasSubstr("action=\"allocate\"}")));
}

TEST_F(CycleTest, EverySeriesIsThere) {
  cluster.AddNode("n1", 1);
  AddGroup("low", ", priorityClassName: train");
  AddMember("l", "low", 1);
  Start();
  cluster.Settle();
  cluster.RunBoundPods();
  AddGroup("high", ", priorityClassName: build");
  AddMember("h", "high", 1);
  cluster.Settle();
  const std::string text = Metrics();
  for (const char* series :
       {"kai_e2e_scheduling_latency_milliseconds ",
        "kai_open_session_latency_milliseconds ",
        "kai_close_session_latency_milliseconds ",
        "kai_action_scheduling_latency_milliseconds{action=\"allocate\"}",
        "kai_task_scheduling_latency_milliseconds_bucket{le=\"5\"}",
        "kai_task_scheduling_latency_milliseconds_bucket{le=\"2560\"}",
        "kai_task_bind_latency_milliseconds_bucket{le=\"2560\"}",
        "kai_podgroups_scheduled_by_action{action=\"allocate\"}",
        "kai_podgroups_acted_on_by_action{action=\"preempt\"}",
        "kai_scenarios_simulation_by_action{action=\"preempt\"}",
        "kai_scenarios_filtered_by_action{action=\"preempt\"}",
        "kai_total_preemption_attempts ",
        "kai_queue_fair_share_gpu{queue_display_name=\"\",queue_metadata_name=\"a\","
        "queue_name=\"a\"}",
        "kai_queue_fair_share_cpu_cores{",
        "kai_queue_fair_share_memory_gb{",
        "kai_queue_gpu_usage{",
        "kai_queue_cpu_usage{",
        "kai_queue_memory_usage{",
        "kai_pod_group_evicted_pods_total{",
        "kai_scenario_search_jobs_total{action=\"preempt\"",
        "kai_scenario_search_action_budget_configured_seconds{action=\"reclaim\"} 300",
        "kai_scenario_search_job_budget_configured_seconds 240",
        "kai_scenario_search_generator_budget_configured_seconds{generator=\"NodeLocalGreedy\"} 30",
        "kai_scenario_search_scenarios_total{"}) {
    EXPECT_THAT(text, HasSubstr(series));
  }
}

}  // namespace
}  // namespace coppice::services::scheduler
