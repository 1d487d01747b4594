#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "engine/engine.h"
#include "engine/model/explanation.h"
#include "engine/properties/choices_testing.h"
#include "engine/tests/cluster_testing.h"

// The smallest change if something other than GPUs is short, and if rules block the gang.

namespace coppice::engine {
namespace {

using namespace testing;  // NOLINT: of this folder
using ::testing::UnorderedElementsAre;

// A gang of equal pods that request CPU and memory, and one GPU or none.
struct AmountsOracle : Choices {
  struct Node {
    int64_t cpu, memory;  // Millicores, MiB.
    int64_t taken_cpu, taken_memory;
    int gpus;
  };

  explicit AmountsOracle(uint32_t seed) : Choices(seed) {
    for (int i = Pick(1, 4); i > 0; --i) {
      Node node{Pick(1, 80) * 100, Pick(1, 80) * 100, 0, 0, Pick(0, 4)};
      node.taken_cpu = node.cpu * Pick(0, 10) / 10;
      node.taken_memory = node.memory * Pick(0, 10) / 10;
      nodes.push_back(node);
    }
    pods = Pick(1, 4);
    gpus = Pick(0, 1);
    cpu = Pick(1, 40) * 100;
    memory = Pick(1, 40) * 100;
  }

  static std::shared_ptr<PodShape> Shape(int gpus, int64_t cpu, int64_t memory) {
    auto shape = GpuShape(gpus);
    shape->containers[0].requests["cpu"] = base::Quantity::FromMilli(cpu);
    shape->containers[0].requests["memory"] = base::Quantity::FromUnits(memory << 20);
    return shape;
  }

  Engine Build() const {
    Configuration configuration = Configuration::Defaults();
    configuration.actions = {"allocate"};
    Engine engine(configuration);
    engine.PutQueue(TopQueue("team"));
    for (size_t i = 0; i < nodes.size(); ++i) {
      const std::string name = "n" + std::to_string(i);
      NodeSpec node = GpuNode(name, nodes[i].gpus);
      node.allocatable["cpu"] = base::Quantity::FromMilli(nodes[i].cpu);
      node.allocatable["memory"] = base::Quantity::FromUnits(nodes[i].memory << 20);
      engine.PutNode(node);
      PutGang(engine, "on-" + name,
              {.shape = Shape(0, nodes[i].taken_cpu, nodes[i].taken_memory), .node = name});
    }
    PutGang(engine, "asked", {.pods = pods, .shape = Shape(gpus, cpu, memory)});
    return engine;
  }

  bool Placed() const { return Build().RunCycle(kNow).binds.size() == static_cast<size_t>(pods); }

  bool HoldsEmpty() const {
    int64_t slots = 0;
    for (const auto& node : nodes) {
      const int64_t here = std::min(node.cpu / cpu, node.memory / memory);
      slots += gpus > 0 ? std::min<int64_t>(here, node.gpus) : here;
    }
    return slots >= pods;
  }

  void Apply(const Explanation::Change& change, double amount) {
    Node& node = nodes.at(std::stoul(change.where.substr(1)));
    if (change.resource == "cpu") node.cpu += static_cast<int64_t>(amount);
    if (change.resource == "memory") node.memory += static_cast<int64_t>(amount);
    if (change.resource == "gpu") node.gpus += static_cast<int>(amount);
  }

