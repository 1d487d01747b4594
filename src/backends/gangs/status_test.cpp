#include "backends/gangs/status.h"

#include <gtest/gtest.h>

#include "backends/tests/world_testing.h"
#include "kube/object.h"

namespace coppice::backends {
namespace {

using json::Value;

const char kNow[] = "2026-01-01T00:01:00Z";

class StatusTimeline : public testing::Test {
 protected:
  StatusTimeline() : input_(ExampleInput(ExampleGang("x"), "x", Capabilities())) {
    input_.gang.generation = 1;
    std::vector<Value> nodes;
    for (const auto& [name, rack] : {std::pair("n1", "r1"), {"n2", "r1"}, {"n3", "r2"}}) {
      nodes.push_back(
          Yaml(fmt::format("{{apiVersion: v1, kind: Node, metadata: {{name: {0}, labels: "
                           "{{topology.kubernetes.io/zone: z, topology.kubernetes.io/rack: {1}, "
                           "kubernetes.io/hostname: {0}}}}}}}",
                           name, rack)));
    }
    input_.cluster = std::make_shared<FixedView>(nodes);
    status_ = Yaml("{phase: Pending, conditions: [{type: Initialized, status: 'True'}]}");
  }

  void AddPod(const std::string& group, int index, const std::string& node,
              const std::string& phase, bool ready) {
    Value pod = Yaml(fmt::format(
        "{{metadata: {{name: {0}-{1}, labels: {{grove.io/podgang: llm-0, grove.io/podclique: {0}, "
        "grove.io/podclique-pod-index: '{1}'}}}}, spec: {{}}, status: {{phase: {2}, conditions: "
        "[{{type: Ready, status: '{3}'}}]}}}}",
        group, index, phase, ready ? "True" : "False"));
    if (!node.empty()) pod.Mutable("spec").Set("nodeName", node);
    pods_.push_back(pod);
  }

  void AddCore(const std::string& node, const std::string& phase, bool ready) {
    for (int i = 0; i < 2; ++i) AddPod("llm-0-fe", i, node, phase, ready);
    for (int i = 0; i < 4; ++i) AddPod("llm-0-pf-0-wk", i, node, phase, ready);
  }

  void Compute(const Signals& signals = {}, std::optional<Refusal> problem = {},
               std::vector<Outcome> outcomes = {}) {
    status_ = ComputeStatus({.gang = input_,
                             .old_status = status_,
                             .pods = pods_,
                             .signals = signals,
                             .problem = problem,
                             .outcomes = outcomes,
                             .now = kNow});
  }

  std::string Condition(const std::string& type) {
    for (const Value& condition : status_["conditions"].Items()) {
      if (condition["type"].AsString() != type) continue;
      return condition["status"].ToString() + " " + condition["reason"].ToString();
    }
    return "";
  }

