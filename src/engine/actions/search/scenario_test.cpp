#include "engine/actions/search/scenario.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "engine/actions/search/multi_node_gang.h"
#include "engine/actions/search/node_local_greedy.h"
#include "engine/actions/search/probing.h"
#include "engine/actions/victim_actions.h"
#include "engine/engine.h"
#include "engine/tests/cluster_testing.h"
#include "engine/tests/cycle_testing.h"

namespace coppice::engine {
namespace {

using namespace testing;  // NOLINT: of this folder
using ::testing::ElementsAre;

std::vector<size_t> Probes(size_t all, size_t most) {
  std::vector<size_t> asked;
  const size_t best = LargestSolvable(all, [&](size_t count) {
    asked.push_back(count);
    return count <= most;
  });
  EXPECT_EQ(best, most);
  return asked;
}

TEST(Probing, DoublesThenHalvesTheGap) {
  EXPECT_THAT(Probes(10, 10), ElementsAre(1, 2, 4, 8, 10));
  EXPECT_THAT(Probes(10, 5), ElementsAre(1, 2, 4, 8, 6, 5));
  EXPECT_THAT(Probes(10, 0), ElementsAre(1));
  EXPECT_THAT(Probes(1, 1), ElementsAre(1));
}

TEST(PartialJob, HasLowerMinimaWhereLessIsThere) {
  OpenedCycle cycle;
  cycle.cluster.PutQueue(TopQueue("team"));
  PodGroupSpec group;
  group.name = "g";
  group.namespace_name = "ns";
  group.queue = "team";
  group.min_sub_groups = 2;
  group.sub_groups = {{"set", "", {}, 2, {}},
                      {"x", "set", 2, {}, {}},
                      {"y", "set", 2, {}, {}},
                      {"z", "", 3, {}, {}}};
  cycle.cluster.PutPodGroup(group);
  for (const char* name : {"x-0", "x-1", "y-0", "y-1", "z-0", "z-1", "z-2"}) {
    PodSpec pod;
    pod.name = pod.uid = name;
    pod.pod_group = "g";
    pod.sub_group = pod.name.substr(0, 1);
    pod.shape = GpuShape(1);
    cycle.cluster.PutPod(pod);
  }
  cycle.Open();
  const Cluster& cluster = cycle.cluster;
  const JobId job = cluster.FindJob("ns", "g");
  const auto index = [&](const char* name) {
    return cluster.tasks()[cluster.FindTask(name)].pod_set;
  };
  const std::vector<TaskId> pending = {cluster.FindTask("x-0"), cluster.FindTask("z-0"),
                                       cluster.FindTask("z-1")};
  const Gang part = PartOf(cluster, job, pending);
  EXPECT_EQ(part.Min(index("x-0")), 1);
  EXPECT_EQ(part.Min(index("y-0")), 2);  // None of its tasks is included.
  EXPECT_EQ(part.Min(index("z-0")), 2);
  EXPECT_EQ(part.AllTasks().size(), 3u);
  EXPECT_EQ(part.Threshold(0), 2);  // Both members have tasks.
  const int set = cluster.jobs()[job].pod_sets[index("x-0")].parent;
  EXPECT_EQ(part.Threshold(set), 1);  // Of x and y, only x has tasks.
  EXPECT_EQ(Gang(cluster, job).Threshold(set), 2);
}

// Nodes a and b with two GPUs each, used by four jobs with one GPU each; the youngest is evicted
// first.
void PutVictims(Cluster& cluster) {
  cluster.PutQueue(TopQueue("team"));
  for (const char* name : {"a", "b"}) cluster.PutNode(GpuNode(name, 2));
  for (int i = 0; i < 4; ++i) {
    PutGang(cluster, "v" + std::to_string(i),
            {.shape = GpuShape(1),
             .node = i % 2 == 0 ? "a" : "b",
             .creation = base::Time(std::chrono::seconds(i))});
  }
}

std::unique_ptr<JobOrder> VictimsOf(ActionContext& context, const std::vector<JobId>& candidates) {
  auto allowed = std::make_shared<std::vector<char>>(context.session.cluster.jobs().size());
  for (JobId id : candidates) (*allowed)[id] = 1;
  auto order = std::make_unique<JobOrder>(context.session, JobOrder::Options{.victims = true});
  order->Use(context.lists.active(), allowed);
  return order;
}

// The scenarios of a generator with all running jobs as victims, for the waiting job "wants".
std::vector<std::string> Scenarios(OpenedCycle& cycle, const ScenarioSource& source) {
  ActionContext& context = cycle.Open();
  context.lists.Refresh(context.session);
  const Cluster& cluster = cycle.cluster;
  const JobId job = cluster.FindJob("ns", "wants");
  const Gang gang(cluster, job);
  const std::vector<TaskId> pending = gang.TasksToAllocate(false);
  const Probe probe{PartOf(cluster, job, pending), pending, {}, {}};
  std::vector<JobId> candidates;
  for (JobId id = 0; id < static_cast<JobId>(cluster.jobs().size()); ++id) {
    if (id != job) candidates.push_back(id);
  }
  const GpuBound bound(cluster, pending, {});
  VictimAccumulator accumulator(context.session, {context.session, probe}, probe,
                                VictimsOf(context, candidates));
  auto generator = source.make(context.session, probe, bound, std::move(accumulator));
  std::vector<std::string> out;
  std::optional<Scenario> scenario;
  while (generator->Next(scenario)) {
    if (!scenario) continue;
    std::string victims;
    for (TaskId task : scenario->Victims()) {
      victims += std::string(cluster.Text(cluster.jobs()[cluster.tasks()[task].job].name)) + " ";
    }
    out.push_back(victims);
  }
  return out;
}

TEST(NodeLocalGreedy, TakesWhatItHasSoFarOnTheNodesOfTheLatestVictim) {
  OpenedCycle cycle;
  PutVictims(cycle.cluster);
  PutGang(cycle.cluster, "wants", {.shape = GpuShape(2)});
  // v3 and v2 alone leave no node with two GPUs.
  EXPECT_THAT(Scenarios(cycle, kNodeLocalGreedy), ElementsAre("v3 v1 ", "v2 v0 "));
}

TEST(MultiNodeGang, TakesTheFewestNodesThatCanDoAndThenMore) {
  OpenedCycle cycle;
  PutVictims(cycle.cluster);
  PutGang(cycle.cluster, "wants", {.shape = GpuShape(2)});
  EXPECT_THAT(Scenarios(cycle, kMultiNodeGang), ElementsAre("v3 v1 ", "v3 v1 ", "v3 v2 v1 v0 "));
}

// Seven nodes with one GPU, one victim each.
void PutRow(Cluster& cluster, int nodes) {
  cluster.PutQueue(TopQueue("team"));
  for (int i = 0; i < nodes; ++i) {
    const std::string node = "n" + std::to_string(i);
    cluster.PutNode(GpuNode(node, 1));
    PutGang(cluster, "v" + std::to_string(i), {.shape = GpuShape(1), .node = node});
  }
}

TEST(MultiNodeGang, GrowsByDoubling) {
  OpenedCycle cycle;
  PutRow(cycle.cluster, 7);
  PutGang(cycle.cluster, "wants", {.shape = GpuShape(1)});
  const auto scenarios = Scenarios(cycle, kMultiNodeGang);
  std::vector<size_t> victims;
  for (size_t i = scenarios.size() - 4; i < scenarios.size(); ++i) {
    victims.push_back(scenarios[i].size() / 3);
  }
  EXPECT_THAT(victims, ElementsAre(1, 2, 4, 7));
}

bool Passes(OpenedCycle& cycle, const std::vector<std::string>& victims, NodeSet feasible = {}) {
  ActionContext& context = cycle.Open();
  const Cluster& cluster = cycle.cluster;
  const JobId job = cluster.FindJob("ns", "wants");
  const std::vector<TaskId> pending = Gang(cluster, job).TasksToAllocate(false);
  const Probe probe{PartOf(cluster, job, pending), pending, std::move(feasible), {}};
  ScenarioFilter filter(context.session, probe);
  for (const auto& name : victims) {
    const TaskId task = cluster.FindTask(name);
    filter.AddVictims({&task, 1});
  }
  return filter.Passes();
}

TEST(NodeAffinityFilter, WantsANodeThatMatchesAmongThoseInReach) {
  const auto passes = [](const std::vector<std::string>& victims, bool feasible) {
    OpenedCycle cycle;
    PutVictims(cycle.cluster);
    auto shape = GpuShape(1);
    shape->affinity.required_nodes =
        NodeSelector{{{{}, {{"metadata.name", SelectorOperator::kIn, {"b"}}}}}};
    PutGang(cycle.cluster, "wants", {.shape = shape});
    return Passes(cycle, victims, feasible ? NodeSet{cycle.cluster.FindNode("b")} : NodeSet{});
  };
  EXPECT_FALSE(passes({"v0-0"}, false));         // On a.
  EXPECT_TRUE(passes({"v0-0", "v1-0"}, false));  // On b too.
  EXPECT_TRUE(passes({"v0-0"}, true));
}

TEST(NodeAffinityFilter, LooksAtEveryPodOfTheJob) {
  OpenedCycle cycle;
  PutVictims(cycle.cluster);
  PutGang(cycle.cluster, "wants", {.pods = 2, .min = 2, .shape = GpuShape(1)});
  PodSpec pod;
  pod.name = pod.uid = "wants-1";
  auto nowhere = GpuShape(1);
  nowhere->node_selector["disk"] = "none has it";
  pod.shape = nowhere;
  pod.pod_group = "wants";
  cycle.cluster.PutPod(pod);
  EXPECT_FALSE(Passes(cycle, {"v0-0", "v1-0", "v2-0", "v3-0"}));
}

TEST(TopologyFilter, WantsADomainThatHoldsTheWholeSet) {
  // Four nodes with one GPU in two racks; the gang of two needs one rack.
  const auto passes = [](const std::vector<std::string>& victims) {
    OpenedCycle cycle;
    cycle.cluster.PutQueue(TopQueue("team"));
    cycle.cluster.PutTopology({"t", {{"rack", ""}}});
    for (int i = 0; i < 4; ++i) {
      const std::string node = "n" + std::to_string(i);
      cycle.cluster.PutNode(GpuNode(node, 1, {{"rack", i < 2 ? "r0" : "r1"}}));
      PutGang(cycle.cluster, "v" + std::to_string(i), {.shape = GpuShape(1), .node = node});
    }
    PutGang(cycle.cluster, "wants",
            {.pods = 2, .shape = GpuShape(1), .topology = TopologyConstraint{"t", "rack", ""}});
    return Passes(cycle, victims);
  };
  EXPECT_FALSE(passes({"v0-0"}));
  EXPECT_FALSE(passes({"v0-0", "v2-0"}));  // Two GPUs, but one in each rack.
  EXPECT_TRUE(passes({"v0-0", "v1-0"}));
  EXPECT_TRUE(passes({"v0-0", "v2-0", "v3-0"}));
}

TEST(TopologyFilter, APreferredLevelIsNoCondition) {
  OpenedCycle cycle;
  cycle.cluster.PutTopology({"t", {{"rack", ""}}});
  PutVictims(cycle.cluster);  // Nodes without a rack.
  PutGang(cycle.cluster, "wants",
          {.pods = 2, .shape = GpuShape(1), .topology = TopologyConstraint{"t", "", "rack"}});
  EXPECT_TRUE(Passes(cycle, {"v0-0", "v1-0"}));
}

// Three victims on a node each; none of the nodes fits the waiting pod, whichever victim is
// evicted.
TEST(Fingerprints, AScenarioThatFailedIsNotTriedAgain) {
  Configuration configuration = Configuration::Defaults();
  configuration.actions = {"preempt"};
  std::erase_if(configuration.plugins,
                [](const auto& plugin) { return plugin.name == "sg-nodelocalgreedy"; });
  Engine engine(configuration);
  engine.PutQueue(TopQueue("team"));
  auto guard = GpuShape(0);
  guard->labels["app"] = "guard";
  for (int i = 0; i < 3; ++i) {
    const std::string node = "n" + std::to_string(i);
    engine.PutNode(GpuNode(node, 1, {{"host", node}}));
    PutGang(engine, "v" + std::to_string(i), {.shape = GpuShape(1), .node = node});
    PutGang(engine, "guard" + std::to_string(i),
            {.shape = guard, .priority = 100, .preemptible = false, .node = node});
  }
  auto shy = GpuShape(1);
  shy->affinity.required_anti_pods.push_back(
      {LabelSelector{{{"app", "guard"}}, {}}, {}, {}, "host"});
  PutGang(engine, "wants", {.shape = shy, .priority = 75});
  CycleResult result = engine.RunCycle(base::Time(std::chrono::hours(1)));
  EXPECT_TRUE(result.evictions.empty());
  // With one, two and three potential victims: {1}, then {1} {2}, then {1} {2} {3} nodes.
  const ScenarioCounters& counters = result.actions["preempt"].generators["MultiNodeGang"];
  EXPECT_EQ(counters.emitted, 6);
  EXPECT_EQ(counters.simulated, 3);
  EXPECT_EQ(counters.duplicate, 3);
}

// A gang spread over two nodes. When one node is taken, its first pod finds another place and its
// second pod gets its own place back. When both are taken, the search continues with the whole gang
// and leaves the job "other" alone.
TEST(Lessons, AGangThatCameBackInPartGoesAgainAsAWhole) {
  Configuration configuration = Configuration::Defaults();
  configuration.actions = {"preempt"};
  Engine engine(configuration);
  engine.PutQueue(TopQueue("team"));
  for (const char* name : {"n1", "n2", "n6"}) engine.PutNode(GpuNode(name, 2, {{"disk", "fast"}}));
  engine.PutNode(GpuNode("n3", 1));
  engine.PutNode(GpuNode("n4", 3));
  PutGang(engine, "other", {.shape = GpuShape(2), .node = "n6"});
  PodGroupSpec gang;
  gang.name = "gang";
  gang.namespace_name = "ns";
  gang.queue = "team";
  gang.min_members = 2;
  gang.creation = base::Time(std::chrono::seconds(1));  // The first to be evicted.
  engine.PutPodGroup(gang);
  for (const auto& [name, node] : {std::pair{"gang-0", "n1"}, {"gang-1", "n2"}}) {
    PodSpec pod;
    pod.name = pod.uid = name;
    pod.pod_group = "gang";
    pod.shape = GpuShape(1);
    pod.status = TaskStatus::kRunning;
    pod.node = node;
    engine.PutPod(pod);
  }
  auto wanted = GpuShape(2);
  wanted->node_selector["disk"] = "fast";
  PutGang(engine, "wants", {.pods = 2, .shape = wanted, .priority = 80});
  const CycleResult result = engine.RunCycle(base::Time(std::chrono::hours(1)));
  std::vector<std::string> evicted;
  for (const auto& eviction : result.evictions) evicted.push_back(eviction.pod.name);
  EXPECT_THAT(evicted, ::testing::UnorderedElementsAre("gang-0", "gang-1"));
  std::map<std::string, std::string> places;
  for (const auto& plan : result.pipelined) places[plan.pod.name] = plan.node;
  EXPECT_EQ(places, (std::map<std::string, std::string>{
                        {"wants-0", "n1"}, {"wants-1", "n2"}, {"gang-0", "n3"}, {"gang-1", "n4"}}));
}

}  // namespace
}  // namespace coppice::engine
