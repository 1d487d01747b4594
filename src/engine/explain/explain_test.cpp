#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>

#include "engine/engine.h"
#include "engine/model/explanation.h"
#include "engine/properties/choices_testing.h"
#include "engine/tests/cluster_testing.h"

namespace coppice::engine {
namespace {

using namespace testing;  // NOLINT: of this folder

// A cluster small enough to know the right answer: one gang of equal pods waits for GPUs.
struct Oracle : Choices {
  struct Node {
    int gpus = 0, taken = 0, rack = 0;
  };
  struct Queue {
    double quota = -1, limit = -1;
  };

  explicit Oracle(uint32_t seed) : Choices(seed) {
    for (int i = Pick(1, 6); i > 0; --i) {
      Node node{Pick(0, 8), 0, Pick(0, 2)};
      node.taken = Pick(0, node.gpus);
      nodes.push_back(node);
    }
    pods = Pick(1, 5);
    gpus = Pick(1, 5);
    rack = Pick(1, 3) == 1;
    apart = Pick(1, 4) == 1;
    preemptible = Pick(0, 1) == 1;
    for (auto* queue : {&top, &team}) {
      if (Pick(1, 3) == 1) queue->limit = Pick(1, 20);
      if (Pick(1, 3) == 1) queue->quota = Pick(0, 20);
    }
  }

  Engine Build() const {
    Configuration configuration = Configuration::Defaults();
    configuration.actions = {"allocate"};
    Engine engine(configuration);
    engine.PutTopology({"t", {{"topo/rack", ""}}});
    engine.PutQueue(TopQueue("top", top.quota, top.limit));
    engine.PutQueue(ChildQueue("team", "top", team.quota, team.limit));
    engine.PutQueue(ChildQueue("other", "top"));
    for (size_t i = 0; i < nodes.size(); ++i) {
      const std::string name = "n" + std::to_string(i);
      engine.PutNode(GpuNode(name, nodes[i].gpus,
                             {{"topo/rack", "r" + std::to_string(nodes[i].rack)}, {"host", name}}));
      if (nodes[i].taken == 0) continue;
      PutGang(engine, "on-" + name,
              {.queue = "other", .shape = GpuShape(nodes[i].taken), .node = name});
    }
    auto shape = GpuShape(gpus);
    shape->labels["app"] = "asked";
    if (apart) {
      shape->affinity.required_anti_pods.push_back(
          {LabelSelector{{{"app", "asked"}}, {}}, {}, {}, "host"});
    }
    GangOptions options{.pods = pods, .shape = shape, .preemptible = preemptible};
    if (rack) options.topology = TopologyConstraint{"t", "topo/rack", ""};
    PutGang(engine, "asked", options);
    return engine;
  }

  bool Placed() const { return Build().RunCycle(kNow).binds.size() == static_cast<size_t>(pods); }

  // Whether nodes can hold the gang with `taken` of each node's GPUs in use, or with none in use.
  bool Holds(bool empty) const {
    std::map<int, int> slots;
    for (const auto& node : nodes) {
      const int free = node.gpus - (empty ? 0 : node.taken);
      slots[rack ? node.rack : 0] += apart ? free >= gpus : free / gpus;
    }
    return std::any_of(slots.begin(), slots.end(),
                       [&](const auto& entry) { return entry.second >= pods; });
  }

  void Apply(const Explanation::Change& change, double amount) {
    if (change.kind == "raiseLimit") (change.where == "top" ? top : team).limit += amount;
    if (change.kind == "raiseQuota") (change.where == "top" ? top : team).quota += amount;
    if (change.kind == "freeGpus" || change.kind == "addGpusToNode") {
      nodes[std::stoul(change.where.substr(1))].gpus += static_cast<int>(amount);
    }
    if (change.kind == "dropRule" && change.where == "PodAntiAffinity") apart = amount < 0;
  }

