#include "engine/model/compatibility.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/engine.h"
#include "engine/registry.h"
#include "engine/shares/fair_share.h"
#include "engine/tests/cluster_testing.h"
#include "engine/tests/compatibility_testing.h"

// Every quirk in both forms, each on the smallest cluster that distinguishes them. Names and queues
// are here, the others in the other compatibility tests. Quirks about files and writes are in
// services/scheduler.

namespace coppice::engine {
namespace {

using namespace testing;  // NOLINT: of this folder
using ::testing::ElementsAre;

TEST(CompatibilitySwitches, EachHasAName) {
  EXPECT_EQ(Quirks().size(), static_cast<size_t>(Quirk::kCount));
  const Compatibility defaults;
  for (const QuirkInfo& info : Quirks()) {
    EXPECT_EQ(FindQuirk(info.name), info.quirk) << info.name;
    EXPECT_EQ(defaults.Keeps(info.quirk), info.kept) << info.name;
    Compatibility other;
    other.Set(info.quirk, !info.kept);
    for (const QuirkInfo& each : Quirks()) {
      EXPECT_EQ(other.Keeps(each.quirk), each.kept != (each.quirk == info.quirk)) << each.name;
    }
  }
  EXPECT_EQ(FindQuirk("noSuchSwitch"), std::nullopt);
}

TEST(CompatibilitySwitches, MultiplierSpelling) {
  const auto multiplier = [](bool kept) {
    Configuration configuration = With(Quirk::kMultiplierSpelling, kept);
    configuration.plugins = {{"proportion", {{"reclaimerUtilizationMultiplier", "3"}}}};
    return ReadPlugins(configuration).saturation_multiplier;
  };
  EXPECT_EQ(multiplier(true), 1);
  EXPECT_EQ(multiplier(false), 3);
}

TEST(CompatibilitySwitches, GroupNames) {
  const auto bound = [](bool kept) {
    Engine engine(With(Quirk::kGroupNames, kept));
    engine.PutQueue(TopQueue("team"));
    engine.PutNode(GpuNode("a", 8));
    for (const char* ns : {"one", "two"}) {
      PutGang(engine, "g", {.pods = 0, .min = 2, .shape = GpuShape(1, ns)});
      PodSpec pod;
      pod.uid = pod.name = std::string("of-") + ns;
      pod.shape = GpuShape(1, ns);
      pod.pod_group = "g";
      engine.PutPod(pod);
    }
    return engine.RunCycle(kNow).binds.size();
  };
  EXPECT_EQ(bound(true), 2u) << "the two groups are one, and whole";
  EXPECT_EQ(bound(false), 0u);
}

Configuration Disabling(bool kept, const std::string& plugin, const std::string& option) {
  Configuration configuration = With(Quirk::kDisabledHooks, kept);
  for (auto& each : configuration.plugins) {
    if (each.name == plugin) each.disabled.insert(option);
  }
  return configuration;
}

TEST(CompatibilitySwitches, DisabledHooks) {
  const auto first = [](bool kept) {
    Engine engine(Disabling(kept, "priority", "disableJobOrder"));
    engine.PutQueue(TopQueue("team"));
    engine.PutNode(GpuNode("a", 1));
    PutGang(engine, "a-low", {.shape = GpuShape(1), .priority = 10});
    PutGang(engine, "b-high", {.shape = GpuShape(1), .priority = 20});
    return Bound(engine.RunCycle(kNow));
  };
  EXPECT_THAT(first(true), ElementsAre("b-high-0"));
  EXPECT_THAT(first(false), ElementsAre("a-low-0"));
}

TEST(CompatibilitySwitches, EveryHookCanBeDisabled) {
  struct Case {
    const char* plugin;
    const char* option;
    bool Plugins::* on;
  };
  const Case cases[] = {{"predicates", "disablePredicate", &Plugins::predicates},
                        {"proportion", "disableQueueOrder", &Plugins::queue_order},
                        {"proportion", "disableReclaimable", &Plugins::reclaim_of_shares},
                        {"nodeavailability", "disableNodeOrder", &Plugins::nodeavailability},
                        {"gpusharingorder", "disableNodeOrder", &Plugins::gpusharingorder},
                        {"resourcetype", "disableNodeOrder", &Plugins::resourcetype},
                        {"nominatednode", "disableNodeOrder", &Plugins::nominatednode},
                        {"minruntime", "disableReclaimable", &Plugins::reclaim_minruntime},
                        {"minruntime", "disablePreemptable", &Plugins::preempt_minruntime},
                        {"topology", "disableNodeOrder", &Plugins::topology_scores}};
  for (const Case& each : cases) {
    EXPECT_TRUE(ReadPlugins(Disabling(true, each.plugin, each.option)).*each.on) << each.plugin;
    EXPECT_FALSE(ReadPlugins(Disabling(false, each.plugin, each.option)).*each.on) << each.plugin;
  }
  const Plugins placed = ReadPlugins(Disabling(false, "nodeplacement", "disableNodeOrder"));
  EXPECT_EQ(placed.gpu_placement, Placement::kNone);
}

TEST(CompatibilitySwitches, QueueDepthSlot) {
  const auto bound = [](bool kept) {
    Configuration configuration = With(Quirk::kQueueDepthSlot, kept, {"allocate"});
    configuration.queue_depth_per_action["allocate"] = 2;
    Engine engine(configuration);
    engine.PutQueue(TopQueue("team"));
    engine.PutNode(GpuNode("a", 8));
    PutGang(engine, "1", {.shape = GpuShape(1), .priority = 10});
    PutGang(engine, "2", {.shape = GpuShape(1), .priority = 20});
    PutGang(engine, "3", {.shape = GpuShape(1), .priority = 30});
    return Bound(engine.RunCycle(kNow));
  };
  EXPECT_THAT(bound(true), ElementsAre("3-0", "1-0"));
  EXPECT_THAT(bound(false), ElementsAre("3-0", "2-0"));
}

TEST(CompatibilitySwitches, EqualQueueAges) {
  const auto bound = [](bool kept) {
    Engine engine(With(Quirk::kEqualQueueAges, kept));
    for (const char* queue : {"a", "b"}) engine.PutQueue(TopQueue(queue, 0));
    engine.PutNode(GpuNode("n", 2));
    PutGang(engine, "1", {.queue = "b", .shape = GpuShape(2)});
    PutGang(engine, "2", {.queue = "a", .shape = GpuShape(2)});
    return Bound(engine.RunCycle(kNow));
  };
  EXPECT_THAT(bound(true), ElementsAre("1-0")) << "the first that came";
  EXPECT_THAT(bound(false), ElementsAre("2-0")) << "the first by name";
}

// The fourth of four queues gets a better job while it is not at the top of the heap.
TEST(CompatibilitySwitches, LazyQueueOrder) {
  const auto bound = [](bool kept) {
    Engine engine(With(Quirk::kLazyQueueOrder, kept, {"allocate"}));
    engine.PutNode(GpuNode("n", 4));
    for (int i = 0; i < 4; ++i) {
      const std::string queue = "q" + std::to_string(i);
      engine.PutQueue(TopQueue(queue, 2));
      PutGang(engine, std::to_string(i), {.queue = queue, .shape = GpuShape(4)});
    }
    PutGang(engine, "small", {.queue = "q3", .shape = GpuShape(1), .priority = 60});
    return Bound(engine.RunCycle(kNow));
  };
  EXPECT_THAT(bound(true), ElementsAre("0-0"));
  EXPECT_THAT(bound(false), ElementsAre("small-0")) << "within its quota, unlike the others";
}

TEST(CompatibilitySwitches, ShareUnits) {
  const auto shares = [](bool kept) {
    Engine engine(With(Quirk::kShareUnits, kept));
    NodeSpec node = GpuNode("n", 0);
    node.allocatable["cpu"] = base::Quantity::FromUnits(1);
    engine.PutNode(node);
    for (const std::string name : {"a", "b", "c"}) {
      QueueSpec queue = TopQueue(name, 0);
      queue.cpu = {0, -1, 1};
      engine.PutQueue(queue);
      PutGang(engine, "j" + name, {.queue = name, .shape = GpuShape(0)});
    }
    std::vector<double> cpu;
    for (const auto& queue : engine.RunCycle(kNow).queues) cpu.push_back(queue.fair_share[0]);
    return cpu;
  };
  EXPECT_THAT(shares(true), ElementsAre(334, 333, 333));
  EXPECT_THAT(shares(false), ::testing::Each(::testing::DoubleNear(1000.0 / 3, 1e-6)));

  const auto leftover = [](Leftover how) {
    std::vector<ShareRequest> queues(3);
    for (int i = 0; i < 3; ++i) {
      queues[i].weight = 1;
      queues[i].request = 3.4;
      queues[i].name_rank = i;
    }
    DivideFairShare(10, 0, 1, queues, how);
    return queues[0].fair_share;
  };
  EXPECT_EQ(leftover(Leftover::kWholeUnits), 4) << "more than it asks for";
  EXPECT_EQ(leftover(Leftover::kAsRequested), 3.4);
}

}  // namespace
}  // namespace coppice::engine
