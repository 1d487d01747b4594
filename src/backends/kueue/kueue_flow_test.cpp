// Kueue in front of KAI, with the real CRDs of both, from quota to eviction and back. The test
// plays the part of Kueue.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/kueue/kueue.h"
#include "backends/tests/example_testing.h"
#include "kube/object.h"

namespace coppice::backends::kueue {
namespace {

using json::Value;

const char kFlavor[] = R"(
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: spot}
spec: {nodeLabels: {pool: spot}, tolerations: [{key: spot, operator: Exists}]}
)";

std::string Conditions(const std::vector<std::string>& conditions) {
  std::string out;
  for (const std::string& condition : conditions) {
    out += (out.empty() ? "" : ", ") +
           ("{" + condition + ", message: '', lastTransitionTime: '2026-01-01T00:00:00Z'}");
  }
  return "conditions: [" + out + "]";
}

class KueueFlow : public testing::Test {
 protected:
  void SetUp() override {
    world_ = std::make_unique<World>(World::Options{
        .projects = {"grove", "kai", "kueue"},
        .config = "{scheduler: {profiles: [{name: kai-scheduler, config: {admission: kueue}}]}}"});
    world_->Create(Yaml(kFlavor));
    example_ = std::make_unique<Example>(*world_, "kai-scheduler");
    example_->CreatePods();
  }

  void KueueSays(const std::string& status) {
    world_->SetStatus(Workloads("v1beta2"), "ai", "podgang-llm-0", Yaml("{" + status + "}"));
    world_->RunFor(std::chrono::seconds(2));
  }

  void Admit() {
    KueueSays(Conditions({"type: QuotaReserved, status: 'True', reason: QuotaReserved",
                          "type: Admitted, status: 'True', reason: Admitted"}) +
              ", admission: {clusterQueue: cq, podSetAssignments: [{name: llm-0-fe, count: 2, "
              "flavors: {cpu: spot}}, {name: llm-0-pf-0-wk, count: 4, flavors: {cpu: spot}}]}");
  }

  // Kueue only sets this condition: quota and admission stay until the Workload's owner has stopped
  // its pods.
  void Evict(const std::string& reason = "Preempted") { EvictOther("podgang-llm-0", reason); }

  void EvictOther(const std::string& name, const std::string& reason) {
    world_->SetStatus(Workloads("v1beta2"), "ai", name,
                      Yaml("{" +
                           Conditions({"type: QuotaReserved, status: 'True', reason: QuotaReserved",
                                       "type: Admitted, status: 'True', reason: Admitted",
                                       "type: Evicted, status: 'True', reason: " + reason}) +
                           "}"));
    world_->RunFor(std::chrono::seconds(2));
  }

  // The nodes have stopped the deleted pods.
  void PodsEnd() {
    for (const Value& pod : world_->List(api::kPods)) {
      if (!kube::IsDeleting(pod)) continue;
      ASSERT_TRUE(
          world_->client->Delete(api::kPods, kube::KeyOf(pod), {.grace_period_seconds = 0}).ok());
    }
    world_->RunFor(std::chrono::seconds(2));
  }

  std::string OfWorkload(const std::string& type, const std::string& name = "podgang-llm-0") {
    const Value workload = world_->Get(Workloads("v1beta2"), "ai", name);
    const Value& condition = kube::Condition(workload, type);
    return condition["status"].ToString() + " " + condition["reason"].ToString();
  }

  // The gang runs, and requests quota for its surplus pods.
  void StartCore() {
    Admit();
    example_->Release();
    example_->BindAll();
    world_->RunFor(std::chrono::seconds(2));
  }

  void AdmitOther(const std::string& name) {
    world_->SetStatus(Workloads("v1beta2"), "ai", name,
                      Yaml("{" +
                           Conditions({"type: QuotaReserved, status: 'True', reason: QuotaReserved",
                                       "type: Admitted, status: 'True', reason: Admitted"}) +
                           "}"));
    world_->RunFor(std::chrono::seconds(2));
  }

  void ReferTo(const std::vector<std::string>& frontends) {
    Value groups = example_->Gang()["spec"]["podgroups"];
    Value references = Value::Array();
    for (const std::string& name : frontends) {
      references.Append(Value::Object({{"namespace", "ai"}, {"name", name}}));
    }
    groups.MutableItems()[0].Set("podReferences", std::move(references));
    world_->Patch(api::kPodGangs, "ai", "llm-0",
                  Value::Object({{"spec", Value::Object({{"podgroups", std::move(groups)}})}}));
    world_->RunFor(std::chrono::seconds(2));
  }

  // An autoscaler adds a frontend.
  void Grow() {
    world_->CreatePod("ai", "llm-0", "llm-0-fe", 3, "fe-d");
    ReferTo({"fe-a", "fe-b", "fe-c", "fe-d"});
  }

