#include "engine/placement/statement.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "engine/devices/device_planner.h"
#include "engine/filters/numa_planner.h"
#include "engine/properties/any_choices_testing.h"
#include "engine/registry.h"
#include "engine/tests/cluster_testing.h"
#include "engine/tests/cycle_testing.h"
#include "engine/topology/topology_planner.h"

namespace coppice::engine {
namespace {

using namespace testing;  // NOLINT: of this folder

// A small random cluster with whole and shared GPUs, running and waiting pods.
class RandomCluster : public Choices {
 public:
  explicit RandomCluster(Choices choices)
      : Choices(std::move(choices)),
        configuration(Configuration::Defaults()),
        cluster(configuration) {
    const int nodes = Pick(1, 4);
    for (int i = 0; i < nodes; ++i) {
      cluster.PutNode(GpuNode("n" + std::to_string(i), Pick(1, 8)));
    }
    cluster.PutQueue(TopQueue("top"));
    cluster.PutQueue(ChildQueue("team", "top"));
    const int jobs = Pick(1, 6);
    for (int i = 0; i < jobs; ++i) AddJob(i, nodes);
    cluster.Refresh();
    session =
        std::make_unique<Session>(cluster, configuration, ReadPlugins(configuration), base::Time{});
    session->shares.Open({});
    cluster.journal().Start();
  }

  void AddJob(int index, int nodes) {
    PodGroupSpec group;
    group.name = "j" + std::to_string(index);
    group.namespace_name = "ns";
    group.queue = "team";
    group.preemptible = Pick(0, 1) == 1;
    group.min_members = 1;
    cluster.PutPodGroup(group);
    const bool shared = Pick(0, 1) == 1;
    const auto shape = shared ? FractionShape(Pick(0, 1) ? "0.5" : "0.25") : GpuShape(Pick(0, 2));
    for (int i = 0; i < Pick(1, 4); ++i) {
      PodSpec pod;
      pod.name = pod.uid = group.name + "-" + std::to_string(i);
      pod.shape = shape;
      pod.pod_group = group.name;
      if (Pick(0, 1)) {
        pod.status = TaskStatus::kRunning;
        pod.node = "n" + std::to_string(Pick(0, nodes - 1));
        if (shared) pod.gpu_groups = {std::to_string(Pick(0, 2))};
      }
      cluster.PutPod(pod);
    }
  }

  // Everything that a statement may change, as text.
  std::string Print() const {
    std::string out;
    for (NodeId id = 0; id < static_cast<NodeId>(cluster.nodes().size()); ++id) {
      out += fmt::format("{}|{}|{}|", fmt::join(cluster.amounts().idle(id), ","),
                         fmt::join(cluster.amounts().used(id), ","),
                         fmt::join(cluster.amounts().releasing(id), ","));
      for (const auto& g : cluster.nodes()[id].groups) {
        out += fmt::format("{}:{}:{}:{}:{};", g.id, g.used, g.allocated, g.releasing, g.marked);
      }
      out += "\n";
    }
    for (const auto& task : cluster.tasks()) {
      out += fmt::format("{}@{}#{}v{}p{} ", static_cast<int>(task.status), task.node, task.groups,
                         task.is_virtual, task.other_places);
    }
    for (const auto& queue : cluster.queues()) {
      out += fmt::format("\n{} {}", fmt::join(queue.allocated.value, ","),
                         fmt::join(queue.allocated_non_preemptible.value, ","));
    }
    for (const auto& job : cluster.jobs()) {
      for (const auto& set : job.pod_sets)
        out += fmt::format("\n{}", fmt::join(set.counts.count, ","));
    }
    return out + fmt::format("\nplaces {}", cluster.tasks().places().size());
  }

  // One random change that an action could make.
  void Step(Statement& statement) {
    const TaskId id = Pick(0, static_cast<int>(cluster.tasks().size()) - 1);
    const Task& task = cluster.tasks()[id];
    const NodeId node = Pick(0, static_cast<int>(cluster.nodes().size()) - 1);
    int32_t groups = 0;
    if (cluster.ClassOf(task).gpu.shared()) {
      groups =
          cluster.InternGpuGroups({Pick(0, 1) ? cluster.NewGpuGroup() : cluster.InternName("0")});
    }
    if (IsActive(task.status)) {
      statement.Evict(id);
    } else if (task.status == TaskStatus::kReleasing) {
      Pick(0, 3) == 0 ? statement.Evict(id) : statement.Pipeline(id, node, groups, {}, false);
    } else if (Pick(0, 1)) {
      statement.Allocate(id, node, groups, {});
    } else {
      statement.Pipeline(id, node, groups, {}, true);
    }
  }

