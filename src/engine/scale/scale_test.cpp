#include <gtest/gtest.h>

#include "engine/tests/cluster_testing.h"
#include "engine/tests/cycle_testing.h"

// Shapes for which KAI takes minutes: their cost must grow linearly with the cluster, not
// quadratically. Measured in node charges and scenarios, which do not depend on a clock; the
// benchmarks E4, E5 and E6 measure times.

namespace coppice::engine {
namespace {

using namespace testing;  // NOLINT: of this folder

struct Work {
  double charges = 0;    // Charges of nodes, by trials and decisions alike.
  double scenarios = 0;  // Simulated scenarios.
};

// Every GPU of every node is used by a job with one GPU; `pending` adds the jobs that want them.
template <typename Pending>
Work Reclaim(int nodes, double victims_quota, Pending pending) {
  OpenedCycle cycle;
  Cluster& cluster = cycle.cluster;
  cluster.PutQueue(TopQueue("d"));
  cluster.PutQueue(ChildQueue("victims", "d", victims_quota));
  const auto one = GpuShape(1);
  for (int i = 0; i < nodes; ++i) cluster.PutNode(GpuNode("n" + std::to_string(i), 8));
  for (int i = 0; i < 8 * nodes; ++i) {
    PutGang(cluster, "v" + std::to_string(i),
            {.queue = "victims", .shape = one, .node = "n" + std::to_string(i / 8)});
  }
  pending(cluster);
  ActionContext& context = cycle.Open();
  context.session.BeginAction("reclaim");
  RunReclaim(context);
  return {static_cast<double>(cluster.log().charged().size()),
          static_cast<double>(context.session.counters().Scenarios().simulated)};
}

Work UnschedulableGang(int nodes) {
  return Reclaim(nodes, 8.0 * nodes - 79, [](Cluster& cluster) {
    cluster.PutQueue(ChildQueue("wants", "d", 80));
    PutGang(cluster, "ten", {.queue = "wants", .pods = 10, .shape = GpuShape(8)});
  });
}

Work LargeJob(int nodes) {
  return Reclaim(nodes, 0, [&](Cluster& cluster) {
    cluster.PutQueue(ChildQueue("wants", "d", 8.0 * nodes));
    PutGang(cluster, "large", {.queue = "wants", .pods = nodes / 2, .shape = GpuShape(8)});
  });
}

Work ManySingles(int nodes) {
  return Reclaim(nodes, 4.0 * nodes, [&](Cluster& cluster) {
    cluster.PutQueue(ChildQueue("wants", "d", 4.0 * nodes));
    for (int i = 0; i < 8 * nodes; ++i) {
      PutGang(cluster, "p" + std::to_string(i), {.queue = "wants", .shape = GpuShape(1)});
    }
  });
}

TEST(Scale, RefusingAGangCostsTheSameOnEveryCluster) {
  EXPECT_EQ(UnschedulableGang(20).charges, 0);
  EXPECT_EQ(UnschedulableGang(200).charges, 0);
  EXPECT_EQ(UnschedulableGang(1000).scenarios, 0) << "a bound says no";
}

TEST(Scale, ALargeJobCostsWhatItMoves) {
  const Work small = LargeJob(50), large = LargeJob(200);
  EXPECT_GT(small.scenarios, 0);
  EXPECT_LE(large.charges, 4 * 1.5 * small.charges);
  EXPECT_LE(large.scenarios, small.scenarios + 4) << "two doublings more";
}

TEST(Scale, ManySinglesCostOneTryEach) {
  const Work small = ManySingles(20), large = ManySingles(80);
  EXPECT_LE(large.charges, 4 * 1.2 * small.charges);
  EXPECT_LE(large.scenarios, 4 * 1.2 * small.scenarios);
  EXPECT_LE(large.scenarios, 2 * 80 * 4) << "half of the GPUs change hands";
}

}  // namespace
}  // namespace coppice::engine
