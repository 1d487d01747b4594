#include "backends/kueue/surplus.h"

#include <gtest/gtest.h>

#include "backends/tests/world_testing.h"
#include "kube/object.h"

namespace coppice::backends::kueue {
namespace {

using json::Value;

Value Flavor(const std::string& name) {
  return Yaml("{apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: " +
              name + "}, spec: {nodeLabels: {pool: " + name + "}}}");
}

Value Admitted(const std::string& name, const std::string& flavor) {
  return Yaml(
      "{apiVersion: kueue.x-k8s.io/v1beta2, kind: Workload, metadata: {namespace: ai, name: " +
      name +
      "}, spec: {podSets: [{name: llm-0-fe, count: 1}]}, status: {conditions: [{type: "
      "Admitted, status: 'True'}], admission: {podSetAssignments: [{name: llm-0-fe, flavors: "
      "{cpu: " +
      flavor + "}}]}}}");
}

Value Pod(const std::string& name, int index, const std::string& spec) {
  return Yaml("{apiVersion: v1, kind: Pod, metadata: {namespace: ai, name: " + name +
              ", labels: {grove.io/podgang: llm-0, grove.io/podclique: llm-0-fe, "
              "grove.io/podclique-pod-index: '" +
              std::to_string(index) + "'}}, spec: {" + spec + "}}");
}

bool Waits(const Value& pod) { return pod["spec"].Has("schedulingGates"); }

GangInput InputWith(const std::vector<Value>& objects) {
  Capabilities capabilities;
  capabilities.Serve(Workloads("v1beta2"));
  GangInput input = ExampleInput(ExampleGang("x"), "x", capabilities);
  input.cluster = std::make_shared<FixedView>(objects);
  return input;
}

TEST(KueueSurplus, ANewPodTakesTheFlavorThatNobodyUses) {
  const GangInput input =
      InputWith({Flavor("spot"), Flavor("reserved"), Admitted("podgang-llm-0-surplus", "spot"),
                 Admitted("podgang-llm-0-surplus-2", "reserved")});
  const std::vector<Value> pods = {Pod("new", 2, "schedulingGates: [{name: g}]"),
                                   Pod("old", 3, "nodeSelector: {pool: reserved}")};
  const std::vector<Seat> seats = SeatSurplus(input, pods, Waits);
  ASSERT_EQ(seats.size(), 2u);
  EXPECT_EQ(kube::Name(seats[0].pod), "old");
  EXPECT_EQ(kube::Name(seats[0].workload.value()), "podgang-llm-0-surplus-2");
  EXPECT_EQ(kube::Name(seats[1].workload.value()), "podgang-llm-0-surplus");
}

TEST(KueueSurplus, OneThatSomebodyDeletedIsMadeAgainBesideTheRest) {
  GangInput input = InputWith({Admitted("podgang-llm-0-surplus-2", "spot")});
  input.gang.pod_groups[0].replicas = 4;  // Two more than the minimum.
  const std::vector<SurplusWorkload> plan = PlanSurplus(input);
  ASSERT_EQ(plan.size(), 2u);
  EXPECT_EQ(plan[0].name, "podgang-llm-0-surplus-2");
  EXPECT_FALSE(plan[0].open);
  EXPECT_EQ(plan[1].name, "podgang-llm-0-surplus");
  EXPECT_EQ(plan[1].counts, (Counts{{"llm-0-fe", 1}}));
}

}  // namespace
}  // namespace coppice::backends::kueue
