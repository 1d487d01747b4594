#include "backends/tools/doctor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/edit/core.h"
#include "api/well_known.h"
#include "backends/tests/world_testing.h"
#include "json/yaml/yaml.h"
#include "kube/object.h"

namespace coppice::backends {
namespace {

using json::Value;
using testing::HasSubstr;
using testing::StartsWith;

// Like a scheduler that is the leader.
void HoldLease(World& world, std::string_view name) {
  Value lease = kube::NewObject(api::kLeases, "default", name);
  lease.Set("spec", Value::Object({{"holderIdentity", "it"},
                                   {"leaseDurationSeconds", 15},
                                   {"renewTime", base::FormatRfc3339(world.stepper.Now())}}));
  EXPECT_TRUE(world.client->Create(api::kLeases, lease));
}

Value Examine(const std::string& kubernetes, const std::vector<std::string>& projects) {
  std::vector<std::string> all = {"grove"};
  all.insert(all.end(), projects.begin(), projects.end());
  World world({.kubernetes_version = kubernetes, .projects = all});
  HoldLease(world, "kai-scheduler-default");
  const int64_t before = world.writes();
  const auto report = Diagnose(*world.client, *world.backends->current(), world.stepper.Now());
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

// A scheduler without leader election is detected by its activity.
TEST(Doctor, SeesASchedulerByThePodsThatItScheduled) {
  World world({.kubernetes_version = "1.35", .projects = {"grove"}});
  const auto works = [&] {
    const auto report = Diagnose(*world.client, *world.backends->current(), world.stepper.Now());
    return BackendOf(report.value_or({}), "default")["works"].AsBool();
  };
  EXPECT_FALSE(works());
  Value object = kube::NewObject(api::kEvents, "default", "scheduled");
  const edit::core::Event event(object);
  event.set_reason("Scheduled").set_reportingComponent("default-scheduler");
  event.set_eventTime(base::FormatRfc3339(world.stepper.Now())).set_action("Binding");
  event.involvedObject().set_namespace_("default").set_name("p");
  const auto created = world.client->Create(api::kEvents, object);
  ASSERT_TRUE(created) << created.error().ToString();
  EXPECT_TRUE(works());
  world.stepper.RunFor(std::chrono::minutes(11));
  EXPECT_FALSE(works());
}

TEST(Doctor, SaysWhichBackendsWorkAndWhatIsMissing) {
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

// Objects that no scheduler reads do not make a gang run.
TEST(Doctor, ABackendDoesNotWorkWithoutItsScheduler) {
  World world({.projects = {"grove", "kai"}});
  const auto kai = [&] {
    const auto report = Diagnose(*world.client, *world.backends->current(), world.stepper.Now());
    return BackendOf(report.value_or({}), "kai");
  };
  EXPECT_FALSE(kai()["works"].AsBool());
  EXPECT_THAT(kai()["reason"].ToString(), HasSubstr("no sign that scheduler kai-scheduler runs"));
  HoldLease(world, "kai-scheduler-default");
  EXPECT_TRUE(kai()["works"].AsBool());
  world.stepper.RunFor(std::chrono::minutes(1));
  EXPECT_FALSE(kai()["works"].AsBool()) << "the Lease is not held any more";
}

// A running pod with one container, given in YAML.
void RunPod(World& world, const std::string& name, const std::string& container) {
  Value pod = kube::NewObject(api::kPods, "default", name);
  pod.Set("spec", Value::Object({{"containers", Value::Array({*json::ParseYaml(container)})}}));
  ASSERT_TRUE(world.client->Create(api::kPods, pod));
  ASSERT_TRUE(world.client->Patch(api::kPods, {"default", name}, kube::PatchType::kMerge,
                                  *json::ParseYaml("{status: {phase: Running}}"),
                                  {.subresource = "status"}));
}

// Neither our own backends nor a scheduler's auxiliary components are the scheduler.
TEST(Doctor, SeesNoSchedulerInWhatRunsBesideIt) {
  World world({.projects = {"grove", "kai", "volcano", "scheduler-plugins"}});
  const auto seen = [&](const char* backend) {
    const auto report = Diagnose(*world.client, *world.backends->current(), world.stepper.Now());
    return BackendOf(report.value_or({}), backend)["schedulerSeen"].AsBool();
  };
  RunPod(world, "backend-1",
         "{name: coppice, image: 'r.example/x:1', args: [run, backend, volcano]}");
  RunPod(world, "backend-2",
         "{name: main, image: 'coppice:0.1.0', args: [run, backend, scheduler-plugins]}");
  RunPod(world, "controllers",
         "{name: volcano-controllers, image: 'docker.io/volcanosh/vc-controller-manager:v1.13.0'}");
  RunPod(world, "user",
         "{name: main, image: 'trainer:1', args: ['--gang-scheduler-name=volcano', volcano]}");
  RunPod(world, "binder",
         "{name: binder, image: 'ghcr.io/kai-scheduler/kai-scheduler/binder:v0.17'}");
  RunPod(world, "plugins",
         "{name: scheduler-plugins-controller, image: "
         "'registry.k8s.io/scheduler-plugins/controller:v0.33'}");
  HoldLease(world, "coppice-backend-volcano");
  for (const char* backend : {"kai", "podgang", "volcano", "scheduler-plugins"}) {
    EXPECT_FALSE(seen(backend)) << backend;
  }
  RunPod(world, "volcano",
         "{name: volcano-scheduler, image: 'docker.io/volcanosh/vc-scheduler:v1.13.0'}");
  RunPod(world, "kai",
         "{name: scheduler, image: 'ghcr.io/kai-scheduler/kai-scheduler/scheduler:v0.17'}");
  RunPod(world, "second",
         "{name: main, image: 'kube-scheduler:1', args: "
         "['--scheduler-name=scheduler-plugins-scheduler']}");
  for (const char* backend : {"kai", "volcano", "scheduler-plugins"}) {
    EXPECT_TRUE(seen(backend)) << backend;
  }
}

TEST(Doctor, SaysWhatEachReleaseOfKubernetesCanDo) {
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
  World world({.projects = {"grove", "kai"}});
  const auto client = world.server->NewClient(
      world.stepper, {.name = "visitor", .groups = {"system:authenticated"}});
  const auto report = Diagnose(*client, *world.backends->current(), world.stepper.Now());
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