  Configuration configuration;
  Cluster cluster;
  std::unique_ptr<Session> session;
};

RC_GTEST_PROP(StatementProperty, RollbackIsTheIdentity, ()) {
  RandomCluster world{*AnyChoices()};
  const std::string before = world.Print();
  Statement statement(*world.session);
  for (int i = world.Pick(0, 6); i > 0; --i) world.Step(statement);
  const auto mark = statement.Mark();
  const std::string middle = world.Print();
  for (int i = world.Pick(1, 12); i > 0; --i) world.Step(statement);
  statement.Rollback(mark);
  RC_ASSERT(world.Print() == middle);
  statement.Discard();
  RC_ASSERT(world.Print() == before);
}

TEST(Statement, AVictimThatComesBackWasNeverEvicted) {
  RandomCluster world{Choices(1)};
  Cluster& cluster = world.cluster;
  TaskId victim = kNone;
  for (TaskId id = 0; id < static_cast<TaskId>(cluster.tasks().size()); ++id) {
    if (cluster.tasks()[id].status == TaskStatus::kRunning && !cluster.ClassOf(id).gpu.shared()) {
      victim = id;
    }
  }
  ASSERT_NE(victim, kNone);  // The seed makes one.
  const std::string before = world.Print();
  Statement statement(*world.session);
  statement.Evict(victim);
  EXPECT_EQ(cluster.tasks()[victim].status, TaskStatus::kReleasing);
  statement.Pipeline(victim, cluster.tasks()[victim].node, 0, {}, false);
  EXPECT_EQ(world.Print(), before);
  statement.Commit();
  EXPECT_TRUE(world.session->result.evictions.empty());
}

// A task that moved in this cycle returns to where it first ran, not to the place it moved to,
// which someone else has by now.
TEST(Statement, AVictimIsNotBroughtBackToAPlaceThatItLeft) {
  Configuration configuration = Configuration::Defaults();
  Cluster cluster(configuration);
  cluster.PutQueue(TopQueue("team"));
  cluster.PutNode(GpuNode("old", 1));
  cluster.PutNode(GpuNode("new", 1));
  for (const char* name : {"moved", "other"}) {
    PodGroupSpec group;
    group.name = name;
    group.namespace_name = "ns";
    group.queue = "team";
    cluster.PutPodGroup(group);
    PodSpec pod;
    pod.name = pod.uid = pod.pod_group = name;
    pod.shape = GpuShape(1);
    if (pod.name == "moved") pod.node = "old", pod.status = TaskStatus::kRunning;
    cluster.PutPod(pod);
  }
  cluster.Refresh();
  Session session(cluster, configuration, ReadPlugins(configuration), base::Time{});
  session.shares.Open({});
  cluster.journal().Start();
  const TaskId moved = cluster.FindTask("moved"), other = cluster.FindTask("other");
  const NodeId old_node = cluster.FindNode("old"), new_node = cluster.FindNode("new");
  Statement first(session);
  first.Evict(moved);
  first.Pipeline(moved, new_node, 0, {}, false);
  first.Commit();
  Statement second(session);
  second.Evict(moved);
  second.Pipeline(other, new_node, 0, {}, false);
  second.Pipeline(moved, old_node, 0, {}, false);
  EXPECT_EQ(cluster.tasks()[moved].node, old_node);
  for (NodeId node : {old_node, new_node}) {
    EXPECT_EQ(cluster.amounts().idle(node)[kGpu] + cluster.amounts().releasing(node)[kGpu], 0);
  }
}

// Its claim's status does not show the devices yet, but they still belong to the pod.
TEST(Statement, AVictimThatComesBackHasItsDevicesStill) {
  Configuration configuration = Configuration::Defaults();
  Cluster cluster(configuration);
  cluster.PutQueue(TopQueue("team"));
  cluster.PutNode(GpuNode("a", 0));
  cluster.devices().PutClass({"gpu.example.com", {}, "nvidia.com/gpu"});
  ResourceClaimSpec claim;
  claim.namespace_name = "ns";
  claim.name = "of-victim";
  claim.for_extended_resources = true;
  claim.owner_pod_uid = "victim";
  cluster.devices().PutClaim(claim);
  PodGroupSpec group;
  group.name = "g";
  group.namespace_name = "ns";
  group.queue = "team";
  cluster.PutPodGroup(group);
  PodSpec pod;
  pod.name = pod.uid = "victim";
  pod.pod_group = "g";
  pod.shape = GpuShape(1);
  pod.node = "a";
  pod.status = TaskStatus::kRunning;
  pod.extended_claim_allocation = ClaimAllocation{{{"r", "gpu.example.com", "a", "gpu1"}}, {}};
  cluster.PutPod(pod);
  cluster.Refresh();
  Session session(cluster, configuration, ReadPlugins(configuration), base::Time{});
  session.shares.Open({});
  session.devices = std::make_unique<DevicePlanner>(session);
  cluster.journal().Start();
  const TaskId victim = cluster.FindTask("victim");
  Statement statement(session);
  statement.Evict(victim);
  EXPECT_FALSE(cluster.tasks()[victim].extras->extended_claim);
  statement.Pipeline(victim, cluster.FindNode("a"), 0, {}, false);
  ASSERT_TRUE(cluster.tasks()[victim].extras->extended_claim);
  EXPECT_EQ(cluster.tasks()[victim].extras->extended_claim->devices[0].device, "gpu1");
}

// One node with three GPUs, of which a pod "there" has one; "new" has two waiting pods.
struct SmallCluster : OpenedCycle {
  SmallCluster() {
    cluster.PutQueue(TopQueue("team"));
    cluster.PutNode(GpuNode("a", 3));
    PutGang(cluster, "there", {.shape = GpuShape(1), .node = "a"});
    PutGang(cluster, "new", {.pods = 2, .shape = GpuShape(1)});
    Open();
    session->action = "test";
  }
  TaskId Find(const char* name) const { return cluster.FindTask(name); }
  int64_t Idle() const { return cluster.amounts().idle(0)[kGpu] / kGpuUnit; }
  int64_t Releasing() const { return cluster.amounts().releasing(0)[kGpu] / kGpuUnit; }
};

TEST(Statement, CommitTellsWhatIsLeftOfIt) {
  SmallCluster world;
  Statement statement(*world.session);
  statement.Evict(world.Find("there-0"));
  const auto mark = statement.Mark();
  statement.Allocate(world.Find("new-1"), 0, 0, {});
  statement.Rollback(mark);
  statement.Allocate(world.Find("new-0"), 0, 0, {});
  statement.Pipeline(world.Find("new-1"), 0, 0, {}, true);
  EXPECT_EQ(world.Idle(), 1);
  EXPECT_EQ(world.Releasing(), 0);
  statement.Commit([](TaskId) { return "because"; });
  const CycleResult& result = world.session->result;
  ASSERT_EQ(result.evictions.size(), 1u);
  EXPECT_EQ(result.evictions[0].pod.name, "there-0");
  EXPECT_EQ(result.evictions[0].message, "because");
  EXPECT_EQ(result.evictions[0].gang_size, 1);
  ASSERT_EQ(result.binds.size(), 1u);
  EXPECT_EQ(result.binds[0].pod.name, "new-0");
  EXPECT_EQ(result.binds[0].action, "test");
  ASSERT_EQ(result.pipelined.size(), 1u);
  EXPECT_EQ(result.pipelined[0].pod.name, "new-1");
  EXPECT_EQ(world.cluster.tasks()[world.Find("new-0")].status, TaskStatus::kBinding);
  EXPECT_TRUE(world.cluster.jobs()[world.cluster.FindJob("ns", "there")].last_eviction);
}

TEST(Statement, VictimsOfSeveralGroupsAreCountedTogether) {
  OpenedCycle cycle;
  cycle.cluster.PutQueue(TopQueue("team"));
  cycle.cluster.PutNode(GpuNode("n", 4));
  PutGang(cycle.cluster, "a", {.pods = 2, .shape = GpuShape(1), .node = "n"});
  PutGang(cycle.cluster, "b", {.shape = GpuShape(1), .node = "n"});
  Statement statement(cycle.Open().session);
  for (const char* name : {"a-0", "a-1", "b-0"}) statement.Evict(cycle.cluster.FindTask(name));
  statement.Commit();
  for (const auto& eviction : cycle.session->result.evictions) EXPECT_EQ(eviction.gang_size, 3);
}

// A later search does not look for another place for an evicted pod.
TEST(Statement, WhatIsEvictedForGoodWaitsForNoPlace) {
  SmallCluster world;
  const Gang gang(world.cluster, world.cluster.FindJob("ns", "there"));
  Statement statement(*world.session);
  statement.Evict(world.Find("there-0"));
  EXPECT_EQ(gang.TasksToAllocate(false).size(), 1u);
  statement.Commit();
  EXPECT_TRUE(gang.TasksToAllocate(false).empty());
}

TEST(Statement, AJobThatMustWaitForAPartWaitsAsAWhole) {
  SmallCluster world;
  Statement statement(*world.session);
  statement.Allocate(world.Find("new-0"), 0, 0, {});
  statement.Allocate(world.Find("new-1"), 0, 0, {});
  EXPECT_EQ(world.Idle(), 0);
  statement.ConvertAllocatedToPipelined(world.cluster.FindJob("ns", "new"));
  EXPECT_EQ(world.cluster.tasks()[world.Find("new-0")].status, TaskStatus::kPipelined);
  EXPECT_EQ(world.Idle(), 2);
  EXPECT_EQ(world.Releasing(), -2);
  statement.Commit();
  EXPECT_TRUE(world.session->result.binds.empty());
  EXPECT_EQ(world.session->result.pipelined.size(), 2u);
}

TEST(Statement, DiscardLeavesNothing) {
  SmallCluster world;
  Statement statement(*world.session);
  statement.Evict(world.Find("there-0"));
  statement.Allocate(world.Find("new-0"), 0, 0, {});
  statement.ConvertAllocatedToPipelined(world.cluster.FindJob("ns", "new"));
  statement.Discard();
  EXPECT_EQ(world.Idle(), 2);
  EXPECT_EQ(world.Releasing(), 0);
  EXPECT_EQ(world.cluster.tasks()[world.Find("there-0")].status, TaskStatus::kRunning);
  EXPECT_EQ(world.cluster.tasks()[world.Find("new-0")].status, TaskStatus::kPending);
  statement.Commit();
  EXPECT_TRUE(world.session->result.evictions.empty());
}

}  // namespace
}  // namespace coppice::engine
