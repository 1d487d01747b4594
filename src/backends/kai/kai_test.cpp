#include "backends/kai/kai.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/labels.h"
#include "backends/translate.h"
#include "backends/world_testing.h"
#include "json/write.h"
#include "kube/object.h"

namespace coppice::backends::kai {
namespace {

using json::Value;

Capabilities Kai017() {
  Capabilities capabilities;
  capabilities.Serve(api::kPodGroups).Serve(api::kTopologies).Serve(api::kQueues);
  for (const std::string_view field :
       {"spec.minSubGroup", "spec.preemptibility", "spec.preemptionDelay",
        "spec.stalenessGracePeriod"}) {
    capabilities.AddField(api::kPodGroups, field);
  }
  return capabilities;
}

TEST(KaiTranslation, WorkedExampleOfTheBaseGang) {
  const Translation translation = TranslateGang(
      KaiBackend(), ExampleInput(ExampleGang("kai-scheduler"), "kai-scheduler", Kai017()));
  ASSERT_FALSE(translation.refusal) << translation.refusal->message;
  EXPECT_THAT(WithoutTracking(translation), testing::ElementsAre(Yaml(R"(
apiVersion: scheduling.run.ai/v2alpha2
kind: PodGroup
metadata: {name: pg-llm-0-11111111-1111-4111-8111-111111111111, namespace: ai}
spec:
  minMember: 6
  queue: team-a
  priorityClassName: gang-high
  topologyConstraint: {topology: dc1, requiredTopologyLevel: topology.kubernetes.io/rack}
  subGroups:
  - {name: llm-0-fe, minMember: 2}
  - {name: llm-0-pf-0-wk, minMember: 4, topologyConstraint: {topology: dc1, preferredTopologyLevel: kubernetes.io/hostname}}
)")));
  EXPECT_TRUE(translation.outcomes.empty());
}

TEST(KaiEndToEnd, GangBecomesPodGroupAndStatusComesBack) {
  if (SharedFolder().empty()) GTEST_SKIP() << "../shared/crds is missing";
  World world({.projects = {"grove", "kai"},
               .config = "{scheduler: {profiles: [{name: kai-scheduler}]}}"});
  world.Create(ExampleBinding());
  const Value gang = world.CreateGang(ExampleGang("kai-scheduler"));
  world.Settle();
  const std::string name = "pg-llm-0-" + std::string(kube::Uid(gang));
  const Value group = world.Get(api::kPodGroups, "ai", name);
  EXPECT_EQ(group["spec"]["minMember"].AsInt(), 6);
  EXPECT_EQ(group["spec"]["queue"].AsString(), "default-queue");
  EXPECT_TRUE(kube::IsOwnedBy(group, kube::Uid(gang)));
  EXPECT_EQ(kube::Label(group, labels::kPodGang), "llm-0");
}

}  // namespace
}  // namespace coppice::backends::kai
