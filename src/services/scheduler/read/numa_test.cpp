#include "services/scheduler/read/numa.h"

#include <gtest/gtest.h>

#include "services/test_cluster_testing.h"

namespace coppice::services::scheduler {
namespace {

TEST(NumaTest, ReadsZonesInOrder) {
  const engine::NumaTopology topology = ReadNumaTopology(Doc(R"(
attributes:
- {name: topologyManagerPolicy, value: restricted}
- {name: topologyManagerScope, value: pod}
zones:
- {name: node-10, type: Node}
- name: node-2
  type: Node
  resources:
  - {name: cpu, allocatable: "4", available: 1500m}
  - {name: nvidia.com/gpu, allocatable: "2", available: "1"}
- {name: other, type: Node}
- {name: core-1, type: Core}
)"));
  EXPECT_EQ(topology.policy, engine::NumaPolicy::kRestricted);
  EXPECT_EQ(topology.scope, engine::NumaScope::kPod);
  ASSERT_EQ(topology.zones.size(), 3);
  EXPECT_EQ(topology.zones[0].name, "node-2");
  EXPECT_EQ(topology.zones[1].name, "node-10");
  EXPECT_EQ(topology.zones[0].allocatable.at("cpu"), 4000);
  EXPECT_EQ(topology.zones[0].available.at("cpu"), 1500);
  EXPECT_EQ(topology.zones[0].available.at("nvidia.com/gpu"), 1);
}

TEST(NumaTest, ReadsThePolicyOfOlderAgents) {
  const engine::NumaTopology pod =
      ReadNumaTopology(Doc("topologyPolicies: [SingleNUMANodePodLevel]"));
  EXPECT_EQ(pod.policy, engine::NumaPolicy::kSingleNode);
  EXPECT_EQ(pod.scope, engine::NumaScope::kPod);
  EXPECT_EQ(ReadNumaTopology(Doc("topologyPolicies: [BestEffort]")).policy,
            engine::NumaPolicy::kBestEffort);
  EXPECT_EQ(ReadNumaTopology(Doc("{}")).policy, engine::NumaPolicy::kNone);
}

}  // namespace
}  // namespace coppice::services::scheduler
