#include "cli/simulate/simulate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cli/run/processes_testing.h"
#include "json/parse.h"
#include "services/common/zip.h"
#include "source_dir.h"

namespace coppice::cli {
namespace {

using json::Value;
using testing::HasSubstr;
using testing::Not;

class SimulateTest : public testing::Test {
 protected:
  // Runs the program on a snapshot with these bytes.
  Printed Simulate(const std::string& bytes, std::vector<std::string> arguments = {}) {
    const std::string path = folder / "snapshot";
    std::ofstream(path, std::ios::binary) << bytes;
    return Run(path, std::move(arguments));
  }

  Printed Run(const std::string& path, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"simulate", path});
    return RunToTheEnd(arguments);
  }

  std::string Write(const std::string& name, const std::string& content) {
    std::ofstream(folder / name) << content;
    return folder / name;
  }

  Value Json(const Printed& printed) {
    EXPECT_EQ(printed.code, 0) << printed.errors;
    const auto parsed = json::Parse(printed.text);
    EXPECT_TRUE(parsed) << printed.text;
    return parsed ? *parsed : Value();
  }

  TemporaryFolder folder;
};

// One node with two GPUs, used by "low" of the same queue; "high" waits for both.
std::string Cluster() {
  const auto group = [](const std::string& name, const std::string& priority) {
    return R"({"metadata":{"name":")" + name +
           R"(","namespace":"ns","creationTimestamp":"2026-03-01T10:00:00Z"},)" +
           R"("spec":{"minMember":1,"queue":"team","priorityClassName":")" + priority + R"("}})";
  };
  const auto pod = [](const std::string& name, const std::string& node) {
    return R"({"metadata":{"name":")" + name + R"(","namespace":"ns","uid":")" + name +
           R"(","creationTimestamp":"2026-03-01T10:00:00Z","annotations":{"pod-group-name":")" +
           name + R"("}},"spec":{"schedulerName":"kai-scheduler","nodeName":")" + node +
           R"(","containers":[{"name":"c","resources":{"requests":{"nvidia.com/gpu":"2"}}}]},)" +
           R"("status":{"phase":")" + (node.empty() ? "Pending" : "Running") + R"("}})";
  };
  const auto priority = [](const std::string& name, int value) {
    return R"({"metadata":{"name":")" + name + R"("},"value":)" + std::to_string(value) + "}";
  };
  return R"({"config":{"actions":"allocate,preempt","tiers":[{"plugins":[{"name":"predicates"},)"
         R"({"name":"proportion"},{"name":"priority"},{"name":"sg-nodelocalgreedy"}]}]},)"
         R"("schedulerParams":{"schedulerName":"kai-scheduler","fullHierarchyFairness":true},)"
         R"("rawObjects":{"nodes":[{"metadata":{"name":"n1"},"status":{)"
         R"("allocatable":{"cpu":"8","memory":"64Gi","pods":"110","nvidia.com/gpu":"2"},)"
         R"("conditions":[{"type":"Ready","status":"True"}]}}],)"
         R"("queues":[{"metadata":{"name":"team"},"spec":{"resources":{)"
         R"("gpu":{"quota":-1,"limit":-1,"overQuotaWeight":1},)"
         R"("cpu":{"quota":-1,"limit":-1,"overQuotaWeight":1},)"
         R"("memory":{"quota":-1,"limit":-1,"overQuotaWeight":1}}}}],)"
         R"("priorityClasses":[)" +
         priority("train", 50) + "," + priority("urgent", 75) + R"(],"podGroups":[)" +
         group("low", "train") + "," + group("high", "urgent") + R"(],"pods":[)" +
         pod("low", "n1") + "," + pod("high", "") + "]}}";
}

TEST_F(SimulateTest, PrintsTheDecisionsAsATable) {
  const Printed printed = Simulate(Cluster());
  EXPECT_EQ(printed.code, 0) << printed.errors;
  EXPECT_THAT(printed.text, HasSubstr("CYCLE"));
  EXPECT_THAT(printed.text, testing::ContainsRegex("1 +evict +ns/low +n1 +preempt"));
  EXPECT_THAT(printed.text, testing::ContainsRegex("1 +pipeline +ns/high +n1"));
}

