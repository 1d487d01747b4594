// The sets in examples/samples: one per shape of Grove's own samples. Each is admitted unchanged
// and becomes Ready.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "api/grove/convert.h"
#include "api/well_known.h"
#include "kube/object.h"
#include "operator/runtime/conditions.h"
#include "operator/tests/rig/sets_testing.h"
#include "operator/tests/rig/yaml_file_testing.h"
#include "source_dir.h"

namespace coppice::operators {
namespace {

using json::Value;

const std::string kSamples = std::string(COPPICE_SOURCE_DIR) + "/examples/samples/";

std::vector<std::string> Samples() {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(kSamples)) {
    names.push_back(file.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// The pods that the templates ask for, which the cluster should run in the end.
size_t PodsOf(const api::grove::PodCliqueSet& set) {
  int64_t pods = 0;
  for (const auto& clique : set.spec.template_.cliques) {
    const auto* group = set.spec.template_.GroupOf(clique.name);
    pods += int64_t{clique.spec.replicas} * (group != nullptr ? group->replicas.value_or(1) : 1);
  }
  return static_cast<size_t>(pods * set.spec.replicas);
}

class Sample : public testing::TestWithParam<std::string> {};

TEST_P(Sample, IsAdmittedAndBecomesReady) {
  World world(DefaultWorld());
  for (Value& object : ReadYamlFile(kSamples + GetParam() + ".yaml")) {
    const auto created = world.TryCreate(std::move(object));
    ASSERT_TRUE(created) << created.error().ToString();
    const auto submitted = api::grove::ReadPodCliqueSet(*created);
    ASSERT_TRUE(world.Settle());
    const auto set = api::grove::ReadPodCliqueSet(world.Get(api::kPodCliqueSets, submitted.name()));
    EXPECT_EQ(set.status.availableReplicas, set.spec.replicas);
    EXPECT_TRUE(set.status.lastErrors.empty());
    EXPECT_EQ(world.List(api::kPods).size(), PodsOf(submitted));
  }
  for (const Value& gang : world.List(api::kPodGangs)) {
    EXPECT_TRUE(kube::ConditionIs(gang, "Ready", "True")) << kube::Name(gang);
  }
}

INSTANTIATE_TEST_SUITE_P(Samples, Sample, testing::ValuesIn(Samples()),
                         [](const auto& each) { return each.param; });

}  // namespace
}  // namespace coppice::operators