  Value Surplus(const std::string& suffix = "") {
    return world_->Get(Workloads("v1beta2"), "ai", "podgang-llm-0-surplus" + suffix);
  }
  int64_t CountOf(const Value& workload) {
    return workload["spec"]["podSets"].At(0)["count"].AsInt();
  }

  std::string Condition(const std::string& type) {
    const Value condition = example_->Condition(type);
    return condition["status"].ToString() + " " + condition["reason"].ToString();
  }

  size_t LivePods() {
    size_t live = 0;
    for (const Value& pod : world_->List(api::kPods)) live += !kube::IsDeleting(pod);
    return live;
  }

  std::unique_ptr<World> world_;
  std::unique_ptr<Example> example_;
};

TEST_F(KueueFlow, GatesStayClosedUntilTheGangIsAdmitted) {
  // The scheduler behind Kueue has its object.
  EXPECT_EQ(world_->List(api::kPodGroups).size(), 1u);
  EXPECT_EQ(example_->Release(), 0);
  KueueSays(Conditions({"type: QuotaReserved, status: 'False', reason: WaitingForQuota"}));
  EXPECT_EQ(Condition("Scheduled"), "False WaitingForQuota");
  EXPECT_EQ(example_->Release(), 0);
  Admit();
  EXPECT_EQ(example_->Release(), 6);  // The surplus pod waits for the gang.
  const Value pod = world_->Get(api::kPods, "ai", "w0-a");
  EXPECT_EQ(pod["spec"]["nodeSelector"]["pool"].AsString(), "spot");
  std::vector<std::string> tolerated;
  for (const Value& toleration : pod["spec"]["tolerations"].Items()) {
    tolerated.push_back(toleration["key"].ToString());
  }
  EXPECT_THAT(tolerated, testing::Contains("spot"));
}

TEST_F(KueueFlow, ReadinessIsToldToKueue) {
  Admit();
  example_->Release();
  example_->BindAll();
  world_->RunFor(std::chrono::seconds(2));
  EXPECT_EQ(Condition("Ready"), "True PodGangReady");
  EXPECT_TRUE(kube::ConditionIs(world_->Get(Workloads("v1beta2"), "ai", "podgang-llm-0"),
                                "PodsReady", "True"));
}

TEST_F(KueueFlow, EvictionDeletesThePodsAndKeepsTheGang) {
  Admit();
  example_->Release();
  example_->BindAll();
  const std::string uid(kube::Uid(example_->Gang()));
  Evict();
  EXPECT_EQ(Condition("DisruptionTarget"), "True Preempted");
  EXPECT_EQ(LivePods(), 1u);  // The one that still waits for admission.
  EXPECT_EQ(kube::Uid(example_->Gang()), uid);
  EXPECT_TRUE(world_->Exists(Workloads("v1beta2"), "ai", "podgang-llm-0"));
}

TEST_F(KueueFlow, QuotaIsGivenBackWhenThePodsHaveStopped) {
  StartCore();
  Evict();
  EXPECT_EQ(OfWorkload("QuotaReserved"), "True QuotaReserved");
  EXPECT_EQ(OfWorkload("Admitted"), "True Admitted");
  PodsEnd();
  EXPECT_EQ(OfWorkload("QuotaReserved"), "False Pending");
  EXPECT_EQ(OfWorkload("Admitted"), "False NoReservation");
  EXPECT_EQ(OfWorkload("Requeued"), "True Preempted");
  const Value workload = world_->Get(Workloads("v1beta2"), "ai", "podgang-llm-0");
  EXPECT_FALSE(workload["status"].Has("admission"));
  const int64_t writes = world_->writes();
  world_->RunFor(std::chrono::minutes(1));
  EXPECT_EQ(world_->writes(), writes);
}

TEST_F(KueueFlow, PodsOfANodeThatIsGoneDoNotHoldTheQuota) {
  StartCore();
  Evict("NodeFailures");
  EXPECT_EQ(OfWorkload("QuotaReserved"), "True QuotaReserved");
  world_->RunFor(std::chrono::minutes(1));  // Longer than the pods' grace period.
  EXPECT_EQ(OfWorkload("QuotaReserved"), "False Pending");
}

TEST_F(KueueFlow, AGangWhoseQueueIsDrainedWaitsForTheQueue) {
  StartCore();
  Evict("ClusterQueueStopped");
  PodsEnd();
  EXPECT_EQ(OfWorkload("Requeued"), "False ClusterQueueStopped");
  EXPECT_EQ(OfWorkload("QuotaReserved"), "False Pending");
}

TEST_F(KueueFlow, PodsThatComeBackWaitToBeAdmittedAgain) {
  StartCore();
  Evict();
  world_->CreatePod("ai", "llm-0", "llm-0-fe", 0, "fe-new");
  ReferTo({"fe-new", "fe-b", "fe-c"});
  EXPECT_EQ(example_->Release(), 0);  // Still Admitted=True, for the pods that must stop.
  Admit();
  EXPECT_EQ(example_->Release(), 1);
}

