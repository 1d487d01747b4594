#include "backends/doctor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/world_testing.h"

namespace coppice::backends {
namespace {

using json::Value;
using testing::HasSubstr;
using testing::StartsWith;

Value Examine(const std::string& kubernetes, const std::vector<std::string>& projects) {
  std::vector<std::string> all = {"grove"};
  all.insert(all.end(), projects.begin(), projects.end());
  World world({.kubernetes_version = kubernetes, .projects = all});
  const int64_t before = world.writes();
  const auto report = Diagnose(*world.client, *world.backends->current());
  EXPECT_TRUE(report.ok()) << report.error().ToString();
  EXPECT_EQ(world.writes(), before);
  return report.value_or({});
}

Value BackendOf(const Value& report, const std::string& name) {
  for (const Value& backend : report["backends"].Items()) {
    if (backend["name"].AsString() == name) return backend;
  }
  return {};
}

TEST(Doctor, SaysWhichBackendsWorkAndWhatIsMissing) {
  if (SharedFolder().empty()) GTEST_SKIP() << "../shared/crds is missing";
  const Value report = Examine("1.35", {"kai"});
  EXPECT_THAT(report["server"]["version"].ToString(), StartsWith("v1.35"));
  EXPECT_TRUE(BackendOf(report, "kai")["works"].AsBool());
  EXPECT_FALSE(BackendOf(report, "volcano")["works"].AsBool());
  EXPECT_THAT(BackendOf(report, "volcano")["reason"].ToString(),
              StartsWith("BackendUnavailable: "));
  bool missing = false;
  for (const Value& name : report["missing"].Items()) {
    missing |= name.AsString() == "podgroups.scheduling.volcano.sh";
  }
  EXPECT_TRUE(missing);
}

TEST(Doctor, SaysWhatEachReleaseOfKubernetesCanDo) {
  if (SharedFolder().empty()) GTEST_SKIP() << "../shared/crds is missing";
  const auto wish = [](const std::string& release, const char* name) {
    return BackendOf(Examine(release, {}), "default")["wishes"][name].ToString();
  };
  EXPECT_EQ(wish("1.35", "gang"), "native");
  EXPECT_THAT(wish("1.35", "requiredGang"), StartsWith("refused: CapabilityMissing"));
  EXPECT_EQ(wish("1.36", "requiredGang"), "native");
  EXPECT_THAT(wish("1.36", "requiredGroup"), StartsWith("refused: CapabilityMissing"));
  EXPECT_EQ(wish("1.37", "requiredGroup"), "native");
  EXPECT_THAT(wish("1.37", "preferredGroup"), StartsWith("approximated"));
}

TEST(Doctor, NamesOptionalFieldsThatTheServerDrops) {
  if (SharedFolder().empty()) GTEST_SKIP() << "../shared/crds is missing";
  const Value report = Examine("1.36", {});
  std::map<std::string, bool> kept;
  for (const Value& field : report["fields"].Items()) {
    kept[field["resource"].ToString() + " " + field["field"].ToString()] = field["kept"].AsBool();
  }
  EXPECT_TRUE(kept.at("pods/v1 spec.schedulingGroup"));
  EXPECT_FALSE(kept.at("pods/v1 spec.workloadRef"));
  EXPECT_TRUE(kept.at("podgroups.scheduling.k8s.io/v1alpha2 spec.schedulingConstraints"));
}

TEST(Doctor, NamesTheRightsThatAreMissing) {
  if (SharedFolder().empty()) GTEST_SKIP() << "../shared/crds is missing";
  World world({.projects = {"grove", "kai"}});
  const auto client = world.server->NewClient(
      world.stepper, {.name = "visitor", .groups = {"system:authenticated"}});
  const auto report = Diagnose(*client, *world.backends->current());
  ASSERT_TRUE(report.ok()) << report.error().ToString();
  const Value kai = BackendOf(*report, "kai");
  EXPECT_FALSE(kai["works"].AsBool());
  EXPECT_EQ(kai["reason"].AsString(), "rights are missing");
  std::vector<std::string> rights;
  for (const Value& right : kai["missingRights"].Items()) rights.push_back(right.ToString());
  EXPECT_THAT(rights,
              testing::IsSupersetOf({"patch podgroups.scheduling.run.ai",
                                     "patch podgangs/status.scheduler.grove.io", "watch pods"}));
}

}  // namespace
}  // namespace coppice::backends
