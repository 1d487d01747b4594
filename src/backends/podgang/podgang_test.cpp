#include "backends/podgang/podgang.h"

#include <gtest/gtest.h>

#include "backends/gangs/translate.h"
#include "backends/tests/world_testing.h"

namespace coppice::backends::podgang {
namespace {

using json::Value;

const std::string kLpxScheduler = "lpx-scheduler";

PodGangBackend Lpx() { return {"lpx", kLpxScheduler, /*topology=*/false}; }

TEST(LpxBackend, NamesItsSchedulerOnPodsAndWritesNothing) {
  GangInput input = ExampleInput(ExampleGang(kLpxScheduler), kLpxScheduler, {});
  input.gang.topology = {};
  for (PodGroupInfo& group : input.gang.pod_groups) group.topology = {};
  input.gang.group_configs.clear();
  const Translation translation = TranslateGang(Lpx(), input);
  EXPECT_FALSE(translation.refusal);
  EXPECT_TRUE(translation.objects.empty());
  Value pod = Yaml("{apiVersion: v1, kind: Pod, spec: {containers: [{name: main, image: w}]}}");
  ASSERT_TRUE(PrepareGangPod(Lpx(), input, {input.gang.pod_groups.front().name, 0}, pod));
  EXPECT_EQ(pod["spec"]["schedulerName"].AsString(), kLpxScheduler);
}

TEST(LpxBackend, RefusesRequiredTopology) {
  const Translation translation =
      TranslateGang(Lpx(), ExampleInput(ExampleGang(kLpxScheduler), kLpxScheduler, {}));
  ASSERT_TRUE(translation.refusal);
  EXPECT_NE(translation.refusal->path.find("topologyConstraint"), std::string::npos)
      << translation.refusal->path << ": " << translation.refusal->message;
}

TEST(LpxBackend, RefusesEveryConstraintAsUpstreamDoes) {
  GangInput input = ExampleInput(ExampleGang(kLpxScheduler), kLpxScheduler, {});
  input.policy = &CompatibilityPolicy::Grove();
  input.set = Yaml("{spec: {template: {cliques: [{name: w, spec: {}}]}}}");
  EXPECT_TRUE(Lpx().ValidateSet(input).empty());
  input.set = Yaml(
      "{spec: {template: {cliques: [{name: w, topologyConstraint: {pack: {preferred: rack}}, spec: "
      "{}}]}}}");
  EXPECT_EQ(Lpx().ValidateSet(input).size(), 1u);
}

}  // namespace
}  // namespace coppice::backends::podgang