TEST_F(SimulateTest, PrintsTheDecisionsAsJson) {
  const Value cycles =
      Json(Simulate(services::WriteZip("snapshot.json", Cluster()), {"-o", "json"}));
  ASSERT_EQ(cycles.size(), 1u);
  const Value& cycle = cycles.At(0);
  EXPECT_EQ(cycle["evictions"].At(0)["message"].AsString(),
            "Pod ns/low was preempted by higher priority workload ns/high");
  EXPECT_EQ(cycle["pipelined"].At(0)["pod"].AsString(), "ns/high");
  EXPECT_EQ(cycle["actions"]["preempt"]["victims"].AsInt(), 1);
  EXPECT_EQ(cycle["actions"]["preempt"]["victimsBeyondNeed"].AsInt(), 0);
  EXPECT_EQ(cycle["queues"].At(0)["queue"].AsString(), "team");
  EXPECT_EQ(cycle["queues"].At(0)["fairShare"]["gpu"].AsDouble(), 2);
}

TEST_F(SimulateTest, RunsOtherActionsThanTheSnapshots) {
  const Value cycles = Json(Simulate(Cluster(), {"-o", "json", "--actions", "allocate"}));
  EXPECT_EQ(cycles.At(0)["evictions"].size(), 0u);
  EXPECT_THAT(cycles.At(0)["waiting"].At(0)["message"].AsString(),
              HasSubstr("node(s) didn't have enough resources: GPUs"));
}

TEST_F(SimulateTest, RunsUnderAnotherConfiguration) {
  // Without a scenario generator there are no victims.
  const std::string config =
      Write("config.yaml",
            "actions: allocate, preempt\n"
            "tiers: [{plugins: [{name: predicates}, {name: proportion}, {name: priority}]}]\n");
  const Value cycles = Json(Simulate(Cluster(), {"-o", "json", "--config", config}));
  EXPECT_EQ(cycles.At(0)["evictions"].size(), 0u);
  const std::string bad = Write("bad.yaml", "tiers: []\n");
  const Printed refused = Simulate(Cluster(), {"--config", bad});
  EXPECT_NE(refused.code, 0);
  EXPECT_THAT(refused.errors, HasSubstr("bad.yaml"));
  EXPECT_THAT(refused.errors, HasSubstr("actions"));
}

TEST_F(SimulateTest, RefusesAnUnknownPlacement) {
  const auto config = [&](const std::string& placement) {
    return Write("config.yaml",
                 "actions: allocate\n"
                 "tiers: [{plugins: [{name: predicates}, {name: nodeplacement, arguments: {gpu: " +
                     placement + "}}]}]\n");
  };
  const Printed refused = Simulate(Cluster(), {"--config", config("pile")});
  EXPECT_NE(refused.code, 0);
  EXPECT_THAT(refused.errors, HasSubstr("argument gpu of plugin nodeplacement is \"pile\""));
  EXPECT_THAT(refused.errors, HasSubstr("binpack, spread or leastfragmentation"));
  EXPECT_EQ(Simulate(Cluster(), {"--config", config("leastfragmentation")}).code, 0);
}

TEST_F(SimulateTest, AnotherConfigurationLeavesTheFlagsAsTheyWere) {
  // The snapshot's scheduler has another name, and so do its pods.
  std::string cluster = Cluster();
  for (size_t at; (at = cluster.find("kai-scheduler")) != std::string::npos;) {
    cluster.replace(at, 13, "other");
  }
  const std::string config = Write("config.yaml", "actions: allocate, preempt\n");
  const Value cycles = Json(Simulate(cluster, {"-o", "json", "--config", config}));
  EXPECT_EQ(cycles.At(0)["evictions"].size(), 1u);
}

TEST_F(SimulateTest, SaysWhatIsWrongWithTheInput) {
  std::string cluster = Cluster();
  const std::string before = R"("podGroups":[)";
  cluster.replace(cluster.find(before), before.size(),
                  before + R"({"metadata":{"name":"high","namespace":"ns"},"spec":{}},)");
  const Value problems =
      Json(Simulate(cluster, {"-o", "json", "--actions", "allocate,dance"})).At(0)["problems"];
  ASSERT_EQ(problems.size(), 2u);
  EXPECT_EQ(problems.At(0)["kind"].AsString(), "PodGroup");
  EXPECT_EQ(problems.At(0)["name"].AsString(), "high");
  EXPECT_EQ(problems.At(1)["name"].AsString(), "dance");
  const Printed printed = Simulate(cluster, {});
  EXPECT_THAT(printed.text,
              testing::ContainsRegex("1 +ignored +PodGroup high +stands in the file"));
}

