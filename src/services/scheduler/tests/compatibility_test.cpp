#include "engine/model/compatibility.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "api/well_known.h"
#include "kube/client/intercepted_client.h"
#include "kube/object.h"
#include "services/scheduler/options/config_file.h"
#include "services/scheduler/output/record.h"
#include "services/scheduler/service.h"
#include "services/test_cluster_testing.h"

// The switches as the configuration has them, and those that concern files and writes. The others
// are in engine/model/compatibility_test.cpp.

namespace coppice::services::scheduler {
namespace {

using engine::Quirk;
using ::testing::HasSubstr;

TEST(CompatibilityConfig, EverySwitchCanBeSetBothWays) {
  for (const engine::QuirkInfo& info : engine::Quirks()) {
    for (const bool kept : {true, false}) {
      const auto config = ParseConfigFile(fmt::format(
          "{{actions: allocate, compatibility: {{{}: {}}}}}", info.name, kept ? "kai" : "fixed"));
      ASSERT_TRUE(config) << config.error().message();
      EXPECT_EQ(config->configuration.compatibility.Keeps(info.quirk), kept) << info.name;
      const auto again = ReadConfigFile(WriteConfigFile(*config));
      ASSERT_TRUE(again);
      EXPECT_EQ(again->configuration.compatibility.Keeps(info.quirk), kept) << info.name;
      EXPECT_EQ(WriteConfigFile(*config).Has("compatibility"), kept != info.kept) << info.name;
    }
  }
}

TEST(CompatibilityConfig, ErrorsNameTheSwitch) {
  const auto error = [](std::string_view yaml) { return ParseConfigFile(yaml).error().message(); };
  EXPECT_THAT(error("{actions: allocate, compatibility: {oldWays: kai}}"),
              HasSubstr("compatibility.oldWays is no switch"));
  EXPECT_THAT(error("{actions: allocate, compatibility: {stuckPods: yes}}"),
              HasSubstr("compatibility.stuckPods must be kai or fixed"));
  EXPECT_THAT(error("{actions: allocate, compatibility: [stuckPods]}"),
              HasSubstr("compatibility must be a mapping"));
}

TEST(CompatibilityConfig, DisabledHooksAreReadAndWritten) {
  const auto config = ParseConfigFile(
      "{actions: allocate, tiers: [{plugins: [{name: priority, disableJobOrder: true}]}]}");
  ASSERT_TRUE(config);
  EXPECT_TRUE(config->configuration.plugins[0].disabled.contains("disableJobOrder"));
  EXPECT_TRUE(
      WriteConfigFile(*config)["tiers"].At(0)["plugins"].At(0)["disableJobOrder"].AsBool(false));
}

TEST(CompatibilityConfig, ActionsRequired) {
  EXPECT_FALSE(ParseConfigFile("{compatibility: {actionsRequired: kai}}"));
  const auto config = ParseConfigFile("{compatibility: {actionsRequired: fixed}}");
  ASSERT_TRUE(config);
  EXPECT_EQ(config->configuration.actions, engine::Configuration::Defaults().actions);
}

TEST(CompatibilityRecord, NotReadyTimes) {
  const auto patched = [](bool kept) {
    engine::GroupStatus status;
    status.waiting = true;
    status.ready = false;
    status.last_start = base::Time(std::chrono::seconds(5));
    Options options;
    options.configuration.compatibility.Set(Quirk::kNotReadyTimes, kept);
    return !MakeRecord(status, Doc("{metadata: {name: g}}"), options, {}).metadata_patch.IsNull();
  };
  EXPECT_FALSE(patched(true));
  EXPECT_TRUE(patched(false));
}

TEST(CompatibilityOverlay, EvictionOverlay) {
  const auto remembered = [](bool kept) {
    engine::GroupStatus status;
    status.group = {"default", "g"};
    status.last_eviction = base::Time(std::chrono::seconds(5));
    Assumptions assumptions;
    assumptions.Record(status);
    engine::Compatibility compatibility;
    compatibility.Set(Quirk::kEvictionOverlay, kept);
    engine::PodGroupSpec group;
    group.namespace_name = "default";
    group.name = "g";
    assumptions.Overlay(group, compatibility);
    return group.last_eviction.has_value();
  };
  EXPECT_FALSE(remembered(true));
  EXPECT_TRUE(remembered(false));
}

// Refuses to delete bind requests.
class Refuser final : public kube::InterceptedClient {
 public:
  using InterceptedClient::InterceptedClient;
  bool keeps_requests = false;

