// Gangs that their scheduler cannot place: its message on the pods reaches the PodGang, and a
// scheduler that does not retry by itself is woken when there is capacity.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/model/labels.h"
#include "backends/scheduler_plugins/scheduler_plugins.h"
#include "backends/tests/example_testing.h"
#include "kube/object.h"

namespace coppice::backends {
namespace {

using json::Value;
using scheduler_plugins::kPodGroups;
using testing::HasSubstr;

constexpr char kNoRoom[] = "0/2 nodes are available: 2 Insufficient nvidia.com/gpu.";

World::Options OptionsFor(const std::string& scheduler, const std::string& project) {
  return {.projects = {"grove", project},
          .config = "{scheduler: {profiles: [{name: " + scheduler +
                    ", config: {topology: {requiredGang: PodAffinity}}}]}}"};
}

// The status of a pod that its scheduler could not place.
void Refuse(World& world, const std::string& pod, const std::string& message) {
  world.SetStatus(api::kPods, "ai", pod,
                  Yaml("{conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable, "
                       "message: '" +
                       message + "'}]}"));
}

struct Waiting {
  std::string scheduler;
  std::string project;
  std::string kind;    // Its PodGroup's apiVersion, "" if it has none.
  std::string status;  // What the scheduler writes there.
};

class WaitingGang : public testing::TestWithParam<Waiting> {};

TEST_P(WaitingGang, SaysWhyAsItsPodsDo) {
  World world(OptionsFor(GetParam().scheduler, GetParam().project));
  if (GetParam().project == "volcano") OpenQueue(world, "team-a");
  Example example(world, GetParam().scheduler);
  example.CreatePods();
  ASSERT_EQ(example.Synced(), "True Synced");
  example.Release();
  if (!GetParam().kind.empty()) {
    const api::Resource groups{GetParam().kind.substr(0, GetParam().kind.find('/')),
                               GetParam().kind.substr(GetParam().kind.find('/') + 1), "podgroups",
                               "PodGroup", true};
    const std::string name(kube::Name(world.List(groups).front()));
    const Value status = Yaml("{status: {" + GetParam().status + "}}");
    world.Patch(groups, "ai", name, status);  // Some have no status subresource.
    (void)world.client->Patch(groups, {"ai", name}, kube::PatchType::kMerge, status,
                              {.subresource = "status"});
  }
  Refuse(world, "w0-a", kNoRoom);
  Refuse(world, "w0-b", kNoRoom);
  world.RunFor(std::chrono::seconds(3));
  const Value scheduled = example.Condition("Scheduled");
  EXPECT_EQ(scheduled["status"].AsString(), "False");
  EXPECT_THAT(scheduled["message"].ToString(), HasSubstr(kNoRoom));
}

INSTANTIATE_TEST_SUITE_P(
    Schedulers, WaitingGang,
    testing::Values(
        Waiting{"scheduler-plugins-scheduler", "scheduler-plugins", "scheduling.x-k8s.io/v1alpha1",
                "phase: Scheduling, running: 0"},
        Waiting{"koord-scheduler", "koordinator", "scheduling.sigs.k8s.io/v1alpha1",
                "phase: PreScheduling"},
        Waiting{"volcano", "volcano", "scheduling.volcano.sh/v1beta1",
                "phase: Inqueue, conditions: [{type: Unschedulable, status: 'True', reason: "
                "NotEnoughResources, message: '6/6 tasks in gang unschedulable', transitionID: t, "
                "lastTransitionTime: '2026-01-01T00:00:00Z'}]"},
        Waiting{"yunikorn", "kai", "", ""}, Waiting{"grove-scheduler", "kai", "", ""}),
    [](const testing::TestParamInfo<Waiting>& each) {
      std::string name = each.param.scheduler;
      std::erase(name, '-');
      return name;
    });

// YuniKorn places placeholders first, and reports on these that there is no room.
TEST(WaitingYuniKornGang, SaysWhyAsItsPlaceholdersDo) {
  World world(OptionsFor("yunikorn", "kai"));
  Example example(world, "yunikorn");
  example.CreatePods();
  example.Release();
  const Value pod = world.Get(api::kPods, "ai", "w0-a");
  const std::string application(kube::Label(pod, labels::kApplication));
  world.Create(
      Yaml("{apiVersion: v1, kind: Pod, metadata: {name: tg-placeholder-1, namespace: ai, "
           "labels: {yunikorn.apache.org/app-id: " +
           application +
           "}, annotations: {yunikorn.apache.org/placeholder: 'true'}}, spec: "
           "{schedulerName: yunikorn, containers: [{name: pause, image: p}]}}"));
  Refuse(world, "tg-placeholder-1", kNoRoom);
  world.RunFor(std::chrono::seconds(3));
  EXPECT_EQ(example.Condition("Scheduled")["message"].AsString(), kNoRoom);
}

class SleepingGang : public testing::Test {
 protected:
  SleepingGang()
      : world_(OptionsFor("scheduler-plugins-scheduler", "scheduler-plugins")),
        example_(world_, "scheduler-plugins-scheduler") {
    world_.Create(
        Yaml("{apiVersion: v1, kind: Pod, metadata: {name: other, namespace: ai}, spec: "
             "{nodeName: n1, containers: [{name: main, image: i}]}}"));
    example_.CreatePods();
    example_.Release();
    world_.RunFor(std::chrono::minutes(1));
  }

  std::string Mark() {
    return std::string(kube::Annotation(world_.Get(kPodGroups, "ai", "llm-0"), labels::kWokenAt));
  }
  void FreeRoom() {
    ASSERT_TRUE(
        world_.client->Delete(api::kPods, {"ai", "other"}, {.grace_period_seconds = 0}).ok());
  }

  World world_;
  Example example_;
};

TEST_F(SleepingGang, IsTouchedWhenRoomIsFreedAndNotOtherwise) {
  EXPECT_EQ(Mark(), "");
  FreeRoom();
  world_.RunFor(std::chrono::seconds(6));
  const std::string first = Mark();
  EXPECT_NE(first, "");
  const int64_t writes = world_.writes();
  world_.RunFor(std::chrono::minutes(5));
  EXPECT_EQ(Mark(), first);
  EXPECT_EQ(world_.writes(), writes);
}

TEST_F(SleepingGang, IsTouchedOnceForRoomThatComesInPieces) {
  const int64_t writes = world_.writes();
  FreeRoom();
  for (int i = 0; i < 50; ++i) {  // Five seconds.
    world_.Patch(api::kNodes, "", "n2",
                 Yaml("{metadata: {labels: {change: v" + std::to_string(i) + "}}}"));
    world_.RunFor(std::chrono::milliseconds(100));
  }
  EXPECT_NE(Mark(), "");
  EXPECT_LE(world_.writes(), writes + 2);
}

TEST_F(SleepingGang, ThatRunsIsLeftAlone) {
  example_.BindAll();
  world_.RunFor(std::chrono::seconds(20));
  FreeRoom();
  world_.RunFor(std::chrono::seconds(20));
  EXPECT_EQ(Mark(), "");
}

}  // namespace
}  // namespace coppice::backends
