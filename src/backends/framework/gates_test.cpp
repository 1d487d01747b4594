#include "backends/framework/gates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/gates.h"
#include "backends/tests/world_testing.h"

namespace coppice::backends {
namespace {

using json::Value;
using testing::HasSubstr;

Value Pod(const std::string& gates = "[{name: foreign}, {name: grove.io/podgang}]") {
  return Yaml(
      "{metadata: {name: fe-a, namespace: ai, labels: {grove.io/podgang: llm-0, "
      "grove.io/podclique: llm-0-fe}}, spec: {schedulingGates: " +
      gates + "}}");
}

Value Gang(const std::string& conditions) {
  Value gang = ExampleGang("kai-scheduler");
  gang.Mutable("metadata").Set("generation", 3);
  gang.Set("status", Yaml("{conditions: " + conditions + "}"));
  return gang;
}

const char kSynced[] = "{type: BackendSynced, status: 'True', observedGeneration: 3}";
const char kInitialized[] = "{type: Initialized, status: 'True'}";
const char kScheduled[] = "{type: Scheduled, status: 'True'}";

std::string Conditions(std::initializer_list<const char*> items) {
  std::string text;
  for (const char* item : items) text += (text.empty() ? "" : ", ") + std::string(item);
  return "[" + text + "]";
}

ReleaseInput Ready() {
  return {
      .pod = Pod(), .gang = Gang(Conditions({kInitialized, kSynced})), .gate = "grove.io/podgang"};
}

TEST(Release, OrderOfConditions) {
  ReleaseInput input = Ready();
  EXPECT_TRUE(DecideRelease(input).release);
  input.gang = Value();
  EXPECT_THAT(DecideRelease(input).reason, HasSubstr("does not exist"));
  input.gang = Gang("[]");
  EXPECT_THAT(DecideRelease(input).reason, HasSubstr("not initialized"));
  input.gang = Gang(Conditions({kInitialized}));
  EXPECT_THAT(DecideRelease(input).reason, HasSubstr("not synced"));
  input.gang = Gang(
      Conditions({kInitialized, "{type: BackendSynced, status: 'True', observedGeneration: 2}"}));
  EXPECT_THAT(DecideRelease(input).reason, HasSubstr("not synced"));
  input.gang = Gang(
      Conditions({kInitialized, "{type: BackendSynced, status: 'False', reason: UpdateBlocked}"}));
  EXPECT_TRUE(DecideRelease(input).release);
  input.gang = Gang(
      Conditions({kInitialized, "{type: BackendSynced, status: 'False', reason: FieldDropped}"}));
  EXPECT_FALSE(DecideRelease(input).release);
}

TEST(Release, ScaledGangsWaitForTheirBase) {
  ReleaseInput input = Ready();
  input.base_gang = Gang(Conditions({kInitialized}));
  EXPECT_THAT(DecideRelease(input).reason, HasSubstr("base gang llm-0 is not scheduled"));
  input.base_gang = Value();
  EXPECT_FALSE(DecideRelease(input).release);
  input.base_gang = Gang(Conditions({kScheduled}));
  input.base_gang_scheduled = true;
  EXPECT_TRUE(DecideRelease(input).release);
}

TEST(Release, SurplusPodsWaitAndFollow) {
  ReleaseInput input = Ready();
  input.surplus = true;
  input.pin = Yaml("{topology.kubernetes.io/rack: r1}");
  EXPECT_THAT(DecideRelease(input).reason, HasSubstr("surplus"));
  input.gang_scheduled = true;
  const ReleaseDecision decision = DecideRelease(input);
  ASSERT_TRUE(decision.release);
  EXPECT_EQ(decision.patch.At(0),
            Yaml("{op: add, path: /spec/nodeSelector, value: {topology.kubernetes.io/rack: r1}}"));
  input.pod.Mutable("spec").Set("nodeSelector", Yaml("{a: b}"));
  EXPECT_EQ(DecideRelease(input).patch.At(0),
            Yaml("{op: add, path: /spec/nodeSelector/topology.kubernetes.io~1rack, value: r1}"));
}

TEST(Release, AnAdmissionLayerHolds) {
  ReleaseInput input = Ready();
  input.held_by = "Kueue has not admitted the gang";
  EXPECT_EQ(DecideRelease(input).reason, "Kueue has not admitted the gang");
}

TEST(Release, UnreferencedPodsWait) {
  ReleaseInput input = Ready();
  input.pod.Mutable("metadata").Set("name", "stranger");
  EXPECT_FALSE(DecideRelease(input).release);
}

TEST(Release, CompatibilityUsesUpstreamsRule) {
  ReleaseInput input = Ready();
  input.policy = &CompatibilityPolicy::Grove();
  input.gang = Gang("[]");
  input.gate = std::string(api::gates::kGrovePodGang);
  EXPECT_TRUE(DecideRelease(input).release);
  input.base_gang = Gang("[]");
  EXPECT_FALSE(DecideRelease(input).release);
  input.base_gang_scheduled = true;
  EXPECT_TRUE(DecideRelease(input).release);
}

TEST(GateRemoval, OnlyOurGatesByNameWithATest) {
  EXPECT_EQ(GateRemovalPatch(Pod(), "grove.io/podgang"), Yaml(R"(
- {op: test, path: /spec/schedulingGates/1/name, value: grove.io/podgang}
- {op: remove, path: /spec/schedulingGates/1}
)"));
  EXPECT_TRUE(
      GateRemovalPatch(Pod("[{name: kueue.x-k8s.io/admission}]"), "grove.io/podgang").IsNull());
  const Value both = GateRemovalPatch(
      Pod("[{name: grove.io/podgang-pending-creation}, {name: x}, {name: grove.io/podgang}]"),
      "grove.io/podgang");
  EXPECT_EQ(both.size(), 4u);
  EXPECT_EQ(both.At(0)["path"].AsString(), "/spec/schedulingGates/2/name");
  EXPECT_EQ(both.At(2)["path"].AsString(), "/spec/schedulingGates/0/name");
}

}  // namespace
}  // namespace coppice::backends
