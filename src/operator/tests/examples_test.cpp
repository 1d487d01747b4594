// Every file in examples/ is applied, not only rendered: admission accepts it, its backend writes
// its scheduler's objects, its pods run, and deleting it leaves nothing behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "api/well_known.h"
#include "backends/framework/config.h"
#include "json/yaml/yaml.h"
#include "kube/object.h"
#include "operator/tests/rig/world_testing.h"
#include "operator/tests/rig/yaml_file_testing.h"
#include "source_dir.h"
#include "tests/crds/crds.h"

namespace coppice::operators {
namespace {

using json::Value;

struct Example {
  std::string file;      // examples/<file>.yaml
  std::string backend;   // Label grove.io/scheduler-backend of its gang.
  std::string project;   // The project whose CRDs it needs; "" for none.
  api::Resource object;  // The scheduler's object; no kind for none.
  size_t pods = 6;
};

const std::vector<Example>& Examples() {
  static const std::vector<Example> examples = {
      {"default", "default", "", {"scheduling.k8s.io", "v1alpha1", "workloads", "Workload", true}},
      {"kai", "kai", "kai", api::kPodGroups},
      {"podgang", "podgang", "", {}},
      {"koordinator",
       "koordinator",
       "koordinator",
       {"scheduling.sigs.k8s.io", "v1alpha1", "podgroups", "PodGroup", true}},
      {"volcano",
       "volcano",
       "volcano",
       {"scheduling.volcano.sh", "v1beta1", "podgroups", "PodGroup", true}},
      {"yunikorn", "yunikorn", "", {}},
      {"scheduler-plugins",
       "scheduler-plugins",
       "scheduler-plugins",
       {"scheduling.x-k8s.io", "v1alpha1", "podgroups", "PodGroup", true}},
      {"kueue", "kai", "kueue", {"kueue.x-k8s.io", "v1beta2", "workloads", "Workload", true}, 4}};
  return examples;
}

const std::string kExamples = std::string(COPPICE_SOURCE_DIR) + "/examples/";

class AppliedExample : public testing::TestWithParam<Example> {
 protected:
  void SetUp() override {
    World::Options options;
    options.crds = test_crds::Of("kai");
    if (!GetParam().project.empty() && GetParam().project != "kai") {
      for (Value& crd : test_crds::Of(GetParam().project)) options.crds.push_back(std::move(crd));
    }
    options.config.backends = backends::AllBackends();
    for (backends::Profile& profile : options.config.backends.profiles) {
      if (GetParam().file == "kueue") profile.options.Set("admission", "kueue");
    }
    world_ = std::make_unique<World>(std::move(options));
    if (GetParam().file == "volcano") OpenQueue();
    for (Value& object : ReadYamlFile(kExamples + GetParam().file + ".yaml")) {
      object.Mutable("metadata").Erase("namespace");
      const auto created = world_->TryCreate(std::move(object));
      ASSERT_TRUE(created.ok()) << created.error().ToString();
      set_ = kube::Name(*created);
    }
    world_->Settle();
  }

  void OpenQueue() {
    const api::Resource queues{"scheduling.volcano.sh", "v1beta1", "queues", "Queue", false};
    world_->Create(
        "{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: default}}");
    const auto opened = world_->client->Patch(queues, {"", "default"}, kube::PatchType::kMerge,
                                              *json::ParseYaml("{status: {state: Open}}"),
                                              {.subresource = "status"});
    ASSERT_TRUE(opened.ok()) << opened.error().ToString();
    world_->RunFor(std::chrono::seconds(1));  // Until the operator has seen it.
  }

  // What Kueue does if there is quota.
  void Admit() {
    for (const Value& workload : world_->List(GetParam().object)) {
      const auto admitted = world_->client->Patch(
          GetParam().object, kube::KeyOf(workload), kube::PatchType::kMerge,
          *json::ParseYaml("{status: {conditions: [{type: Admitted, status: 'True', reason: "
                           "Admitted, message: '', lastTransitionTime: "
                           "'2026-01-01T00:00:00Z'}]}}"),
          {.subresource = "status"});
      ASSERT_TRUE(admitted.ok()) << admitted.error().ToString();
    }
  }

