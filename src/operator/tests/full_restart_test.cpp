// A change that a gang's scheduler cannot apply while the gang has live pods is applied when the
// whole gang restarts, also if the user deletes its pods one after the other, as kubectl does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/well_known.h"
#include "kube/object.h"
#include "operator/tests/rig/sets_testing.h"

namespace coppice::operators {
namespace {

using ::testing::HasSubstr;

constexpr char kTaskGroups[] = "yunikorn.apache.org/task-groups";

std::string Set(const std::string& cpu) {
  const std::string spec =
      "replicas: 2, podSpec: {schedulerName: yunikorn, containers: [{name: c, image: i, resources: "
      "{requests: {cpu: '" +
      cpu + "'}}}]}}}";
  return "{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {name: demo}, spec: "
         "{replicas: 1, updateStrategy: {type: OnDelete}, template: {cliques: [{name: a, spec: "
         "{roleName: a, " +
         spec + ", {name: b, spec: {roleName: b, " + spec + "]}}}";
}

class FullRestart : public ::testing::Test {
 protected:
  static World::Options Options() {
    World::Options options = DefaultWorld();
    options.config.backends = backends::AllBackends();
    return options;
  }

  // Four pods of an outdated definition.
  void SetUp() override {
    world_.Create(Set("1"));
    ASSERT_TRUE(world_.Settle());
    world_.MergePatch(api::kPodCliqueSets, "demo", Set("2"));
    ASSERT_TRUE(world_.Settle());
    ASSERT_EQ(Synced(), "UpdateBlocked");
    ASSERT_EQ(world_.List(api::kPods).size(), 4u);
  }

  std::string Synced() {
    return kube::Condition(world_.Get(api::kPodGangs, "demo-0"), "BackendSynced")["reason"]
        .ToString();
  }

  void DeletePods(size_t count, base::Duration pause) {
    const std::vector<json::Value> pods = world_.List(api::kPods);
    for (size_t i = 0; i < count; ++i) {
      world_.Delete(api::kPods, std::string(kube::Name(pods[i])));
      world_.RunFor(pause);
    }
  }

  World world_{Options()};
};

TEST_F(FullRestart, AppliesWhatWasBlocked) {
  DeletePods(4, std::chrono::milliseconds(100));
  ASSERT_TRUE(world_.Settle());
  EXPECT_EQ(Synced(), "Synced");
  const auto pods = world_.List(api::kPods);
  ASSERT_EQ(pods.size(), 4u);
  for (const json::Value& pod : pods) {
    EXPECT_THAT(kube::Annotation(pod, kTaskGroups), HasSubstr(R"("cpu":"2")"));
    EXPECT_FALSE(pod["spec"]["nodeName"].IsNull()) << kube::Name(pod);
  }
}

TEST_F(FullRestart, OnePodIsReplacedInTheGangThatIsThere) {
  DeletePods(1, std::chrono::milliseconds(100));
  world_.RunFor(std::chrono::seconds(10));
  const auto pods = world_.List(api::kPods);
  ASSERT_EQ(pods.size(), 4u);
  for (const json::Value& pod : pods) {
    EXPECT_THAT(kube::Annotation(pod, kTaskGroups), HasSubstr(R"("cpu":"1")"));
    EXPECT_FALSE(pod["spec"]["nodeName"].IsNull()) << kube::Name(pod);
  }
  EXPECT_EQ(Synced(), "UpdateBlocked");
}

}  // namespace
}  // namespace coppice::operators
