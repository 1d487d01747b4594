#include "services/admission/topology.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/well_known.h"
#include "services/test_cluster_testing.h"

// Topologies on the API server: what their CRD alone refuses.
namespace coppice::services::admission {
namespace {

class TopologyRules : public ::testing::Test {
 protected:
  static json::Value Topology(std::string_view levels) {
    return Doc(
        fmt::format("{{apiVersion: kai.scheduler/v1alpha1, kind: Topology, metadata: {{name: t}}, "
                    "spec: {{levels: [{}]}}}}",
                    levels));
  }
  base::Result<json::Value> Change(std::string_view levels) {
    return cluster.client().Patch(api::kTopologies, {"", "t"}, kube::PatchType::kMerge,
                                  Doc(fmt::format("spec: {{levels: [{}]}}", levels)));
  }

  TestCluster cluster;
};

TEST_F(TopologyRules, LevelsKeepTheirOrderAndAliasesMayChange) {
  ASSERT_TRUE(cluster.client().Create(
      api::kTopologies, Topology("{nodeLabel: block, alias: b}, {nodeLabel: rack, alias: r}")));
  EXPECT_TRUE(Change("{nodeLabel: block, alias: big}, {nodeLabel: rack, alias: r}"));
  EXPECT_FALSE(Change("{nodeLabel: rack}, {nodeLabel: block}"));
  EXPECT_FALSE(Change("{nodeLabel: block}"));
}

TEST_F(TopologyRules, LabelsAreUniqueAndHostsComeLast) {
  for (const char* bad : {"", "{nodeLabel: a}, {nodeLabel: a}",
                          "{nodeLabel: kubernetes.io/hostname}, {nodeLabel: rack}"}) {
    EXPECT_FALSE(cluster.client().Create(api::kTopologies, Topology(bad))) << bad;
  }
  EXPECT_TRUE(cluster.client().Create(
      api::kTopologies, Topology("{nodeLabel: rack}, {nodeLabel: kubernetes.io/hostname}")));
}

TEST_F(TopologyRules, DuplicateAndCollidingAliasesAreNamed) {
  const json::Value topology =
      Topology("{nodeLabel: z, alias: x}, {nodeLabel: y, alias: x}, {nodeLabel: w, alias: z}");
  const Verdict verdict = ValidateTopology(view::kai::Topology(topology));
  ASSERT_FALSE(verdict.status);
  EXPECT_EQ(
      verdict.status.error().message(),
      "invalid topology aliases: aliases must be unique within the topology; duplicated: [x]; "
      "an alias must not equal a nodeLabel; conflicting: [z]");
}

}  // namespace
}  // namespace coppice::services::admission