  GangInput input_;
  Value status_;
  std::vector<Value> pods_;
};

TEST_F(StatusTimeline, PendingStartingRunningAndBack) {
  AddCore("", "Pending", false);
  Compute();
  EXPECT_EQ(status_["phase"].AsString(), "Pending");
  EXPECT_EQ(Condition("Scheduled"), "False WaitingForScheduler");
  pods_[0].Mutable("spec").Set("nodeName", "n1");
  Compute();
  EXPECT_EQ(status_["phase"].AsString(), "Starting");
  pods_.clear();
  AddCore("n1", "Running", true);
  Compute();
  EXPECT_EQ(status_["phase"].AsString(), "Running");
  EXPECT_EQ(Condition("Scheduled"), "True PodGangScheduled");
  EXPECT_EQ(Condition("Ready"), "True PodGangReady");
  EXPECT_EQ(Condition("Unhealthy"), "");
  pods_.pop_back();
  Compute();
  EXPECT_EQ(status_["phase"].AsString(), "Starting");
  EXPECT_EQ(Condition("Scheduled"), "True PodGangScheduled");  // Sticky.
  EXPECT_EQ(Condition("Ready"), "False PodsNotReady");
  EXPECT_EQ(Condition("Unhealthy"), "True MinReplicasBreached");
  pods_.clear();
  Compute();
  EXPECT_EQ(Condition("Scheduled"), "False WaitingForScheduler");
  EXPECT_EQ(status_["phase"].AsString(), "Pending");
}

// Replacements exist before the last of the old pods is gone: there are always some pods.
TEST_F(StatusTimeline, AGangThatLostAllItsPodsIsAllOrNothingAgain) {
  AddCore("n1", "Running", true);
  Compute();
  pods_.resize(1);
  AddPod("llm-0-fe", 1, "", "Pending", false);
  Compute();
  EXPECT_EQ(Condition("Scheduled"), "True PodGangScheduled");
  pods_.clear();
  AddCore("", "Pending", false);
  // The backend's report about pods that are already gone.
  Compute({.unhealthy_reason = "StaleGang"});
  EXPECT_EQ(status_["phase"].AsString(), "Pending");
  EXPECT_EQ(Condition("Scheduled"), "False WaitingForScheduler");
  EXPECT_EQ(Condition("Unhealthy"), "True MinReplicasBreached");
  Compute();
  EXPECT_EQ(Condition("Unhealthy"), "True MinReplicasBreached");
  pods_.clear();
  AddCore("n1", "Running", true);
  Compute();
  EXPECT_EQ(Condition("Scheduled"), "True PodGangScheduled");
  EXPECT_EQ(Condition("Unhealthy"), "False PodGangHealthy");
}

TEST_F(StatusTimeline, NothingChangesWhenNothingHappens) {
  AddCore("n1", "Running", true);
  Compute();
  const Value before = status_;
  Compute();
  EXPECT_EQ(status_, before);
}

TEST_F(StatusTimeline, OthersConditionsStay) {
  AddCore("n1", "Running", true);
  Compute();
  EXPECT_EQ(Condition("Initialized"), "True ");
}

TEST_F(StatusTimeline, BackendReasonsReachTheGang) {
  AddCore("", "Pending", false);
  Compute({.unschedulable_reason = "OverLimit", .unschedulable_message = "m"});
  EXPECT_EQ(Condition("Scheduled"), "False OverLimit");
  Compute({.unhealthy_reason = "StaleGang"});
  EXPECT_EQ(Condition("Unhealthy"), "True StaleGang");
  Compute({.disruption_reason = "PreemptionByScheduler"});
  EXPECT_EQ(Condition("DisruptionTarget"), "True PreemptionByScheduler");
  Compute();
  EXPECT_EQ(Condition("DisruptionTarget"), "False NotDisrupted");
  EXPECT_EQ(Condition("Unhealthy"), "False PodGangHealthy");
}

TEST_F(StatusTimeline, ReasonsOfSeveralWordsBecomeOne) {
  for (const auto& [said, written] :
       {std::pair("Not enough resources for the workload", "NotEnoughResourcesForTheWorkload"),
        {"OverLimit", "OverLimit"},
        {"3 racks are full (of 4)", "RacksAreFullOf4"},
        {"snake_case_2", "snake_case_2"},
        {"…", "Unspecified"}}) {
    Compute({.unschedulable_reason = said});
    EXPECT_EQ(Condition("Scheduled"), fmt::format("False {}", written)) << said;
  }
}

TEST_F(StatusTimeline, OnlyCorePodsMakeADisruption) {
  AddCore("n1", "Running", true);
  AddPod("llm-0-fe", 2, "n1", "Running", true);
  const Value target = Yaml("[{type: DisruptionTarget, status: 'True'}]");
  pods_.back().Mutable("status").Set("conditions", target);
  Compute();
  EXPECT_EQ(Condition("DisruptionTarget"), "");
  pods_[0].Mutable("status").Set("conditions", target);
  Compute();
  EXPECT_EQ(Condition("DisruptionTarget"), "True PodDisruptionTarget");
}

TEST_F(StatusTimeline, APodBeyondTheMinimumStandsInForAnEarlierOne) {
  input_.gang.pod_groups.resize(1);  // llm-0-fe, with a minimum of two.
  AddPod("llm-0-fe", 0, "", "Pending", false);
  AddPod("llm-0-fe", 1, "", "Pending", false);
  AddPod("llm-0-fe", 2, "n1", "Pending", false);
  Compute();
  EXPECT_EQ(status_["phase"].AsString(), "Starting");
  AddPod("llm-0-fe", 3, "n1", "Running", true);
  pods_[2] = pods_[3];
  pods_[2].Mutable("metadata").Mutable("labels").Set("grove.io/podclique-pod-index", "2");
  Compute();
  EXPECT_EQ(Condition("Scheduled"), "True PodGangScheduled");
  EXPECT_EQ(Condition("Ready"), "True PodGangReady");
  EXPECT_EQ(status_["phase"].AsString(), "Running");
  pods_[3].Mutable("status").Set("conditions", Yaml("[{type: DisruptionTarget, status: 'True'}]"));
  Compute();
  EXPECT_EQ(Condition("DisruptionTarget"), "True PodDisruptionTarget");
}

TEST_F(StatusTimeline, ReleasedMinimumKeepsCounting) {
  for (PodGroupInfo& group : input_.gang.pod_groups) group.min_replicas = 0;
  AddPod("llm-0-fe", 0, "n1", "Running", true);
  Compute();
  EXPECT_EQ(Condition("Scheduled"), "False WaitingForScheduler");
}

TEST_F(StatusTimeline, ProblemsAndDegradations) {
  Compute({}, Refusal{"QueueUnresolved", "metadata.labels", "no queue"},
          {{Outcome::Kind::kApproximated, "p", "v", "PodAffinity"}});
  EXPECT_EQ(Condition("BackendSynced"), "False QueueUnresolved");
  EXPECT_EQ(Condition("TranslationDegraded"), "True Approximated");
  const Value bad = status_;
  EXPECT_EQ(BadTransitions(Value(), bad).size(), 2u);
  EXPECT_TRUE(BadTransitions(bad, bad).empty());
  Compute({}, {}, {{Outcome::Kind::kDropped, "p", "v", "gone"}});
  EXPECT_EQ(Condition("BackendSynced"), "True Synced");
  EXPECT_EQ(Condition("TranslationDegraded"), "True Dropped");
  EXPECT_EQ(BadTransitions(bad, status_).size(), 1u);
  Compute();
  EXPECT_EQ(Condition("TranslationDegraded"), "False Exact");
}

TEST_F(StatusTimeline, GoodNewsWaitUntilTheGangIsInitialized) {
  status_ = Yaml("{phase: Pending, conditions: [{type: Initialized, status: 'False'}]}");
  const Value before = status_;
  Compute();
  EXPECT_EQ(status_, before);
}

TEST_F(StatusTimeline, ThatAllPodsAreThereIsToldWithTheRest) {
  status_ = Yaml("{phase: Pending}");
  status_ = ComputeStatus(
      {.gang = input_, .old_status = status_, .pods = pods_, .now = kNow, .has_pods = true});
  EXPECT_EQ(Condition("Initialized"), "True PodGangPodsCreated");
  EXPECT_EQ(Condition("BackendSynced"), "True Synced");
  EXPECT_EQ(Condition("Scheduled"), "False WaitingForScheduler");
  const Value told = status_;
  Compute();  // Stays the same, whatever happens to its pods.
  EXPECT_EQ(status_, told);
}

// Placement scores computed manually. Scopes: the gang wants the rack (index 1 of 3), weight 6; the
// workers want the host (index 2), weight 4.
double Score(const GangInput& input, const std::vector<std::string>& nodes) {
  std::vector<Value> pods;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const std::string group = i < 2 ? "llm-0-fe" : "llm-0-pf-0-wk";
    pods.push_back(Yaml("{metadata: {labels: {grove.io/podclique: " + group +
                        "}}, spec: {nodeName: " + nodes[i] + "}}"));
  }
  return PlacementScore(input, pods).value_or(-1);
}

TEST_F(StatusTimeline, PlacementScores) {
  // Perfect: one rack, workers on one host.
  EXPECT_DOUBLE_EQ(Score(input_, {"n1", "n1", "n2", "n2", "n2", "n2"}), 1.0);
  // Workers on two hosts of the rack: (2 + 1/2) / 3 for them; (6 + 4 * 0.8333) / 10.
  EXPECT_DOUBLE_EQ(Score(input_, {"n1", "n1", "n1", "n1", "n2", "n2"}), 0.933);
  // Three to one.
  EXPECT_DOUBLE_EQ(Score(input_, {"n1", "n1", "n1", "n2", "n2", "n2"}), 0.967);
  // Frontends in another rack: gang (1 + 4/6) / 2 = 0.8333; workers perfect.
  EXPECT_DOUBLE_EQ(Score(input_, {"n3", "n3", "n2", "n2", "n2", "n2"}), 0.9);
  // Workers across racks: gang (1 + 4/6) / 2, workers (1 + 2/4) / 3 = 0.5.
  EXPECT_DOUBLE_EQ(Score(input_, {"n1", "n1", "n1", "n1", "n3", "n3"}), 0.7);
  // Half and half: gang (1 + 3/6) / 2 = 0.75; workers (1 + 3/4) / 3 = 0.5833.
  EXPECT_DOUBLE_EQ(Score(input_, {"n1", "n1", "n1", "n3", "n3", "n3"}), 0.683);
}

TEST_F(StatusTimeline, NoScoreWithoutWishes) {
  input_.gang.topology = {};
  for (PodGroupInfo& group : input_.gang.pod_groups) group.topology = {};
  EXPECT_EQ(Score(input_, {"n1"}), -1);
}

}  // namespace
}  // namespace coppice::backends
