// What selects a set's backend, changed while the set exists: its annotation, the default.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "api/well_known.h"
#include "json/yaml/yaml.h"
#include "kube/object.h"
#include "operator/tests/rig/sets_testing.h"

namespace coppice::operators {
namespace {

using ::testing::HasSubstr;

class SchedulerChange : public ::testing::Test {
 protected:
  static World::Options Options() {
    World::Options options = DefaultWorld();
    options.config.backends = backends::AllBackends();
    return options;
  }

  void Create(const std::string& annotations, int replicas = 1) {
    world_.Create(
        "{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {name: demo, annotations: "
        "{" +
        annotations + "}}, spec: {replicas: " + std::to_string(replicas) +
        ", template: {cliques: [{name: w, spec: {roleName: w, replicas: 2, podSpec: "
        "{schedulerName: yunikorn, containers: [{name: c, image: i}]}}}]}}}");
    ASSERT_TRUE(world_.Settle());
  }

  // The rejection of another backend; "" if it is accepted. `backend` may be null.
  std::string Choose(const std::string& backend) {
    const auto changed = world_.client->Patch(
        api::kPodCliqueSets, {World::kNamespace, "demo"}, kube::PatchType::kMerge,
        *json::ParseYaml("{metadata: {annotations: {grove.io/scheduler-backend: " + backend +
                         "}}}"));
    EXPECT_TRUE(world_.Settle());
    return changed ? "" : changed.error().message();
  }

  World world_{Options()};
};

TEST_F(SchedulerChange, IsRefusedWhilePodsAreWithAnother) {
  Create("");
  const std::string refusal = Choose("koordinator");
  EXPECT_THAT(refusal, HasSubstr("metadata.annotations[grove.io/scheduler-backend]"));
  EXPECT_THAT(refusal, HasSubstr("would give the set to scheduler \"koord-scheduler\", and its "
                                 "pods are with \"yunikorn\""));
  EXPECT_THAT(refusal, HasSubstr("set spec.replicas to 0"));
  EXPECT_TRUE(kube::ConditionIs(world_.Get(api::kPodGangs, "demo-0"), "BackendSynced", "True"));
}

TEST_F(SchedulerChange, SoIsTakingTheChoiceAway) {
  Create("grove.io/scheduler-backend: koordinator");
  EXPECT_THAT(Choose("null"), HasSubstr("would give the set to scheduler \"yunikorn\""));
}

TEST_F(SchedulerChange, NamingWhatIsInForceIsNone) {
  Create("");
  EXPECT_EQ(Choose("yunikorn"), "");
  EXPECT_EQ(Choose("null"), "");
}

TEST_F(SchedulerChange, WorksWithoutPods) {
  Create("");
  world_.Scale(api::kPodCliqueSets, "demo", 0);
  ASSERT_TRUE(world_.Settle());
  EXPECT_EQ(Choose("koordinator"), "");
  world_.Scale(api::kPodCliqueSets, "demo", 1);
  ASSERT_TRUE(world_.Settle());
  const auto pods = world_.List(api::kPods);
  ASSERT_EQ(pods.size(), 2u);
  for (const json::Value& pod : pods) {
    EXPECT_EQ(pod["spec"]["schedulerName"].AsString(), "koord-scheduler");
  }
  EXPECT_EQ(world_.Get(api::kPodGangs, "demo-0")["status"]["phase"].AsString(), "Running");
}

// Upstream's profile ignores the annotation.
TEST_F(SchedulerChange, AMistakeOfThePastCanBeTakenBack) {
  world_.RestartAfter(
      [](Config& config) { config.backends.policy = &backends::CompatibilityPolicy::Grove(); });
  Create("grove.io/scheduler-backend: koordinator");
  world_.RestartAfter(
      [](Config& config) { config.backends.policy = &backends::CompatibilityPolicy::Coppice(); });
  ASSERT_TRUE(world_.Settle());
  EXPECT_EQ(Choose("null"), "");
}

// Sets that name no scheduler get the default one. A new default only applies to new sets: a gang
// with pods of two schedulers would never be complete again.
class DefaultChange : public ::testing::Test {
 protected:
  static World::Options Options() {
    World::Options options = DefaultWorld();
    options.config.backends = backends::AllBackends();
    options.config.backends.default_profile = "yunikorn";
    return options;
  }
  static void ToKoordinator(Config& config) { config.backends.default_profile = "koord-scheduler"; }

  void Create(const std::string& name) {
    world_.Create("{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {name: " + name +
                  "}, spec: {replicas: 1, template: {cliques: [{name: w, spec: {roleName: w, "
                  "replicas: 2, podSpec: {containers: [{name: c, image: i}]}}}]}}}");
    ASSERT_TRUE(world_.Settle());
  }
  std::set<std::string> SchedulersOf(const std::string& set) {
    std::set<std::string> names;
    for (const json::Value& pod : world_.List(api::kPods)) {
      if (kube::Name(pod).starts_with(set)) names.insert(pod["spec"]["schedulerName"].ToString());
    }
    return names;
  }

  World world_{Options()};
};

TEST_F(DefaultChange, LeavesSetsWithTheSchedulerOfTheirPods) {
  Create("demo");
  world_.RestartAfter(&ToKoordinator);
  const std::string pod(kube::Name(world_.List(api::kPods).front()));
  ASSERT_TRUE(world_.client->Delete(api::kPods, {World::kNamespace, pod}).ok());
  world_.Scale(api::kPodCliqueSets, "demo", 2);
  ASSERT_TRUE(world_.Settle());
  EXPECT_EQ(world_.List(api::kPods).size(), 4u);
  EXPECT_EQ(SchedulersOf("demo"), std::set<std::string>{"yunikorn"});
  for (const json::Value& gang : world_.List(api::kPodGangs)) {
    EXPECT_TRUE(kube::ConditionIs(gang, "BackendSynced", "True")) << kube::Name(gang);
    EXPECT_EQ(gang["status"]["phase"].AsString(), "Running") << kube::Name(gang);
  }
}

TEST_F(DefaultChange, IsForNewSetsAndThoseWithoutPods) {
  Create("demo");
  world_.RestartAfter(&ToKoordinator);
  Create("late");
  EXPECT_EQ(SchedulersOf("late"), std::set<std::string>{"koord-scheduler"});
  world_.Scale(api::kPodCliqueSets, "demo", 0);
  ASSERT_TRUE(world_.Settle());
  world_.Scale(api::kPodCliqueSets, "demo", 1);
  ASSERT_TRUE(world_.Settle());
  EXPECT_EQ(SchedulersOf("demo"), std::set<std::string>{"koord-scheduler"});
}

}  // namespace
}  // namespace coppice::operators
