#include "backends/scheduler_plugins/scheduler_plugins.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/gangs/translate.h"
#include "backends/tests/world_testing.h"
#include "kube/object.h"

namespace coppice::backends::scheduler_plugins {
namespace {

using json::Value;

const std::string kScheduler(kSchedulerName);

GangInput Input(const Value& gang) {
  Capabilities capabilities;
  capabilities.Serve(kPodGroups);
  return ExampleInput(gang, kScheduler, capabilities,
                      Yaml("{scheduleTimeoutSeconds: 120, topology: {requiredGang: PodAffinity}}"));
}

TEST(SchedulerPluginsTranslation, WorkedExample) {
  const SchedulerPluginsBackend backend;
  EXPECT_THAT(WithoutTracking(TranslateGang(backend, Input(ExampleGang(kScheduler)))),
              testing::ElementsAre(Yaml(R"(
apiVersion: scheduling.x-k8s.io/v1alpha1
kind: PodGroup
metadata: {name: llm-0, namespace: ai}
spec: {minMember: 6, scheduleTimeoutSeconds: 120, minResources: {cpu: "36", memory: 264Gi, nvidia.com/gpu: "32"}}
)")));
  EXPECT_THAT(WithoutTracking(TranslateGang(backend, Input(ExampleScaledGang(kScheduler)))),
              testing::ElementsAre(Yaml(R"(
apiVersion: scheduling.x-k8s.io/v1alpha1
kind: PodGroup
metadata: {name: llm-0-pf-0, namespace: ai}
spec: {minMember: 4, scheduleTimeoutSeconds: 120, minResources: {cpu: "32", memory: 256Gi, nvidia.com/gpu: "32"}}
)")));
}

TEST(SchedulerPluginsPods, CorePodsCarryTheLabelAndTheAffinity) {
  const SchedulerPluginsBackend backend;
  const GangInput input = Input(ExampleGang(kScheduler));
  Value core = Yaml("{spec: {}}"), surplus = core;
  ASSERT_TRUE(PrepareGangPod(backend, input, {"llm-0-fe", 1}, core));
  ASSERT_TRUE(PrepareGangPod(backend, input, {"llm-0-fe", 2}, surplus));
  EXPECT_EQ(kube::Label(core, kPodGroupLabel), "llm-0");
  EXPECT_EQ(kube::Label(surplus, kPodGroupLabel), "");
  EXPECT_TRUE(core["spec"]["affinity"].Has("podAffinity"));
  EXPECT_TRUE(backend.Release(input).hold_surplus);
}

TEST(SchedulerPluginsTranslation, NotServedIsUnavailable) {
  const SchedulerPluginsBackend backend;
  EXPECT_EQ(TranslateGang(backend, ExampleInput(ExampleGang(kScheduler), kScheduler, {}))
                .refusal.value()
                .reason,
            reasons::kBackendUnavailable);
}

TEST(SchedulerPluginsSignals, Phases) {
  const SchedulerPluginsBackend backend;
  const auto read = [&](const std::string& phase) {
    const std::vector<Value> objects = {Yaml("{status: {phase: " + phase + "}}")};
    return backend.ReadSignals(Input(ExampleGang(kScheduler)), objects, {});
  };
  EXPECT_EQ(read("Scheduling").unschedulable_reason, "Unschedulable");
  EXPECT_EQ(read("Unknown").unschedulable_reason, "Unschedulable");
  EXPECT_EQ(read("Failed").unhealthy_reason, "PodGroupFailed");
  EXPECT_EQ(read("Running").unschedulable_reason, "");
}

TEST(SchedulerPluginsSignals, AGroupThatFailedOnceIsSoundWhenItsPodsAre) {
  GangInput input = Input(ExampleGang(kScheduler));
  input.gang.pod_groups.resize(1);  // llm-0-fe, with a minimum of two.
  const std::vector<Value> objects = {Yaml("{status: {phase: Failed}}")};
  const auto pod = [](const std::string& phase) {
    return Yaml(
        "{metadata: {labels: {grove.io/podclique: llm-0-fe}}, spec: {nodeName: n1}, "
        "status: {phase: " +
        phase + "}}");
  };
  const std::vector<Value> one = {pod("Running"), pod("Failed")};
  EXPECT_EQ(SchedulerPluginsBackend().ReadSignals(input, objects, one).unhealthy_reason,
            "PodGroupFailed");
  const std::vector<Value> both = {pod("Running"), pod("Failed"), pod("Running")};
  EXPECT_EQ(SchedulerPluginsBackend().ReadSignals(input, objects, both).unhealthy_reason, "");
}

}  // namespace
}  // namespace coppice::backends::scheduler_plugins
