#include "backends/framework/ladder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/framework/pods.h"
#include "backends/gangs/translate.h"
#include "backends/tests/world_testing.h"

namespace coppice::backends {
namespace {

using json::Value;

const char kHost[] = "kubernetes.io/hostname";
const char kRack[] = "topology.kubernetes.io/rack";
const char kZone[] = "topology.kubernetes.io/zone";

GangInput Input(const std::string& options = "{}") {
  return ExampleInput(ExampleGang("x"), "x", Capabilities(), Yaml(options));
}

TopologySupport Nothing() {
  return {.expressiveness = [](const Scope&, bool) { return Expressiveness::kNone; }};
}

TEST(Ladder, DefaultsRejectRequiredAndApproximatePreferred) {
  const TopologyPlan plan = PlanTopology(Input(), Nothing());
  ASSERT_TRUE(plan.refusal);
  EXPECT_EQ(plan.refusal->reason, reasons::kCapabilityMissing);
  EXPECT_EQ(plan.refusal->path, "spec.topologyConstraint.packConstraint.required");
  EXPECT_THAT(plan.refusal->message,
              testing::HasSubstr("config.topology.requiredGang: PodAffinity"));
  ASSERT_EQ(plan.affinity.size(), 1u);
  EXPECT_FALSE(plan.affinity[0].required);
}

TEST(Ladder, EveryRungIsReachable) {
  GangInput input = Input("{topology: {requiredGang: PodAffinity}}");
  EXPECT_EQ(PlanTopology(input, Nothing()).outcomes.at(0).outcome, "PodAffinity, GreedyTopology");
  input = Input("{topology: {requiredGang: PodAffinity, preferred: Drop}}");
  EXPECT_EQ(PlanTopology(input, Nothing()).outcomes.at(1).kind, Outcome::Kind::kDropped);
  input = Input("{topology: {requiredGang: PodAffinity, preferred: Reject}}");
  EXPECT_TRUE(PlanTopology(input, Nothing()).refusal);
  input = Input("{topology: {requiredGang: PodAffinity, requiredGroup: Drop}}");
  input.gang.pod_groups[0].topology = {kHost, ""};
  EXPECT_EQ(PlanTopology(input, Nothing()).outcomes.at(1).outcome, "not expressible");
  const TopologyPlan implied =
      PlanTopology(Input(), {.expressiveness = [](const Scope&, bool required) {
                     return required ? Expressiveness::kNative : Expressiveness::kImplied;
                   }});
  EXPECT_FALSE(implied.refusal);
  EXPECT_EQ(implied.outcomes.at(0).outcome, "Implied");
  EXPECT_EQ(implied.Native(ScopeKind::kGang, "llm-0").required, kRack);
}

TEST(Ladder, RedundantWishesAreLeftOut) {
  GangInput input = Input();
  input.gang.pod_groups[0].topology = {kZone, ""};     // Broader than the gang's rack.
  input.gang.pod_groups[1].topology = {kRack, kZone};  // The same; preferred broader.
  std::vector<Outcome> dropped;
  const std::vector<Scope> scopes = ConstrainedScopes(input, &dropped);
  ASSERT_EQ(scopes.size(), 1u);
  EXPECT_EQ(scopes[0].kind, ScopeKind::kGang);
  ASSERT_EQ(dropped.size(), 1u);
  EXPECT_TRUE(dropped[0].quiet);
  EXPECT_EQ(dropped[0].path, "spec.podgroups[1].topologyConstraint.packConstraint.preferred");
}

TEST(Ladder, KeysThatNoNodeHasAreUnresolved) {
  GangInput input = Input();
  input.cluster = std::make_shared<FixedView>(std::vector<Value>{
      Yaml("{apiVersion: v1, kind: Node, metadata: {name: n, labels: {x: y}}}")});
  const TopologyPlan plan = PlanTopology(
      input, {.expressiveness = [](const Scope&, bool) { return Expressiveness::kNative; }});
  EXPECT_EQ(plan.refusal.value().reason, reasons::kTopologyUnresolved);
}

TEST(PodAffinity, TermsWeightsAndSelectors) {
  GangInput input = Input("{topology: {requiredGang: PodAffinity, requiredGroup: PodAffinity}}");
  input.gang.topology = {kZone, kRack};
  input.gang.group_configs = {{"llm-0-pf-0", {"llm-0-pf-0-wk"}, {"", kRack}}};
  input.gang.pod_groups[1].topology = {"", kHost};
  Value spec = Value::Object();
  AddPodAffinity(input.gang, PlanTopology(input, Nothing()), "llm-0-pf-0-wk", spec);
  EXPECT_EQ(spec["affinity"]["podAffinity"], Yaml(R"(
requiredDuringSchedulingIgnoredDuringExecution:
- {topologyKey: topology.kubernetes.io/zone, labelSelector: {matchLabels: {grove.io/podgang: llm-0}}}
preferredDuringSchedulingIgnoredDuringExecution:
- weight: 50
  podAffinityTerm: {topologyKey: topology.kubernetes.io/rack, labelSelector: {matchLabels: {grove.io/podgang: llm-0}}}
- weight: 75
  podAffinityTerm: {topologyKey: topology.kubernetes.io/rack, labelSelector: {matchLabels: {grove.io/podcliquescalinggroup: llm-0-pf, grove.io/podcliquescalinggroup-replica-index: "0"}}}
- weight: 100
  podAffinityTerm: {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {grove.io/podclique: llm-0-pf-0-wk}}}
)"));
  Value other = Value::Object();
  AddPodAffinity(input.gang, PlanTopology(input, Nothing()), "llm-0-fe", other);
  EXPECT_EQ(
      other["affinity"]["podAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"].size(),
      1u);
}

TEST(FormerNodes, ArePreferredByPodsOfTheSameRole) {
  GangInput input = Input();
  input.gang.reuse_reservation = NamespacedName{"ai", "old-0"};
  input.cluster = std::make_shared<FixedView>(YamlDocuments(R"(
apiVersion: v1
kind: Pod
metadata: {name: a, namespace: ai, labels: {grove.io/podgang: old-0, grove.io/podclique: old-0-fe}}
spec: {nodeName: n3}
---
apiVersion: v1
kind: Pod
metadata: {name: b, namespace: ai, labels: {grove.io/podgang: old-0, grove.io/podclique: old-0-other}}
spec: {nodeName: n4}
)"));
  Value spec = Value::Object();
  PreferFormerNodes(input, input.gang.pod_groups[0], spec);
  EXPECT_EQ(spec["affinity"]["nodeAffinity"], Yaml(R"(
preferredDuringSchedulingIgnoredDuringExecution:
- weight: 30
  preference: {matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [n3]}]}
)"));
  input.profile.options = Yaml("{reuseReservation: false}");
  Value ignored = Value::Object();
  PreferFormerNodes(input, input.gang.pod_groups[0], ignored);
  EXPECT_TRUE(ignored.empty());
  input.profile.options = Value();
  for (const NamespacedName& ref : {NamespacedName{"ai", "gone"}, NamespacedName{"b", "old-0"}}) {
    input.gang.reuse_reservation = ref;
    Value untouched = Value::Object();
    PreferFormerNodes(input, input.gang.pod_groups[0], untouched);
    EXPECT_TRUE(untouched.empty());
  }
}

TEST(FormerNodes, OfTheGangItselfAreThoseOfItsPodsOnTheirWayOut) {
  GangInput input = Input();
  input.gang.reuse_reservation = NamespacedName{"ai", "llm-0"};
  input.cluster = std::make_shared<FixedView>(YamlDocuments(R"(
apiVersion: v1
kind: Pod
metadata: {name: a, namespace: ai, deletionTimestamp: "2026-01-01T00:00:00Z", labels: {grove.io/podgang: llm-0, grove.io/podclique: llm-0-fe}}
spec: {nodeName: n3}
---
apiVersion: v1
kind: Pod
metadata: {name: b, namespace: ai, labels: {grove.io/podgang: llm-0, grove.io/podclique: llm-0-fe}}
spec: {nodeName: n4}
)"));
  Value spec = Value::Object();
  PreferFormerNodes(input, input.gang.pod_groups[0], spec);
  const Value& terms =
      spec["affinity"]["nodeAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"];
  EXPECT_EQ(terms.At(0)["preference"]["matchExpressions"].At(0)["values"], Yaml("[n3]"));
}

TEST(FormerNodes, OfPodsThatAreGoneAreThoseOfTheirFellows) {
  GangInput input = Input();
  input.gang.reuse_reservation = NamespacedName{"ai", "llm-0"};
  input.cluster = std::make_shared<FixedView>(YamlDocuments(R"(
apiVersion: v1
kind: Pod
metadata: {name: b, namespace: ai, labels: {grove.io/podgang: llm-0, grove.io/podclique: llm-0-fe}}
spec: {nodeName: n4}
)"));
  Value spec = Value::Object();
  PreferFormerNodes(input, input.gang.pod_groups[0], spec);
  const Value& terms =
      spec["affinity"]["nodeAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"];
  EXPECT_EQ(terms.At(0)["preference"]["matchExpressions"].At(0)["values"], Yaml("[n4]"));
}

TEST(Priority, DifferentClassesAreRefused) {
  GangInput input = Input();
  input.gang.pod_groups[0].pod_spec.Set("priorityClassName", "other");
  const auto backends = BackendSet::Make(AllBackends());
  const Translation translation = TranslateGang(*(*backends)->ByName("yunikorn")->backend, input);
  EXPECT_EQ(translation.refusal.value().reason, reasons::kPriorityMismatch);
}

}  // namespace
}  // namespace coppice::backends
