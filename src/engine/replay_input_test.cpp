#include "engine/replay_input.h"

#include <gtest/gtest.h>

#include "engine/apply.h"
#include "engine/inputs/recorded_cycle.h"
#include "engine/inputs/recorder.h"
#include "engine/properties/random_world_testing.h"
#include "engine/tests/cluster_testing.h"

namespace coppice::engine {
namespace {

using namespace testing;  // NOLINT: of this folder

// What one engine was told is passed on to another, cycle by cycle.
class Pair {
 public:
  explicit Pair(const Configuration& configuration) : first(configuration), second(configuration) {
    first.KeepInputs();
    first.SetRecorder(&recorder);
  }

  // Whether both decide the same.
  std::string Cycle(base::Time now) {
    const std::string input = recorder.Take();
    reader.Use(input);
    const base::Status told = ReplayInput(reader, second);
    if (!told) return told.error().message();
    const RecordedCycle one = describer.Describe(now, first.RunCycle(now));
    decided += one.decisions.size();
    return DifferenceOf(one, other.Describe(now, second.RunCycle(now))).value_or("");
  }

  Recorder recorder;
  ArchiveReader reader;
  CycleDescriber describer, other;
  Engine first, second;
  size_t decided = 0;
};

TEST(Recorder, EveryCycleDecidesTheSameAgain) {
  size_t decided = 0;
  for (uint32_t seed = 1; seed <= 40; ++seed) {
    RandomWorld world{Choices(seed)};
    Pair pair(world.configuration);
    for (const auto& spec : world.nodes) Put(pair.first, spec);
    for (const auto& spec : world.queues) Put(pair.first, spec);
    for (const auto& spec : world.topologies) Put(pair.first, spec);
    for (const auto& spec : world.groups) Put(pair.first, spec);
    for (const auto& spec : world.pods) Put(pair.first, spec);
    for (int cycle = 0; cycle < 4; ++cycle) {
      ASSERT_EQ(pair.Cycle(world.now), "") << "seed " << seed << " cycle " << cycle;
      if (cycle == 1) pair.first.RemovePod(world.pods[0].uid);
      if (cycle == 2) pair.first.PutNode(GpuNode("another", 8));
      world.now += std::chrono::seconds(30);
    }
    decided += pair.decided;
  }
  EXPECT_GT(decided, 100u);
}

// Kinds that random worlds do not have, with every field set once.
TEST(Recorder, EveryKindSurvives) {
  Recorder recorder;
  ResourceSliceSpec slice{.name = "s", .driver = "d", .pool = "p", .pool_generation = -3};
  slice.node_selector.emplace().terms.push_back({{{"k", SelectorOperator::kNotIn, {"v"}}}, {}});
  slice.devices.push_back({"gpu", {{"a", true}, {"b", int64_t{-7}}, {"c", DeviceVersion{"1.0"}}}});
  slice.devices[0].capacity["memory"] = *base::Quantity::Parse("80Gi");
  recorder.Put(slice);
  recorder.Remove<CsiDriverSpec>("", "x");
  const std::string bytes = recorder.Take();
  ArchiveReader reader;
  reader.Use(bytes);
  EXPECT_EQ(reader.Read<uint8_t>(), Recorder::CodeOf<ResourceSliceSpec>(Recorder::kPut));
  const auto read = reader.Read<ResourceSliceSpec>();
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ(read.pool_generation, -3);
  EXPECT_EQ(read.node_selector->terms[0].match_expressions[0].op, SelectorOperator::kNotIn);
  EXPECT_EQ(read.devices[0].attributes, slice.devices[0].attributes);
  EXPECT_EQ(read.devices[0].capacity, slice.devices[0].capacity);
  EXPECT_EQ(reader.Read<uint8_t>(), Recorder::CodeOf<CsiDriverSpec>(Recorder::kRemove));
}

TEST(Recorder, DamagedInputIsRefused) {
  Recorder recorder;
  recorder.Put(GpuNode("a", 8));
  PodSpec pod;
  pod.uid = "u";
  pod.shape = GpuShape(1);
  recorder.Put(pod);
  const std::string whole = recorder.Take();
  int read = 0;
  for (size_t length = 1; length < whole.size(); ++length) {
    Engine engine(Configuration::Defaults());
    ArchiveReader reader;
    const std::string cut = whole.substr(0, length);
    reader.Use(cut);
    read += ReplayInput(reader, engine).ok();
  }
  EXPECT_EQ(read, 1);  // Cut between the two objects.
  Engine engine(Configuration::Defaults());
  ArchiveReader reader;
  reader.Use("\x7f");
  EXPECT_FALSE(ReplayInput(reader, engine));
}

}  // namespace
}  // namespace coppice::engine