 protected:
  base::Status Before(const kube::Call& call) override {
    const bool request =
        keeps_requests && call.verb == kube::Verb::kDelete && call.resource == api::kBindRequests;
    return request ? base::Unavailable("refused by the test") : base::Status();
  }
};

class CompatibilityService : public ::testing::Test {
 protected:
  CompatibilityService() {
    cluster.manager = kube::Manager::Make(refuser, cluster.stepper);
    cluster.AddQueue("root", "", -1);
    cluster.AddQueue("a", "root", -1);
    for (const char* name : {"g", "h"}) {
      cluster.Create(
          api::kPodGroups,
          fmt::format("{{apiVersion: scheduling.run.ai/v2alpha2, kind: PodGroup, metadata: {{name: "
                      "{}, namespace: default}}, spec: {{queue: a, minMember: 1}}}}",
                      name));
    }
  }

  std::shared_ptr<Service> Start(Quirk quirk, bool kept, Options options = {}) {
    options.configuration.compatibility.Set(quirk, kept);
    const auto service = AddToManager(*cluster.manager, std::move(options));
    EXPECT_TRUE(service) << service.error().message();
    cluster.Start();
    cluster.Settle();
    return *service;
  }
  void AddMember(std::string_view name, std::string_view group) {
    cluster.AddPod(name, "a", 1, fmt::format("annotations: {{pod-group-name: {}}}", group));
  }

  TestCluster cluster{1};
  Refuser refuser{cluster.client()};
};

class StaleRequests : public CompatibilityService, public ::testing::WithParamInterface<bool> {};

TEST_P(StaleRequests, HoldUpTheCycleOrNot) {
  cluster.AddNode("n1", 1);
  cluster.AddNode("n2", 1);
  AddMember("p", "g");
  Start(Quirk::kStaleRequests, GetParam());
  ASSERT_TRUE(cluster.Exists(api::kBindRequests, "p"));
  refuser.keeps_requests = true;
  const std::string node = cluster.Get(api::kBindRequests, "p")["spec"]["selectedNode"].ToString();
  ASSERT_TRUE(cluster.client().Delete(api::kNodes, {"", node}, {}));
  cluster.Settle(std::chrono::seconds(3));
  // Whoever decides anew finds the old request in the way.
  const auto events = cluster.EventsOf("Pod", "p");
  const bool decided = std::any_of(events.begin(), events.end(), [](const std::string& event) {
    return event.starts_with("FailedBinding: ");
  });
  EXPECT_EQ(decided, !GetParam());
  // Sooner or later it can be deleted, and the pod gets a node that exists.
  cluster.Settle(std::chrono::seconds(20));
  refuser.keeps_requests = false;
  cluster.Settle(std::chrono::seconds(20));
  EXPECT_NE(cluster.Get(api::kBindRequests, "p")["spec"]["selectedNode"].ToString(), node);
}
INSTANTIATE_TEST_SUITE_P(Both, StaleRequests, ::testing::Bool());

class UsageWindows : public CompatibilityService, public ::testing::WithParamInterface<bool> {};

TEST_P(UsageWindows, OfAFixedLengthWorkOrCountNothing) {
  cluster.AddNode("n1", 1);
  AddMember("p", "g");
  Options options;
  options.ns = "default";
  options.usage_db =
      Doc("{clientType: embedded, usageParams: {windowType: tumbling, tumblingWindowStartTime: "
          "'2026-01-01T00:00:00Z', windowSize: 1h}}");
  Start(Quirk::kUsageWindows, GetParam(), options);
  cluster.Settle(std::chrono::minutes(10));
  // The history is kept in a ConfigMap, where there is one.
  EXPECT_EQ(cluster.Exists(api::kConfigMaps, "kai-scheduler-usage"), !GetParam());
  EXPECT_TRUE(cluster.Exists(api::kBindRequests, "p"));
}
INSTANTIATE_TEST_SUITE_P(Both, UsageWindows, ::testing::Bool());

}  // namespace
}  // namespace coppice::services::scheduler
