#include "engine/actions/search/gpu_bound.h"

#include <gtest/gtest.h>

#include "engine/tests/cluster_testing.h"
#include "engine/tests/cycle_testing.h"

namespace coppice::engine {
namespace {

using namespace testing;  // NOLINT: of this folder

// Three nodes with four GPUs, full of victims with one GPU each.
class GpuBoundTest : public ::testing::Test {
 protected:
  GpuBoundTest() {
    cycle.cluster.PutQueue(TopQueue("team"));
    for (int i = 0; i < 12; ++i) {
      const std::string node = "n" + std::to_string(i / 4);
      if (i % 4 == 0) cycle.cluster.PutNode(GpuNode(node, 4));
      PutGang(cycle.cluster, "v" + std::to_string(i), {.shape = GpuShape(1), .node = node});
      victims.push_back(cycle.cluster.FindTask("v" + std::to_string(i) + "-0"));
    }
  }
  std::vector<TaskId> Pending(int pods, int gpus) {
    PutGang(cycle.cluster, "wants", {.pods = pods, .shape = GpuShape(gpus)});
    cycle.Open();
    return Gang(cycle.cluster, cycle.cluster.FindJob("ns", "wants")).TasksToAllocate(false);
  }
  std::vector<JobId> Jobs() const {
    std::vector<JobId> jobs;
    for (TaskId task : victims) jobs.push_back(cycle.cluster.tasks()[task].job);
    return jobs;
  }

  OpenedCycle cycle;
  std::vector<TaskId> victims;
};

TEST_F(GpuBoundTest, AllowsWhatFreesEnoughOnTheSameNodes) {
  const auto pending = Pending(2, 2);
  const GpuBound bound(cycle.cluster, pending, {});
  EXPECT_FALSE(bound.Allows(std::vector<TaskId>{victims[0], victims[1], victims[4]}));
  EXPECT_TRUE(bound.Allows(std::vector<TaskId>{victims[0], victims[1], victims[4], victims[5]}));
  EXPECT_FALSE(bound.Allows(std::vector<TaskId>{victims[0], victims[4], victims[8]}));
}

TEST_F(GpuBoundTest, RecordedVictimsCountForAll) {
  const auto pending = Pending(2, 2);
  const GpuBound bound(cycle.cluster, pending, std::vector<TaskId>{victims[0], victims[1]});
  EXPECT_TRUE(bound.Allows(std::vector<TaskId>{victims[8], victims[9]}));
  EXPECT_FALSE(bound.Allows(std::vector<TaskId>{victims[8]}));
}

TEST_F(GpuBoundTest, OneNodeIsTooFewForTwoWholeNodes) {
  const auto pending = Pending(2, 4);
  const std::span<const TaskId> both(pending);
  EXPECT_TRUE(GpuBound(cycle.cluster, both, {}).OneNodeIsTooFew(Jobs()));
  EXPECT_FALSE(GpuBound(cycle.cluster, both.first(1), {}).OneNodeIsTooFew(Jobs()));
  // Nor if one node is already free.
  const std::span<const TaskId> recorded = std::span(victims).first(4);
  EXPECT_FALSE(GpuBound(cycle.cluster, both, recorded).OneNodeIsTooFew(Jobs()));
}

TEST_F(GpuBoundTest, OneNodeDoesForAsManyPodsAsItHolds) {
  const auto pending = Pending(3, 2);
  const std::span<const TaskId> three(pending);
  EXPECT_FALSE(GpuBound(cycle.cluster, three.first(2), {}).OneNodeIsTooFew(Jobs()));
  EXPECT_TRUE(GpuBound(cycle.cluster, three, {}).OneNodeIsTooFew(Jobs()));
}

TEST_F(GpuBoundTest, NothingIsKnownOfGangsThatSpanNodes) {
  PutGang(cycle.cluster, "wide", {.pods = 2, .shape = GpuShape(0), .node = "n0"});
  PodSpec moved;
  moved.uid = moved.name = "wide-1";
  moved.pod_group = "wide";
  moved.shape = GpuShape(0);
  moved.status = TaskStatus::kRunning;
  moved.node = "n1";
  cycle.cluster.PutPod(moved);
  const auto pending = Pending(2, 4);
  std::vector<JobId> jobs = Jobs();
  jobs.push_back(cycle.cluster.FindJob("ns", "wide"));
  EXPECT_FALSE(GpuBound(cycle.cluster, pending, {}).OneNodeIsTooFew(jobs));
}

}  // namespace
}  // namespace coppice::engine
