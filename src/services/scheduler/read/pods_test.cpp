#include "services/scheduler/read/pods.h"

#include <gtest/gtest.h>

#include "services/test_cluster_testing.h"

namespace coppice::services::scheduler {
namespace {

// Pods of one template have equal shapes, so that the claims of ephemeral volumes have to be named
// after the pod later.
TEST(PodReader, EphemeralVolumesAreCalledAsInTheTemplate) {
  PodReader reader;
  const auto read = [&](const std::string& name) {
    return reader.Read(Doc("{metadata: {name: " + name + R"(, namespace: ns, uid: u},
spec: {volumes: [{name: scratch, ephemeral: {volumeClaimTemplate: {}}},
                 {name: data, persistentVolumeClaim: {claimName: data}}]}})"),
                       nullptr);
  };
  const engine::PodSpec first = read("p-0");
  ASSERT_EQ(first.shape->volume_claims.size(), 2u);
  EXPECT_EQ(first.shape->volume_claims[0].claim_name, "scratch");
  EXPECT_TRUE(first.shape->volume_claims[0].ephemeral);
  EXPECT_EQ(first.shape->volume_claims[1].claim_name, "data");
  EXPECT_FALSE(first.shape->volume_claims[1].ephemeral);
  EXPECT_EQ(read("p-1").shape, first.shape);
}

TEST(PodReader, TermsSelectByLabelsThatThePodHasItself) {
  const auto expressions = [](const std::string& selector) {
    std::string text;
    const engine::PodShape shape = ReadPodShape(Doc(R"(
metadata: {labels: {tenant: blue, revision: r1}}
spec:
  affinity:
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - labelSelector: )" + selector + R"(
        matchLabelKeys: [revision, missing]
        mismatchLabelKeys: [tenant]
        topologyKey: host)"));
    for (const auto& e : shape.affinity.required_anti_pods.at(0).selector->match_expressions) {
      text += (e.op == engine::SelectorOperator::kIn ? " +" : " -") + e.key + "=" + e.values.at(0);
    }
    return text;
  };
  EXPECT_EQ(expressions("{}"), " +revision=r1 -tenant=blue");
  // The API server was there before.
  EXPECT_EQ(expressions("{matchExpressions: [{key: revision, operator: In, values: [r0]}, "
                        "{key: tenant, operator: NotIn, values: [blue]}]}"),
            " +revision=r0 -tenant=blue");
}

TEST(PodReader, APodTellsWhenItGotItsNode) {
  const auto placed = [](const std::string& status) {
    return base::FormatRfc3339(*ReadPlacedAt(
        Doc("{metadata: {creationTimestamp: '2026-01-01T00:00:01Z'}, status: " + status + "}")));
  };
  const std::string started = "startTime: '2026-01-01T00:00:02Z'";
  const auto scheduled = [](const std::string& status) {
    return "conditions: [{type: PodScheduled, status: '" + status +
           "', lastTransitionTime: '2026-01-01T00:00:03Z'}]";
  };
  EXPECT_EQ(placed("{}"), "2026-01-01T00:00:01Z");
  EXPECT_EQ(placed("{" + started + "}"), "2026-01-01T00:00:02Z");
  EXPECT_EQ(placed("{" + started + ", " + scheduled("False") + "}"), "2026-01-01T00:00:02Z");
  EXPECT_EQ(placed("{" + started + ", " + scheduled("True") + "}"), "2026-01-01T00:00:03Z");
}

TEST(PodReader, ObservedZonesComeBeforeRequestedOnesAndThoseBeforePredictions) {
  const auto zone = [](const std::string& observed, bool requested) {
    engine::BindRequestSpec request;
    request.numa_placement = {{"requested", {}}};
    json::Value pod = Doc("{metadata: {name: p, uid: u, annotations: {}}}");
    json::Value& annotations = pod.Mutable("metadata").Mutable("annotations");
    annotations.Set("kai.scheduler/numa-placement-predicted", R"([{"zone":"predicted"}])");
    annotations.Set("kai.scheduler/numa-placement-observed", observed);
    return PodReader().Read(pod, requested ? &request : nullptr).numa_placement.at(0).zone;
  };
  EXPECT_EQ(zone(R"([{"zone":"observed"}])", true), "observed");
  for (const char* useless : {"", "[]", "no list"}) {
    EXPECT_EQ(zone(useless, true), "requested");
    EXPECT_EQ(zone(useless, false), "predicted");
  }
}

}  // namespace
}  // namespace coppice::services::scheduler