  std::vector<Node> nodes;
  Queue top, team;
  int pods = 1, gpus = 1;
  bool rack = false, apart = false, preemptible = true;
};

TEST(ExplainProperty, TheVerdictIsTrue) {
  for (uint32_t seed = 1; seed <= 500; ++seed) {
    const Oracle oracle(seed);
    const auto said = oracle.Build().Explain("ns", "asked", kNow);
    ASSERT_TRUE(said) << "seed " << seed;
    ASSERT_EQ(said->verdict == Verdict::kPlaceable, oracle.Placed()) << "seed " << seed;
    Oracle without_rule = oracle;
    without_rule.apart = false;
    ASSERT_EQ(said->verdict == Verdict::kNever, !without_rule.Holds(true)) << "seed " << seed;
    // What others hold will be freed without intervention; a rule stays.
    const bool by_itself = oracle.Holds(true) || said->verdict >= Verdict::kNeedsAction;
    ASSERT_TRUE(by_itself) << "seed " << seed;
  }
}

TEST(ExplainProperty, TheSmallestChangeSufficesAndNoLessDoes) {
  std::map<std::string, int> changed;  // By reason.
  for (uint32_t seed = 1; seed <= 500; ++seed) {
    const Oracle oracle(seed);
    const auto said = oracle.Build().Explain("ns", "asked", kNow);
    if (said->verdict == Verdict::kPlaceable) continue;
    const bool no_gpus = std::all_of(oracle.nodes.begin(), oracle.nodes.end(),
                                     [](const auto& node) { return node.gpus == 0; });
    if (no_gpus) continue;  // Would need nodes of another kind.
    ASSERT_FALSE(said->changes.empty()) << "seed " << seed;
    Oracle with = oracle;
    for (const auto& change : said->changes) with.Apply(change, change.amount);
    ASSERT_TRUE(with.Placed()) << "seed " << seed;
    for (const auto& least : said->changes) {
      Oracle less = with;
      less.Apply(least, -1);
      ASSERT_FALSE(less.Placed()) << "seed " << seed << ", less of " << least.kind;
    }
    ++changed[said->reason];
  }
  for (const char* reason : {"Resources", "Quota", "Limit", "Topology", "Fragmentation"}) {
    EXPECT_GT(changed[reason], 5) << reason;
  }
}

// The same for a gang of different pods, some of which request GPU fractions.
struct MixedOracle : Choices {
  explicit MixedOracle(uint32_t seed) : Choices(seed) {
    for (int i = Pick(1, 4); i > 0; --i) {
      const int gpus = Pick(1, 6);
      nodes.emplace_back(gpus, Pick(0, gpus));
    }
    for (int i = Pick(1, 4); i > 0; --i)
      percents.push_back(std::vector{25, 50, 100, 200, 300}[Pick(0, 4)]);
  }

  Engine Build() const {
    Configuration configuration = Configuration::Defaults();
    configuration.actions = {"allocate"};
    Engine engine(configuration);
    engine.PutQueue(TopQueue("team"));
    for (size_t i = 0; i < nodes.size(); ++i) {
      const std::string name = "n" + std::to_string(i);
      engine.PutNode(GpuNode(name, nodes[i].first));
      if (nodes[i].second == 0) continue;
      PutGang(engine, "on-" + name, {.shape = GpuShape(nodes[i].second), .node = name});
    }
    PutGang(engine, "asked", {.pods = static_cast<int>(percents.size()), .shape = GpuShape(1)});
    for (size_t i = 0; i < percents.size(); ++i) {
      PodSpec pod;
      pod.name = pod.uid = "asked-" + std::to_string(i);
      pod.pod_group = "asked";
      pod.shape = percents[i] < 100 ? FractionShape("0." + std::to_string(percents[i]))
                                    : GpuShape(percents[i] / 100);
      engine.PutPod(pod);
    }
    return engine;
  }

  bool Placed() const { return Build().RunCycle(kNow).binds.size() == percents.size(); }

