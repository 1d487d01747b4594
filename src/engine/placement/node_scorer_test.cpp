#include "engine/placement/node_scorer.h"

#include <gtest/gtest.h>

#include "engine/tests/cluster_testing.h"
#include "engine/tests/cycle_testing.h"

namespace coppice::engine {
namespace {

using namespace testing;  // NOLINT: of this folder

Configuration Only(const std::string& plugin) {
  Configuration configuration = Configuration::Defaults();
  configuration.plugins = {{plugin, {}}};
  return configuration;
}

// The plugin's score of each node, by name, for the pod "new".
std::map<std::string, double> Scores(OpenedCycle& cycle, const std::shared_ptr<PodShape>& shape,
                                     const std::string& nominated = "") {
  cycle.cluster.PutQueue(TopQueue("team"));
  PodGroupSpec group;
  group.name = "g";
  group.namespace_name = "ns";
  group.queue = "team";
  cycle.cluster.PutPodGroup(group);
  PodSpec pod;
  pod.name = pod.uid = "new";
  pod.pod_group = "g";
  pod.shape = shape;
  pod.nominated_node = nominated;
  cycle.cluster.PutPod(pod);
  cycle.Open();
  const TaskId task = cycle.cluster.FindTask("new");
  NodeScorer scorer(*cycle.session);
  scorer.Prepare(task, cycle.cluster.node_order());
  std::map<std::string, double> scores;
  for (NodeId node : cycle.cluster.node_order()) {
    scores[std::string(cycle.cluster.Text(cycle.cluster.nodes()[node].name))] =
        scorer.Score(task, node).value();
  }
  return scores;
}

void PutRunning(Cluster& cluster, const std::string& name, std::shared_ptr<PodShape> shape,
                const std::string& node, const std::string& gpu_group = "",
                TaskStatus status = TaskStatus::kRunning) {
  PodSpec pod;
  pod.name = pod.uid = name;
  pod.shape = std::move(shape);
  pod.node = node;
  pod.status = status;
  if (!gpu_group.empty()) pod.gpu_groups = {gpu_group};
  cluster.PutPod(pod);
}

using Table = std::map<std::string, double>;

TEST(NodeScores, TheNominatedNode) {
  OpenedCycle cycle(Only("nominatednode"));
  for (const char* name : {"a", "b"}) cycle.cluster.PutNode(GpuNode(name, 8));
  EXPECT_EQ(Scores(cycle, GpuShape(1), "b"), (Table{{"a", 0}, {"b", 1e7}}));
}

TEST(NodeScores, WhereTheTaskFitsNow) {
  OpenedCycle cycle(Only("nodeavailability"));
  for (const char* name : {"a", "b"}) cycle.cluster.PutNode(GpuNode(name, 1));
  PutRunning(cycle.cluster, "leaving", GpuShape(1), "a", "", TaskStatus::kReleasing);
  EXPECT_EQ(Scores(cycle, GpuShape(1)), (Table{{"a", 0}, {"b", 1e3}}));
}

TEST(NodeScores, WithoutGpusForPodsWithoutGpus) {
  for (const int gpus : {0, 1}) {
    OpenedCycle cycle(Only("resourcetype"));
    cycle.cluster.PutNode(GpuNode("gpus", 8));
    cycle.cluster.PutNode(GpuNode("none", 0));
    EXPECT_EQ(Scores(cycle, GpuShape(gpus)), (Table{{"gpus", 0}, {"none", gpus ? 0 : 10}}));
  }
}

TEST(NodeScores, WhereASharedGpuHasRoom) {
  const auto scores = [](const std::shared_ptr<PodShape>& shape) {
    OpenedCycle cycle(Only("gpusharingorder"));
    for (const char* name : {"empty", "full", "room"}) cycle.cluster.PutNode(GpuNode(name, 2));
    PutRunning(cycle.cluster, "most", FractionShape("0.75"), "full", "1");
    PutRunning(cycle.cluster, "half", FractionShape("0.5"), "room", "2");
    return Scores(cycle, shape);
  };
  EXPECT_EQ(scores(FractionShape("0.5")), (Table{{"empty", 0}, {"full", 0}, {"room", 1e4}}));
  EXPECT_EQ(scores(GpuShape(1)), (Table{{"empty", 0}, {"full", 0}, {"room", 0}}));
  // Pods without GPUs need no GPU memory, so they fit wherever a GPU is shared, as in upstream.
  EXPECT_EQ(scores(GpuShape(0)), (Table{{"empty", 0}, {"full", 1e4}, {"room", 1e4}}));
}

TEST(NodeScores, AddUp) {
  OpenedCycle cycle;
  for (const char* name : {"a", "b"}) cycle.cluster.PutNode(GpuNode(name, 8));
  PutRunning(cycle.cluster, "there", GpuShape(4), "a");
  // Available everywhere; denser on a; nominated to b.
  EXPECT_EQ(Scores(cycle, GpuShape(1), "b"), (Table{{"a", 1e3 + 9}, {"b", 1e7 + 1e3}}));
}

TEST(NodeScores, PreferredNodesByWeight) {
  const auto prefer = [](int weight, const std::string& key, const std::string& value) {
    return WeightedNodeTerm{weight, {{{key, SelectorOperator::kIn, {value}}}, {}}};
  };
  auto shape = GpuShape(1);
  shape->affinity.preferred_nodes = {prefer(30, "disk", "fast"), prefer(5, "zone", "z"),
                                     prefer(100, "zone", "none")};
  OpenedCycle cycle(Only("predicates"));
  cycle.cluster.PutNode(GpuNode("both", 8, {{"disk", "fast"}, {"zone", "z"}}));
  cycle.cluster.PutNode(GpuNode("fast", 8, {{"disk", "fast"}}));
  cycle.cluster.PutNode(GpuNode("plain", 8));
  EXPECT_EQ(Scores(cycle, shape), (Table{{"both", 350}, {"fast", 300}, {"plain", 0}}));
}

// The GPU that a half goes to if one is half full and others are free.
std::string GroupOfHalf(const std::string& order) {
  Configuration configuration = Configuration::Defaults();
  for (auto& plugin : configuration.plugins) {
    if (plugin.name == "gpupack") plugin.name = order;
  }
  Engine engine(configuration);
  engine.PutQueue(TopQueue("team"));
  engine.PutNode(GpuNode("a", 2));
  PodSpec pod;
  pod.name = pod.uid = "there";
  pod.shape = FractionShape("0.5");
  pod.node = "a";
  pod.status = TaskStatus::kRunning;
  pod.gpu_groups = {"first"};
  engine.PutPod(pod);
  PutGang(engine, "half", {.shape = FractionShape("0.5")});
  const CycleResult result = engine.RunCycle(base::Time(std::chrono::hours(1)));
  return result.binds.at(0).gpu_groups.at(0);
}

TEST(GpuOrder, PacksOrSpreads) {
  EXPECT_EQ(GroupOfHalf("gpupack"), "first");
  EXPECT_NE(GroupOfHalf("gpuspread"), "first");
}

}  // namespace
}  // namespace coppice::engine