TEST_F(KueueFlow, SurplusPodsHaveAWorkloadOfTheirOwn) {
  StartCore();
  EXPECT_EQ(example_->Release(), 0);
  EXPECT_EQ(CountOf(Surplus()), 1);
  AdmitOther("podgang-llm-0-surplus");
  EXPECT_EQ(example_->Release(), 1);
}

TEST_F(KueueFlow, PodsThatAreAddedLaterAskForQuotaToo) {
  StartCore();
  AdmitOther("podgang-llm-0-surplus");
  EXPECT_EQ(example_->Release(), 1);
  example_->BindAll();
  Grow();
  EXPECT_EQ(example_->Release(), 0);  // The existing quota is for the running pod.
  EXPECT_EQ(CountOf(Surplus()), 1);
  EXPECT_EQ(CountOf(Surplus("-2")), 1);
  EXPECT_EQ(example_->Synced(), "True Synced");
  AdmitOther("podgang-llm-0-surplus-2");
  EXPECT_EQ(example_->Release(), 1);
}

TEST_F(KueueFlow, QuotaIsGivenBackWhenAddedPodsGo) {
  StartCore();
  AdmitOther("podgang-llm-0-surplus");
  Grow();
  AdmitOther("podgang-llm-0-surplus-2");
  ASSERT_TRUE(world_->client->Delete(api::kPods, {"ai", "fe-d"}).ok());
  ReferTo({"fe-a", "fe-b", "fe-c"});
  EXPECT_FALSE(world_->Exists(Workloads("v1beta2"), "ai", "podgang-llm-0-surplus-2"));
  EXPECT_EQ(CountOf(Surplus()), 1);
}

TEST_F(KueueFlow, AWorkloadThatStillWaitsForQuotaGrows) {
  StartCore();
  const std::string uid(kube::Uid(Surplus()));
  Grow();
  EXPECT_EQ(CountOf(Surplus()), 2);
  EXPECT_EQ(kube::Uid(Surplus()), uid);  // It keeps its place in the queue.
  EXPECT_FALSE(world_->Exists(Workloads("v1beta2"), "ai", "podgang-llm-0-surplus-2"));
  AdmitOther("podgang-llm-0-surplus");
  EXPECT_EQ(example_->Release(), 2);
}

TEST_F(KueueFlow, EvictedSurplusTakesNobodyElseWithIt) {
  StartCore();
  AdmitOther("podgang-llm-0-surplus");
  example_->Release();
  example_->BindAll();
  Grow();
  AdmitOther("podgang-llm-0-surplus-2");
  example_->Release();
  example_->BindAll();
  EvictOther("podgang-llm-0-surplus-2", "Preempted");
  EXPECT_EQ(LivePods(), 7u);  // Of eight.
  EXPECT_EQ(OfWorkload("QuotaReserved", "podgang-llm-0-surplus-2"), "True QuotaReserved");
  PodsEnd();
  EXPECT_EQ(OfWorkload("QuotaReserved", "podgang-llm-0-surplus-2"), "False Pending");
  EXPECT_EQ(OfWorkload("Admitted", "podgang-llm-0-surplus"), "True Admitted");
}

TEST_F(KueueFlow, ACliqueBelowItsTemplateHoldsNoQuotaForTheRest) {
  StartCore();
  AdmitOther("podgang-llm-0-surplus");
  example_->Release();
  example_->BindAll();
  world_->Create(
      Yaml("{apiVersion: grove.io/v1alpha1, kind: PodClique, metadata: {name: llm-0-fe, "
           "namespace: ai}, spec: {roleName: fe, replicas: 2, minAvailable: 2, podSpec: "
           "{containers: [{name: main, image: f}]}}}"));
  ASSERT_TRUE(world_->client->Delete(api::kPods, {"ai", "fe-c"}).ok());
  ReferTo({"fe-a", "fe-b"});
  EXPECT_FALSE(world_->Exists(Workloads("v1beta2"), "ai", "podgang-llm-0-surplus"));
  EXPECT_EQ(LivePods(), 6u);
}

TEST(KueueLayer, SchedulersBehindItDoNotClearEachOthersWorkloads) {
  World world({.projects = {"grove", "kai", "kueue"},
               .config = "{scheduler: {profiles: [{name: kai-scheduler, config: {admission: "
                         "kueue}}, {name: grove-scheduler, config: {admission: kueue}}]}}"});
  Example example(world, "kai-scheduler");
  example.CreatePods();
  const Value workload = world.Get(Workloads("v1beta2"), "ai", "podgang-llm-0");
  world.RunFor(std::chrono::seconds(10));
  EXPECT_EQ(kube::Uid(world.Get(Workloads("v1beta2"), "ai", "podgang-llm-0")), kube::Uid(workload));
}

}  // namespace
}  // namespace coppice::backends::kueue