  std::vector<Node> nodes;
  int pods = 1, gpus = 0;
  int64_t cpu = 0, memory = 0;
};

TEST(ExplainProperty, OtherResourcesThanGpusHaveASmallestChange) {
  std::map<std::string, int> changed;  // By resource.
  for (uint32_t seed = 1; seed <= 300; ++seed) {
    const AmountsOracle oracle(seed);
    const auto said = oracle.Build().Explain("ns", "asked", kNow);
    ASSERT_EQ(said->verdict == Verdict::kPlaceable, oracle.Placed()) << "seed " << seed;
    ASSERT_EQ(said->verdict == Verdict::kNever, !oracle.HoldsEmpty()) << "seed " << seed;
    if (said->verdict == Verdict::kPlaceable) continue;
    const bool no_gpus = std::all_of(oracle.nodes.begin(), oracle.nodes.end(),
                                     [](const auto& node) { return node.gpus == 0; });
    if (oracle.gpus > 0 && no_gpus) continue;  // Would need nodes of another kind.
    ASSERT_FALSE(said->changes.empty()) << "seed " << seed << " " << said->reason;
    AmountsOracle with = oracle;
    for (const auto& change : said->changes) with.Apply(change, change.amount);
    ASSERT_TRUE(with.Placed()) << "seed " << seed;
    for (const auto& least : said->changes) {
      AmountsOracle less = with;
      less.Apply(least, -1);
      ASSERT_FALSE(less.Placed()) << "seed " << seed << ", less " << least.resource;
      ++changed[least.resource];
    }
  }
  for (const char* resource : {"cpu", "memory", "gpu"})
    EXPECT_GT(changed[resource], 10) << resource;
}

// Two nodes with room for all pods; `rule` blocks the gang.
std::vector<std::string> Dropped(const std::function<void(Engine&, PodShape&)>& rule,
                                 std::string* reason = nullptr) {
  Engine engine(Configuration::Defaults());
  engine.PutQueue(TopQueue("team"));
  for (const std::string name : {"a", "b"}) engine.PutNode(GpuNode(name, 4, {{"host", name}}));
  auto shape = GpuShape(1);
  shape->labels["app"] = "asked";
  rule(engine, *shape);
  PutGang(engine, "asked", {.pods = 3, .shape = shape});
  const Explanation said = *engine.Explain("ns", "asked", kNow);
  if (reason) *reason = said.reason;
  std::vector<std::string> rules;
  for (const auto& change : said.changes) {
    rules.push_back(change.kind == "dropRule" ? change.where : change.text);
  }
  return rules;
}

void TaintNodes(Engine& engine, PodShape&) {
  for (const std::string name : {"a", "b"}) {
    NodeSpec node = GpuNode(name, 4, {{"host", name}});
    node.taints = {{"dedicated", "others", "NoSchedule"}};
    engine.PutNode(node);
  }
}

void WantFastDisk(Engine&, PodShape& shape) { shape.node_selector["disk"] = "fast"; }

PodAffinityTerm Company(const std::string& app) {
  return {LabelSelector{{{"app", app}}, {}}, {}, {}, "host"};
}

constexpr char kLabelNode[] =
    "label a `disk=fast`, or remove that from the pods' node selector or affinity";
constexpr char kTolerate[] = "tolerate `dedicated=others:NoSchedule`, or remove it from a";

TEST(ExplainRules, ARuleThatAloneStandsInTheWayIsNamed) {
  std::string reason;
  EXPECT_THAT(Dropped(WantFastDisk, &reason), UnorderedElementsAre(kLabelNode));
  EXPECT_EQ(reason, "NodeAffinity");
  EXPECT_THAT(Dropped(TaintNodes), UnorderedElementsAre(kTolerate));
  EXPECT_THAT(Dropped([](Engine&, PodShape& shape) {
                shape.affinity.required_pods.push_back(Company("nobody"));
              }),
              UnorderedElementsAre("PodAffinity"));
  EXPECT_THAT(Dropped([](Engine&, PodShape& shape) {
                shape.affinity.required_anti_pods.push_back(Company("asked"));
              }),
              UnorderedElementsAre("PodAntiAffinity"));
  EXPECT_THAT(
      Dropped([](Engine&, PodShape& shape) { shape.containers[0].host_ports = {{"", "TCP", 80}}; }),
      UnorderedElementsAre("HostPorts"));
}

TEST(ExplainRules, OfSeveralAllThatAreNeededAreNamed) {
  EXPECT_THAT(Dropped([](Engine& engine, PodShape& shape) {
                TaintNodes(engine, shape);
                WantFastDisk(engine, shape);
              }),
              UnorderedElementsAre(kLabelNode, kTolerate));
}

TEST(ExplainRules, RoomIsAskedForBeforeRulesAreDropped) {
  Engine engine(Configuration::Defaults());
  engine.PutQueue(TopQueue("team"));
  engine.PutNode(GpuNode("a", 4, {{"disk", "fast"}}));
  engine.PutNode(GpuNode("b", 4));
  PutGang(engine, "on-a", {.shape = GpuShape(4), .preemptible = false, .node = "a"});
  auto shape = GpuShape(1);
  shape->node_selector["disk"] = "fast";
  PutGang(engine, "asked", {.shape = shape});
  const Explanation said = *engine.Explain("ns", "asked", kNow);
  EXPECT_EQ(said.reason, "Resources");
  EXPECT_THAT(said.summary,
              ::testing::StartsWith("the pod asks for 1 GPU; 0 of 4 GPUs are free on "
                                    "nodes that it may use; pod/on-a-0 runs there; "));
  EXPECT_EQ(said.verdict, Verdict::kWaits);
  ASSERT_EQ(said.changes.size(), 1u);
  EXPECT_EQ(said.changes[0].kind, "freeGpus");
  EXPECT_EQ(said.changes[0].where, "a");
  ASSERT_EQ(said.alternative.size(), 1u);
  EXPECT_EQ(said.alternative[0].text,
            "label b `disk=fast`, or remove that from the pods' node selector or affinity");
}

}  // namespace
}  // namespace coppice::engine