TEST_F(SimulateTest, RunsSeveralCycles) {
  const Value cycles = Json(Simulate(Cluster(), {"-o", "json", "--cycles", "3"}));
  ASSERT_EQ(cycles.size(), 3u);
  // The victim is terminating from the second cycle on, and is not evicted again.
  EXPECT_EQ(cycles.At(1)["evictions"].size(), 0u);
  EXPECT_EQ(cycles.At(2)["pipelined"].At(0)["pod"].AsString(), "ns/high");
}

TEST_F(SimulateTest, TimeIsWhatItIsTold) {
  // A preemption delay of an hour after creation.
  std::string cluster = Cluster();
  const std::string before = R"("priorityClassName":"urgent")";
  cluster.replace(cluster.find(before), before.size(), before + R"(,"preemptionDelay":"1h")");
  const auto evictions = [&](const std::string& now) {
    return Json(Simulate(cluster, {"-o", "json", "--now", now})).At(0)["evictions"].size();
  };
  EXPECT_EQ(evictions("2026-03-01T10:30:00Z"), 0u);
  EXPECT_EQ(evictions("2026-03-01T11:30:00Z"), 1u);
  const Printed refused = Simulate(cluster, {"--now", "noon"});
  EXPECT_NE(refused.code, 0);
  EXPECT_THAT(refused.errors, HasSubstr("noon"));
}

TEST_F(SimulateTest, TwoRunsPrintTheSame) {
  const Printed first = Simulate(Cluster(), {"-o", "json"});
  EXPECT_EQ(first.text, Simulate(Cluster(), {"-o", "json"}).text);
  EXPECT_THAT(first.text, Not(HasSubstr("duration")));
}

TEST_F(SimulateTest, SaysHowLongItTookWhenAsked) {
  const Value cycles = Json(Simulate(Cluster(), {"-o", "json", "--durations"}));
  const Value& durations = cycles.At(0)["durations"];
  EXPECT_GE(durations["total_duration_ms"].AsDouble(), 0);
  EXPECT_EQ(durations["action_durations_ms"].size(), 2u);
}

TEST_F(SimulateTest, ExplainsAGroup) {
  const Printed printed = Simulate(Cluster(), {"--explain", "ns/high", "-o", "json"});
  const Value said = Json(printed).At(0);
  EXPECT_THAT(printed.text, HasSubstr("freeGpus"));
  EXPECT_THAT(printed.text, HasSubstr("node(s) didn't have enough resources: GPUs"));
  const Printed unknown = Simulate(Cluster(), {"--explain", "ns/nobody"});
  EXPECT_NE(unknown.code, 0);
  EXPECT_THAT(unknown.errors, HasSubstr("there is no PodGroup ns/nobody"));
}

TEST_F(SimulateTest, DamagedAndForeignFilesAreNamed) {
  const std::string zip = services::WriteZip("snapshot.json", Cluster());
  for (const std::string& bytes :
       {std::string(), std::string("not a snapshot"), zip.substr(0, zip.size() / 2),
        services::WriteZip("other.json", "{}"), std::string(R"({"kind":"PodList","items":[]})"),
        std::string("[]"), services::WriteZip("snapshot.json", R"({"rawObjects": 5})")}) {
    const Printed printed = Simulate(bytes);
    EXPECT_NE(printed.code, 0) << bytes.substr(0, 40);
    EXPECT_THAT(printed.errors, HasSubstr("snapshot"));
    EXPECT_EQ(printed.text, "");
  }
  const Printed missing = Run(folder / "nothing-here", {});
  EXPECT_NE(missing.code, 0);
  EXPECT_THAT(missing.errors, HasSubstr("nothing-here"));
}

TEST_F(SimulateTest, ReplaysWhatTheRealSchedulerRecorded) {
  const auto recorded = std::filesystem::path(COPPICE_SOURCE_DIR) / "tests/vectors/snapshots";
  const Value small = Json(Run(recorded / "small.zip", {"-o", "json"}));
  ASSERT_EQ(small.At(0)["binds"].size(), 1u);
  EXPECT_EQ(small.At(0)["binds"].At(0)["pod"].AsString(), "default/f0");
  EXPECT_EQ(small.At(0)["binds"].At(0)["request"]["receivedResourceType"].AsString(), "Fraction");
  const Value filled = Json(Run(recorded / "filled.zip", {"-o", "json", "--cycles", "2"}));
  EXPECT_EQ(filled.size(), 2u);
  EXPECT_EQ(filled.At(0)["evictions"].size(), 0u);
}

}  // namespace
}  // namespace coppice::cli