  std::vector<Value> Objects() {
    return GetParam().object.kind.empty() ? std::vector<Value>() : world_->List(GetParam().object);
  }

  size_t Gated() {
    size_t gated = 0;
    for (const Value& pod : world_->List(api::kPods)) {
      gated += !pod["spec"]["schedulingGates"].empty();
    }
    return gated;
  }

  Value Gang() { return world_->Get(api::kPodGangs, set_ + "-0"); }

  std::unique_ptr<World> world_;
  std::string set_;
};

TEST_P(AppliedExample, IsHandedToItsScheduler) {
  const Value gang = Gang();
  EXPECT_EQ(kube::Label(gang, "grove.io/scheduler-backend"), GetParam().backend);
  EXPECT_TRUE(kube::ConditionIs(gang, "BackendSynced", "True"))
      << kube::Condition(gang, "BackendSynced")["message"].AsString();
  for (const Value& object : Objects()) {
    EXPECT_EQ(kube::Label(object, "grove.io/podgang"), kube::Name(gang));
    EXPECT_FALSE(kube::Label(object, "app.kubernetes.io/managed-by").empty());
    EXPECT_TRUE(kube::IsOwnedBy(object, kube::Uid(gang)));
  }
  EXPECT_EQ(Objects().empty(), GetParam().object.kind.empty());
  EXPECT_EQ(world_->List(api::kPods).size(), GetParam().pods);
}

TEST_P(AppliedExample, RunsAndIsReady) {
  if (GetParam().file == "kueue") {
    EXPECT_EQ(Gated(), GetParam().pods);  // Until Kueue admits it.
    Admit();
    world_->Settle();
  }
  EXPECT_EQ(Gated(), 0u);
  const Value gang = Gang();
  for (const std::string_view type : {"Initialized", "BackendSynced", "Scheduled", "Ready"}) {
    EXPECT_TRUE(kube::ConditionIs(gang, type, "True")) << type;
  }
  EXPECT_EQ(gang["status"]["phase"].AsString(), "Running");
}

TEST_P(AppliedExample, DeletingItLeavesNothing) {
  world_->Delete(api::kPodCliqueSets, set_);
  world_->Settle();
  EXPECT_TRUE(world_->List(api::kPodCliqueSets).empty());
  EXPECT_TRUE(world_->List(api::kPodCliques).empty());
  EXPECT_TRUE(world_->List(api::kPodGangs).empty());
  EXPECT_TRUE(world_->List(api::kPods).empty());
  EXPECT_TRUE(Objects().empty());
}

INSTANTIATE_TEST_SUITE_P(Examples, AppliedExample, testing::ValuesIn(Examples()),
                         [](const testing::TestParamInfo<Example>& each) {
                           std::string name = each.param.file;
                           std::erase(name, '-');
                           return name;
                         });

TEST(AppliedExamples, NoneIsForgotten) {
  std::vector<std::string> files, tested;
  for (const auto& file : std::filesystem::directory_iterator(kExamples)) {
    if (file.path().extension() == ".yaml") files.push_back(file.path().stem().string());
  }
  std::erase(files, "quickstart");  // Several objects: tests/shipped/shapes_test.cpp.
  for (const Example& example : Examples()) tested.push_back(example.file);
  EXPECT_THAT(tested, testing::UnorderedElementsAreArray(files));
}

TEST(AppliedExamples, AllCanBeAppliedToOneCluster) {
  std::set<std::string> names;
  for (const Example& example : Examples()) {
    for (const Value& object : ReadYamlFile(kExamples + example.file + ".yaml")) {
      EXPECT_TRUE(names.insert(std::string(kube::Name(object))).second) << example.file;
    }
  }
}

}  // namespace
}  // namespace coppice::operators
