// What schedulers write into their own objects is reflected on the PodGang, on a server with their
// real CRDs.
#include <gtest/gtest.h>

#include "backends/tests/example_testing.h"
#include "backends/workload/api_choice.h"
#include "kube/object.h"

namespace coppice::backends {
namespace {

using json::Value;

struct Signal {
  std::string name;
  std::string scheduler;
  std::vector<std::string> projects;
  api::Resource kind;
  std::string change;     // What the scheduler writes: a merge patch of the object.
  std::string condition;  // The PodGang's condition, and
  std::string expected;   // its status and reason.
  std::string kubernetes = "1.35";
};

std::vector<Signal> EverySignal() {
  const api::Resource koordinator{"scheduling.sigs.k8s.io", "v1alpha1", "podgroups", "PodGroup",
                                  true};
  const api::Resource volcano{"scheduling.volcano.sh", "v1beta1", "podgroups", "PodGroup", true};
  const api::Resource plugins{"scheduling.x-k8s.io", "v1alpha1", "podgroups", "PodGroup", true};
  const api::Resource kube136 = workload::PodGroups("v1alpha2");
  const std::string at = ", message: m, lastTransitionTime: '2026-01-01T00:00:00Z'";
  const auto kai_refusal = [](const std::string& reason) {
    return "{status: {schedulingConditions: [{type: UnschedulableOnNodePool, status: 'True', "
           "nodePool: default, transitionID: '1', lastTransitionTime: '2026-01-01T00:00:00Z', "
           "reasons: [{reason: " +
           reason + ", message: m}]}]}}";
  };
  return {
      {"kaiOverLimit",
       "kai-scheduler",
       {"kai"},
       api::kPodGroups,
       kai_refusal("OverLimit"),
       "Scheduled",
       "False OverLimit"},
      {"kaiNoQueue",
       "kai-scheduler",
       {"kai"},
       api::kPodGroups,
       kai_refusal("QueueDoesNotExist"),
       "Scheduled",
       "False QueueDoesNotExist"},
      {"kaiNoDomainHoldsIt",
       "kai-scheduler",
       {"kai"},
       api::kPodGroups,
       kai_refusal("Not enough resources for the workload"),
       "Scheduled",
       "False NotEnoughResourcesForTheWorkload"},
      {"kaiStale",
       "kai-scheduler",
       {"kai"},
       api::kPodGroups,
       "{metadata: {annotations: {kai.scheduler/stale-podgroup-timestamp: "
       "'2026-01-01T00:00:00Z'}}}",
       "Unhealthy",
       "True StaleGang"},
      {"kubernetes136Unschedulable",
       "default-scheduler",
       {},
       kube136,
       "{status: {conditions: [{type: PodGroupScheduled, status: 'False', reason: "
       "Unschedulable" +
           at + "}]}}",
       "Scheduled",
       "False Unschedulable",
       "1.36"},
      {"kubernetes136Error",
       "default-scheduler",
       {},
       kube136,
       "{status: {conditions: [{type: PodGroupScheduled, status: 'False', reason: "
       "SchedulerError" +
           at + "}]}}",
       "Scheduled",
       "False SchedulerError",
       "1.36"},
      {"kubernetes136Preempted",
       "default-scheduler",
       {},
       kube136,
       "{status: {conditions: [{type: DisruptionTarget, status: 'True', reason: "
       "PreemptionByScheduler" +
           at + "}]}}",
       "DisruptionTarget",
       "True PreemptionByScheduler",
       "1.36"},
      {"koordinatorScheduling",
       "koord-scheduler",
       {"koordinator"},
       koordinator,
       "{status: {phase: Scheduling, scheduled: 1}}",
       "Scheduled",
       "False Unschedulable"},
      {"koordinatorFailed",
       "koord-scheduler",
       {"koordinator"},
       koordinator,
       "{status: {phase: Failed}}",
       "Unhealthy",
       "True PodGroupFailed"},
      {"volcanoNoResources",
       "volcano",
       {"volcano"},
       volcano,
       "{status: {phase: Pending, conditions: [{type: Unschedulable, status: 'True', "
       "transitionID: a, reason: NotEnoughResources" +
           at + "}]}}",
       "Scheduled",
       "False NotEnoughResources"},
      {"volcanoUnknown",
       "volcano",
       {"volcano"},
       volcano,
       "{status: {phase: Unknown}}",
       "Unhealthy",
       "True PartiallyScheduled"},
      {"pluginsScheduling",
       "scheduler-plugins-scheduler",
       {"scheduler-plugins"},
       plugins,
       "{status: {phase: Scheduling}}",
       "Scheduled",
       "False Unschedulable"},
  };
}

class StatusFeedback : public testing::TestWithParam<Signal> {};

TEST_P(StatusFeedback, ReachesThePodGang) {
  const Signal& signal = GetParam();
  std::vector<std::string> projects = {"grove"};
  projects.insert(projects.end(), signal.projects.begin(), signal.projects.end());
  World world({.kubernetes_version = signal.kubernetes,
               .projects = projects,
               .config = "{scheduler: {profiles: [{name: " + signal.scheduler +
                         ", config: {topology: {requiredGang: PodAffinity}}}]}}"});
  if (signal.scheduler == "volcano") OpenQueue(world, "team-a");
  Example example(world, signal.scheduler);
  ASSERT_TRUE(world.backends->SyncTopology(world.Get(api::kClusterTopologyBindings, "", "dc1")));
  world.RunFor(std::chrono::seconds(30));
  example.CreatePods();
  ASSERT_TRUE(example.Synced().starts_with("True")) << example.Synced();
  const Value change = Yaml(signal.change);
  const api::ObjectKey key = kube::KeyOf(world.List(signal.kind).at(0));
  // Volcano's and Koordinator's PodGroups have no status subresource.
  const bool whole = signal.scheduler == "volcano" || signal.scheduler == "koord-scheduler" ||
                     !change.Has("status");
  const auto written = world.client->Patch(signal.kind, key, kube::PatchType::kMerge, change,
                                           {.subresource = whole ? "" : "status"});
  ASSERT_TRUE(written.ok()) << written.error().ToString();
  world.RunFor(std::chrono::seconds(2));
  const Value condition = example.Condition(signal.condition);
  EXPECT_EQ(condition["status"].ToString() + " " + condition["reason"].ToString(), signal.expected);
  // It is cleared when the scheduler reverts it.
  const Value nothing =
      change.Has("status")
          ? Yaml("{status: {phase: null, conditions: null, schedulingConditions: null}}")
          : Yaml("{metadata: {annotations: {kai.scheduler/stale-podgroup-timestamp: null}}}");
  const auto cleared = world.client->Patch(signal.kind, key, kube::PatchType::kMerge, nothing,
                                           {.subresource = whole ? "" : "status"});
  ASSERT_TRUE(cleared.ok()) << cleared.error().ToString();
  world.RunFor(std::chrono::seconds(2));
  const Value after = example.Condition(signal.condition);
  EXPECT_EQ(after["status"].AsString(), "False");
  EXPECT_NE(after["reason"], condition["reason"]);
}

INSTANTIATE_TEST_SUITE_P(EverySignal, StatusFeedback, testing::ValuesIn(EverySignal()),
                         [](const testing::TestParamInfo<Signal>& each) {
                           return each.param.name;
                         });

}  // namespace
}  // namespace coppice::backends
