#include "engine/topology/domain_rooms.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/placement/statement.h"
#include "engine/properties/choices_testing.h"
#include "engine/tests/cluster_testing.h"
#include "engine/tests/cycle_testing.h"

namespace coppice::engine {
namespace {

using namespace testing;  // NOLINT: of this folder

// Twelve nodes in four racks and two blocks; the lowest level is the rack or the node.
void PutRacks(Cluster& cluster) {
  for (int i = 0; i < 12; ++i) {
    cluster.PutNode(GpuNode("n" + std::to_string(i), 4,
                            {{"block", std::to_string(i / 6)},
                             {"rack", std::to_string(i / 3)},
                             {"host", std::to_string(i)}}));
  }
  cluster.PutQueue(TopQueue("team"));
  for (int i = 0; i < 24; ++i) {
    PutGang(cluster, "j" + std::to_string(i), {.shape = GpuShape(1 + i % 3)});
  }
}

TEST(DomainRooms, WhatIsKeptIsWhatAFreshLookFinds) {
  for (const char* lowest : {"rack", "host"}) {
    OpenedCycle cycle;
    PutRacks(cycle.cluster);
    ActionContext& context = cycle.Open();
    const TopologyTree tree(cycle.cluster, {"t", {{"block", ""}, {lowest, ""}}});
    const RoomQuestion two{cycle.cluster.classes()[cycle.cluster.tasks()[1].cls].request, true, 0};
    DomainRooms kept(cycle.cluster, tree, two);
    Statement statement(context.session);
    Choices choices(7u);
    std::vector<Statement::Checkpoint> marks;
    for (int step = 0; step < 200; ++step) {
      const TaskId task = choices.Pick(0, 23);
      const NodeId node = choices.Pick(0, 11);
      if (choices.Chance(30) && !marks.empty()) {
        statement.Rollback(marks.back());
        marks.pop_back();
      } else if (cycle.cluster.tasks()[task].status == TaskStatus::kPending &&
                 cycle.cluster.FitsIdle(task, node)) {
        marks.push_back(statement.Mark());
        statement.Allocate(task, node, 0, {});
      }
      if (choices.Chance(50)) continue;
      DomainRooms fresh(cycle.cluster, tree, two);
      kept.Refresh();
      fresh.Refresh();
      for (int i = 0; i < static_cast<int>(tree.domains().size()); ++i) {
        ASSERT_EQ(kept.Pods(i), fresh.Pods(i)) << lowest << " step " << step << " domain " << i;
        ASSERT_TRUE(std::ranges::equal(kept.Free(i), fresh.Free(i))) << lowest << " step " << step;
      }
    }
  }
}

TEST(DomainRooms, CountsWholePodsNodeByNode) {
  OpenedCycle cycle;
  PutRacks(cycle.cluster);
  cycle.Open();
  const TopologyTree tree(cycle.cluster, {"t", {{"rack", ""}}});
  // Pods with three GPUs: one on each node with four.
  DomainRooms rooms(cycle.cluster, tree,
                    {cycle.cluster.classes()[cycle.cluster.tasks()[2].cls].request, true, 0});
  rooms.Refresh();
  EXPECT_EQ(rooms.Pods(0), 12);
  EXPECT_EQ(rooms.Pods(1), 3);
  EXPECT_EQ(rooms.Free(1)[kGpu], 12 * kGpuUnit);
}

// A node with two GPUs, and pods that request fractions of one.
struct SharedRack {
  SharedRack() {
    Cluster& cluster = cycle.cluster;
    cluster.PutNode(GpuNode("a", 2, {{"rack", "r"}}));
    cluster.PutQueue(TopQueue("team"));
    for (const char* fraction : {"0.4", "0.2", "0.25"}) PutPod(fraction, FractionShape(fraction));
    cycle.Open();
  }

  void PutPod(const std::string& name, std::shared_ptr<const PodShape> shape) {
    PodSpec pod;
    pod.name = pod.uid = name;
    pod.shape = std::move(shape);
    cycle.cluster.PutPod(pod);
  }

  int64_t Pods(const char* fraction) {
    const TopologyTree tree(cycle.cluster, {"t", {{"rack", ""}}});
    DomainRooms rooms(cycle.cluster, tree,
                      {cycle.cluster.ClassOf(cycle.cluster.FindTask(fraction)).request, true, 0});
    rooms.Refresh();
    return rooms.Pods(1);
  }

  void Put(TaskStatus status, const char* gpu) {
    cycle.cluster.Charge(cycle.cluster.FindNode("a"), cycle.cluster.FindTask("0.4"), status,
                         cycle.cluster.InternGpuGroups({cycle.cluster.InternName(gpu)}));
  }

  void PutWhole(const char* name) {
    PutPod(name, GpuShape(1));
    cycle.cluster.Charge(cycle.cluster.FindNode("a"), cycle.cluster.FindTask(name),
                         TaskStatus::kRunning, 0);
  }

  OpenedCycle cycle;
};

TEST(DomainRooms, CountsPartsOfGpusTogether) {
  SharedRack rack;
  EXPECT_EQ(rack.Pods("0.25"), 8);
  rack.Put(TaskStatus::kRunning, "x");
  EXPECT_EQ(rack.Pods("0.25"), 6) << "of 1.6 GPUs";
  EXPECT_EQ(rack.Pods("0.2"), 8);
  rack.Put(TaskStatus::kRunning, "y");
  EXPECT_EQ(rack.Pods("0.25"), 4) << "of 0.6 and 0.6";
}

TEST(DomainRooms, RoundsAsUpstream) {
  SharedRack rack;
  rack.Put(TaskStatus::kRunning, "x");
  rack.PutWhole("w");
  EXPECT_EQ(rack.Pods("0.2"), 2) << "0.6 / 0.2 in floating point";
}

TEST(DomainRooms, AGpuThatLeavesCountsAsFreeAndAsWhole) {
  SharedRack rack;
  rack.Put(TaskStatus::kReleasing, "x");
  EXPECT_EQ(rack.Pods("0.25"), 12) << "one idle, one that leaves, and all of that one's parts";
}

TEST(DomainRooms, AnOvercommittedNodeTakesNobody) {
  SharedRack rack;
  rack.PutPod("cpu", GpuShape(0));
  EXPECT_GT(rack.Pods("cpu"), 0);
  for (const char* name : {"w0", "w1", "w2"}) rack.PutWhole(name);
  EXPECT_EQ(rack.Pods("cpu"), 0) << "not even pods without GPUs";
}

}  // namespace
}  // namespace coppice::engine