  std::vector<std::pair<int, int>> nodes;  // GPUs, and how many of them are in use.
  std::vector<int> percents;               // The pods' requests in percent of a GPU.
};

TEST(ExplainProperty, PodsThatDifferAndPartsOfGpusAreToldWhatIsMissing) {
  int changed = 0;
  for (uint32_t seed = 1; seed <= 300; ++seed) {
    const MixedOracle oracle(seed);
    const auto said = oracle.Build().Explain("ns", "asked", kNow);
    ASSERT_EQ(said->verdict == Verdict::kPlaceable, oracle.Placed()) << "seed " << seed;
    if (said->verdict != Verdict::kWaits) continue;
    ASSERT_FALSE(said->changes.empty()) << "seed " << seed;
    MixedOracle with = oracle;
    // A GPU fraction is available on any free GPU.
    const auto apply = [](MixedOracle& to, const Explanation::Change& change, double amount) {
      to.nodes[std::stoul(change.where.substr(1))].first += static_cast<int>(std::ceil(amount));
    };
    for (const auto& change : said->changes) apply(with, change, change.amount);
    ASSERT_TRUE(with.Placed()) << "seed " << seed;
    for (const auto& least : said->changes) {
      MixedOracle less = with;
      apply(less, least, -1);
      ASSERT_FALSE(less.Placed()) << "seed " << seed;
    }
    ++changed;
  }
  EXPECT_GT(changed, 50);
}

Explanation Explain(Engine& engine) { return *engine.Explain("ns", "asked", kNow); }

TEST(Explain, NamesTheReasonAndItsNumbers) {
  Engine engine(Configuration::Defaults());
  engine.PutQueue(TopQueue("team"));
  engine.PutNode(GpuNode("a", 4));
  engine.PutNode(GpuNode("b", 4));
  PutGang(engine, "on-a", {.shape = GpuShape(3), .preemptible = false, .node = "a"});
  PutGang(engine, "on-b", {.shape = GpuShape(3), .preemptible = false, .node = "b"});
  PutGang(engine, "asked", {.shape = GpuShape(2)});
  const Explanation said = Explain(engine);
  EXPECT_EQ(said.verdict, Verdict::kWaits);
  EXPECT_EQ(said.reason, "Fragmentation");
  EXPECT_EQ(said.summary,
            "the pod asks for 2 GPUs; 2 of 8 GPUs are free, at most 1 GPU on one node; pod/on-a-0 "
            "runs there");
  EXPECT_EQ(said.evidence.at("freeGpus"), 2);
  EXPECT_EQ(said.nodes.at("node(s) didn't have enough resources: GPUs"), 2);
  ASSERT_EQ(said.changes.size(), 1u);
  EXPECT_EQ(said.changes[0].kind, "freeGpus");
  EXPECT_EQ(said.changes[0].where, "a");
  EXPECT_EQ(said.changes[0].amount, 1);
}

// Running pods are not the reason: the larger rack holds three of the four pods even when it is
// empty.
TEST(Explain, NeverInARackNamesTheLargest) {
  Engine engine(Configuration::Defaults());
  engine.PutQueue(TopQueue("team"));
  engine.PutTopology({"t", {{"rack", ""}}});
  engine.PutNode(GpuNode("a", 4, {{"rack", "small"}}));
  engine.PutNode(GpuNode("b", 4, {{"rack", "large"}}));
  engine.PutNode(GpuNode("c", 8, {{"rack", "large"}}));
  PutGang(engine, "other", {.shape = GpuShape(8), .node = "c"});
  PutGang(engine, "asked",
          {.pods = 4, .shape = GpuShape(4), .topology = TopologyConstraint{"t", "rack", ""}});
  const Explanation said = Explain(engine);
  EXPECT_EQ(said.verdict, Verdict::kNever);
  EXPECT_EQ(said.reason, "Topology");
  EXPECT_EQ(said.largest_domain, "large");
  EXPECT_EQ(said.evidence.at("largestDomainGpus"), 12);
  EXPECT_EQ(said.evidence.at("largestDomainPods"), 3);
  EXPECT_EQ(said.evidence.at("pods"), 4);
  ASSERT_EQ(said.alternative.size(), 1u);
  EXPECT_EQ(said.alternative[0].text,
            "use one rack with two free nodes, or do not require one rack");
}

TEST(Explain, NeverInARackIsToldWhichLevelIsWideEnough) {
  Engine engine(Configuration::Defaults());
  engine.PutQueue(TopQueue("team"));
  engine.PutTopology({"t", {{"topo/block", ""}, {"topo/rack", ""}}});
  for (const std::string name : {"a", "b", "c"}) {
    engine.PutNode(GpuNode(name, 8, {{"topo/block", "one"}, {"topo/rack", name}}));
  }
  PutGang(engine, "asked",
          {.pods = 3, .shape = GpuShape(8), .topology = TopologyConstraint{"t", "topo/rack", ""}});
  const Explanation said = Explain(engine);
  EXPECT_EQ(said.verdict, Verdict::kNever);
  ASSERT_EQ(said.alternative.size(), 1u);
  EXPECT_EQ(said.alternative[0].kind, "widenDomain");
  EXPECT_EQ(said.alternative[0].text, "use one rack with three free nodes, or relax rack to block");
}

// Two nodes with four GPUs; `told` adds to them and defines "asked".
std::pair<std::string, Verdict> ReasonOf(const std::function<void(Engine&)>& told) {
  Engine engine(Configuration::Defaults());
  engine.PutQueue(TopQueue("team"));
  engine.PutQueue(TopQueue("poor", 1, 2));
  engine.PutTopology({"t", {{"rack", ""}}});
  for (const std::string name : {"a", "b"}) engine.PutNode(GpuNode(name, 4, {{"rack", name}}));
  told(engine);
  const Explanation said = Explain(engine);
  EXPECT_NE(said.message, "") << said.reason;
  return {said.reason, said.verdict};
}

TEST(Explain, EveryReasonHasItsName) {
  using Said = std::pair<std::string, Verdict>;
  const auto asked = [](const GangOptions& options) {
    return [=](Engine& engine) { PutGang(engine, "asked", options); };
  };
  const auto full = [](Engine& engine) {
    for (const std::string node : {"a", "b"}) {
      PutGang(engine, "on-" + node, {.shape = GpuShape(4), .preemptible = false, .node = node});
    }
    PutGang(engine, "asked", {.shape = GpuShape(1)});
  };
  EXPECT_EQ(ReasonOf(asked({.shape = GpuShape(1)})), Said("Scheduled", Verdict::kPlaceable));
  EXPECT_EQ(ReasonOf(asked({.shape = GpuShape(1), .node = "a"})),
            Said("Scheduled", Verdict::kRuns));
  EXPECT_EQ(ReasonOf(full), Said("Resources", Verdict::kWaits));
  EXPECT_EQ(ReasonOf(asked({.pods = 3, .shape = GpuShape(4)})), Said("Resources", Verdict::kNever));
  EXPECT_EQ(ReasonOf(asked({.shape = GpuShape(5)})), Said("PodTooLarge", Verdict::kNever));
  EXPECT_EQ(ReasonOf(asked({.queue = "poor", .shape = GpuShape(3)})),
            Said("Limit", Verdict::kNeedsAction));
  EXPECT_EQ(ReasonOf(asked({.queue = "poor", .shape = GpuShape(2), .preemptible = false})),
            Said("Quota", Verdict::kNeedsAction));
  EXPECT_EQ(ReasonOf(asked({.queue = "nobody", .shape = GpuShape(1)})),
            Said("QueueDoesNotExist", Verdict::kNeedsAction));
  EXPECT_EQ(ReasonOf(asked({.pods = 1, .min = 2, .shape = GpuShape(1)})),
            Said("NotReady", Verdict::kWaits));
  GangOptions in_rack{.pods = 2, .shape = GpuShape(4)};
  in_rack.topology = TopologyConstraint{"t", "rack", ""};
  EXPECT_EQ(ReasonOf(asked(in_rack)), Said("Topology", Verdict::kNever));
  auto elsewhere = GpuShape(1);
  elsewhere->node_selector["disk"] = "fast";
  EXPECT_EQ(ReasonOf(asked({.shape = elsewhere})), Said("NodeAffinity", Verdict::kNeedsAction));
}

TEST(Explain, WhatIsMissingWhateverTheNodeIsNamed) {
  using Said = std::pair<std::string, Verdict>;
  auto configured = GpuShape(1);
  configured->containers[0].config_maps = {"settings"};
  EXPECT_EQ(ReasonOf([&](Engine& engine) { PutGang(engine, "asked", {.shape = configured}); }),
            Said("Prerequisites", Verdict::kNeedsAction));
  auto stored = GpuShape(1);
  stored->volume_claims = {{"nowhere", false}};
  EXPECT_EQ(ReasonOf([&](Engine& engine) { PutGang(engine, "asked", {.shape = stored}); }),
            Said("Prerequisites", Verdict::kNeedsAction));
  EXPECT_EQ(ReasonOf([](Engine& engine) {
              PutGang(engine, "asked", {.pods = 0, .min = 0, .shape = GpuShape(1)});
              PodSpec pod;
              pod.uid = pod.name = "stray";
              pod.shape = GpuShape(1);
              pod.pod_group = "asked";
              pod.sub_group = "nowhere";
              engine.PutPod(pod);
            }),
            Said("UnknownSubGroup", Verdict::kNeedsAction));
}

// `why`, conditions and events have the same source.
TEST(Explain, SaysWordForWordWhatTheCycleRecords) {
  auto configured = GpuShape(1);
  configured->containers[0].config_maps = {"settings"};
  const GangOptions cases[] = {
      {.pods = 3, .shape = GpuShape(4)},           {.shape = GpuShape(5)},
      {.queue = "poor", .shape = GpuShape(3)},     {.queue = "nobody", .shape = GpuShape(1)},
      {.pods = 1, .min = 2, .shape = GpuShape(1)}, {.shape = configured}};
  for (const GangOptions& options : cases) {
    Configuration configuration = Configuration::Defaults();
    configuration.actions = {"allocate"};
    Engine engine(configuration);
    engine.PutQueue(TopQueue("team"));
    engine.PutQueue(TopQueue("poor", 1, 2));
    for (const std::string name : {"a", "b"}) engine.PutNode(GpuNode(name, 4));
    PutGang(engine, "asked", options);
    const CycleResult recorded = engine.RunCycle(kNow);
    ASSERT_EQ(recorded.groups.size(), 1u);
    const GroupStatus& status = recorded.groups[0];
    const Explanation said = Explain(engine);
    EXPECT_EQ(said.message, status.ready ? status.message : status.not_ready_message)
        << said.reason;
  }
}

TEST(Explain, NamesEveryQueueThatStandsInTheWay) {
  Engine engine(Configuration::Defaults());
  engine.PutQueue(TopQueue("top", -1, 3));
  engine.PutQueue(ChildQueue("team", "top", -1, 2));
  engine.PutNode(GpuNode("a", 8));
  PutGang(engine, "asked", {.shape = GpuShape(5)});
  const Explanation said = Explain(engine);
  EXPECT_EQ(said.reason, "Limit");
  ASSERT_EQ(said.changes.size(), 2u);
  EXPECT_EQ(said.changes[0].where, "team");
  EXPECT_EQ(said.changes[0].amount, 3);
  EXPECT_EQ(said.changes[1].where, "top");
  EXPECT_EQ(said.changes[1].amount, 2);
}

TEST(Explain, APodLargerThanAnyNodeNeverRuns) {
  Engine engine(Configuration::Defaults());
  engine.PutQueue(TopQueue("team"));
  engine.PutNode(GpuNode("a", 4));
  PutGang(engine, "asked", {.shape = GpuShape(5)});
  const Explanation said = Explain(engine);
  EXPECT_EQ(said.verdict, Verdict::kNever);
  EXPECT_EQ(said.reason, "PodTooLarge");
}

TEST(Explain, SaysHowManyPodsAGangWaitsFor) {
  Engine engine(Configuration::Defaults());
  engine.PutQueue(TopQueue("team"));
  engine.PutNode(GpuNode("a", 4));
  PutGang(engine, "asked", {.pods = 2, .min = 3, .shape = GpuShape(1)});
  const Explanation said = Explain(engine);
  EXPECT_EQ(said.verdict, Verdict::kWaits);
  EXPECT_EQ(said.reason, "NotReady");
  EXPECT_EQ(said.message,
            "Job is not ready for scheduling. Waiting for 3 pods, currently 2 exist, 0 are gated");
}

TEST(Explain, NamesTheDomainThatLacksLeast) {
  Engine engine(Configuration::Defaults());
  engine.PutQueue(TopQueue("team"));
  engine.PutTopology({"t", {{"topo/rack", ""}}});
  engine.PutNode(GpuNode("a", 4, {{"topo/rack", "r1"}}));
  engine.PutNode(GpuNode("b", 4, {{"topo/rack", "r1"}}));
  engine.PutNode(GpuNode("c", 8, {{"topo/rack", "r2"}}));
  PutGang(engine, "on-a", {.shape = GpuShape(1), .preemptible = false, .node = "a"});
  PutGang(engine, "on-c", {.shape = GpuShape(3), .preemptible = false, .node = "c"});
  PutGang(engine, "asked",
          {.pods = 2, .shape = GpuShape(4), .topology = TopologyConstraint{"t", "topo/rack", ""}});
  const Explanation said = Explain(engine);
  EXPECT_EQ(said.reason, "Topology");
  EXPECT_EQ(said.domain, "r1");
  ASSERT_EQ(said.changes.size(), 1u);
  EXPECT_EQ(said.changes[0].where, "a");
  EXPECT_EQ(said.changes[0].amount, 1);
}

}  // namespace
}  // namespace coppice::engine
