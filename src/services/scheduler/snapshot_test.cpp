#include "services/scheduler/snapshot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "base/files.h"
#include "services/common/zip.h"
#include "services/scheduler/options/config_file.h"
#include "source_dir.h"

namespace coppice::services::scheduler {
namespace {

using ::testing::HasSubstr;

// Recorded by the real scheduler.
std::string Recorded(const std::string& name) {
  const auto bytes = base::ReadFile(COPPICE_SOURCE_DIR "/tests/vectors/snapshots/" + name);
  EXPECT_TRUE(bytes) << bytes.error().message();
  return bytes.value_or("");
}

TEST(ZipTest, WhatIsWrittenIsRead) {
  for (const std::string& content : {std::string(), std::string("abc"), std::string(100000, 'x')}) {
    const std::string zip = WriteZip("a.json", content);
    EXPECT_EQ(*ReadZipMember(zip, "a.json"), content);
    EXPECT_FALSE(ReadZipMember(zip, "b.json"));
  }
}

TEST(ZipTest, DamageIsAnError) {
  const std::string zip = WriteZip("a", "some content that is packed");
  for (size_t cut = 0; cut < zip.size(); ++cut)
    EXPECT_FALSE(ReadZipMember(zip.substr(0, cut), "a"));
  for (size_t at = 0; at < zip.size(); ++at) {
    std::string damaged = zip;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    const auto read = ReadZipMember(damaged, "a");
    if (read) {
      EXPECT_EQ(*read, "some content that is packed") << at;
    }
  }
}

TEST(ConfigFileTest, ReadsWhatUsersWrite) {
  const auto config = ParseConfigFile(R"(
actions: allocate, reclaim
tiers:
- plugins: [{name: predicates}, {name: proportion, arguments: {kValue: "0.5"}}]
- plugins: [{name: gpupack}]
queueDepthPerAction: {reclaim: 5}
scenarioSearchBudgets: {maxJobSearchDuration: 10s}
)");
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_EQ(config->configuration.actions, (std::vector<std::string>{"allocate", "reclaim"}));
  ASSERT_EQ(config->configuration.plugins.size(), 3);
  EXPECT_EQ(config->configuration.plugins[1].arguments.at("kValue"), "0.5");
  EXPECT_EQ(config->configuration.queue_depth_per_action.at("reclaim"), 5);
  EXPECT_EQ(config->configuration.budgets.max_job, std::chrono::seconds(10));
  const auto again = ReadConfigFile(WriteConfigFile(*config));
  ASSERT_TRUE(again);
  EXPECT_EQ(WriteConfigFile(*again), WriteConfigFile(*config));
}

TEST(ConfigFileTest, ErrorsNameTheKey) {
  const auto error = [](std::string_view yaml) { return ParseConfigFile(yaml).error().message(); };
  EXPECT_THAT(error("tiers: []"), HasSubstr("actions"));
  EXPECT_THAT(error("{actions: allocate, queueDepthPerAction: {allocate: many}}"),
              HasSubstr("queueDepthPerAction.allocate"));
  EXPECT_THAT(error("{actions: allocate, scenarioSearchBudgets: {maxJobSearchDuration: -1s}}"),
              HasSubstr("maxJobSearchDuration"));
  EXPECT_THAT(error("{actions: allocate, scenarioSearchBudgets: {maxGeneratorSearchDuration: "
                    "{Magic: 1s}}}"),
              HasSubstr("maxGeneratorSearchDuration.Magic names no generator"));
  EXPECT_THAT(error("- a"), HasSubstr("mapping"));
  EXPECT_TRUE(ParseConfigFile("").ok());
}

TEST(SnapshotTest, WhatIsWrittenIsRead) {
  Snapshot snapshot;
  snapshot.options.detailed_fit_errors = true;
  snapshot.options.partition_label_value = "pool";
  snapshot.objects = json::Value::Object({{"pods", json::Value::Array()}});
  const auto read = ReadSnapshot(WriteSnapshot(snapshot));
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_TRUE(read->options.detailed_fit_errors);
  EXPECT_EQ(read->options.partition_label_value, "pool");
  EXPECT_EQ(read->options.configuration.actions, snapshot.options.configuration.actions);
  EXPECT_EQ(read->options.configuration.max_consolidation_preemptees, 16);
}

TEST(SnapshotTest, RecordedSmallCluster) {
  const auto bytes = Recorded("small.zip");
  const auto snapshot = ReadSnapshot(bytes);
  ASSERT_TRUE(snapshot) << snapshot.error().message();
  engine::Engine engine(snapshot->options.configuration);
  LoadSnapshot(*snapshot, engine);
  const engine::CycleResult result = engine.RunCycle(NewestTime(*snapshot));
  // The binder has given up on the first fraction pod's request, so the scheduler tries again.
  std::vector<std::string> bound;
  for (const auto& bind : result.binds) bound.push_back(bind.pod.name);
  EXPECT_EQ(bound, std::vector<std::string>{"f0"});
  EXPECT_TRUE(result.evictions.empty());
  EXPECT_EQ(engine.FindNode("n1")->used_gpus + engine.FindNode("n1")->idle_gpus, 4);
}

TEST(SnapshotTest, RecordedFilledCluster) {
  const auto bytes = Recorded("filled.zip");
  const auto snapshot = ReadSnapshot(bytes);
  ASSERT_TRUE(snapshot) << snapshot.error().message();
  engine::Engine engine(snapshot->options.configuration);
  LoadSnapshot(*snapshot, engine);
  const engine::CycleResult result = engine.RunCycle(NewestTime(*snapshot));
  EXPECT_TRUE(result.evictions.empty());
}

double RequestedGpus(const json::Value& pod) {
  double gpus = 0;
  for (const json::Value& container : pod["spec"]["containers"].Items()) {
    const std::string text = container["resources"]["requests"]["nvidia.com/gpu"].ToString();
    gpus += text.empty() ? 0 : std::stod(text);
  }
  return gpus;
}

// What the file holds is what a cycle sees, object by object.
void ExpectSameCounts(const char* file, size_t nodes, size_t queues, size_t groups, size_t pods) {
  const auto bytes = Recorded(file);
  const auto snapshot = ReadSnapshot(bytes);
  ASSERT_TRUE(snapshot);
  const json::Value& objects = snapshot->objects;
  engine::Engine engine(snapshot->options.configuration);
  LoadSnapshot(*snapshot, engine);
  double requested = 0, used = 0;
  std::set<std::string> known_nodes, known_pods;
  for (const json::Value& node : objects["nodes"].Items()) {
    const auto state = engine.FindNode(node["metadata"]["name"].ToString());
    if (!state) continue;
    used += state->used_gpus;
    known_nodes.insert(node["metadata"]["name"].ToString());
  }
  for (const json::Value& pod : objects["pods"].Items()) {
    const auto state = engine.FindPod(pod["metadata"]["uid"].ToString());
    if (!state) continue;
    known_pods.insert(pod["metadata"]["uid"].ToString());
    if (state->status == engine::TaskStatus::kPending || !state->gpu_groups.empty()) continue;
    EXPECT_NE(state->node, "");
    requested += RequestedGpus(pod);
  }
  EXPECT_EQ(known_nodes.size(), nodes);
  EXPECT_EQ(known_pods.size(), pods);
  EXPECT_EQ(used, requested);
  EXPECT_EQ(objects["podGroups"].size(), groups);
  const engine::CycleResult result = engine.RunCycle(NewestTime(*snapshot));
  EXPECT_EQ(result.queues.size(), queues);
  EXPECT_TRUE(result.problems.empty());
  size_t explained = 0;
  for (const json::Value& group : objects["podGroups"].Items()) {
    explained += engine
                     .Explain(group["metadata"]["namespace"].ToString(),
                              group["metadata"]["name"].ToString(), NewestTime(*snapshot))
                     .has_value();
  }
  EXPECT_EQ(explained, groups);
}

// As the snapshots' description counts them.
TEST(SnapshotTest, CountsAreThoseOfTheRecording) {
  ExpectSameCounts("small.zip", 4, 4, 14, 18);
  ExpectSameCounts("filled.zip", 104, 9, 714, 718);
}

}  // namespace
}  // namespace coppice::services::scheduler
