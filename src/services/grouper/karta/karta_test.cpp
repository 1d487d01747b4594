#include "services/grouper/karta/karta.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/object.h"
#include "services/test_cluster_testing.h"

namespace coppice::services::grouper {
namespace {

using ::testing::HasSubstr;

// A cluster with Kartas and nothing else.
class Kartas final : public Lookup {
 public:
  base::Result<json::Value> Get(std::string_view, std::string_view kind, std::string_view,
                                std::string_view) override {
    return base::NotFound(std::string(kind));
  }
  base::Result<std::vector<json::Value>> List(std::string_view, std::string_view kind,
                                              std::string_view,
                                              std::string_view selector) override {
    asked = selector;
    if (kind != "Karta") return base::NotFound(std::string(kind));
    return objects;
  }
  std::vector<json::Value> objects;
  std::string asked;
};

constexpr const char* kStructure = R"(
  structureDefinition:
    rootComponent:
      name: job
      kind: {group: example.com, version: v1, kind: Swarm}
      statusDefinition: {}
    childComponents:
    - name: coordinator
      ownerRef: job
      podSelector: {componentTypeSelector: {keyPath: '.metadata.labels.role', value: coordinator}}
      scaleDefinition: {replicasPath: '.spec.coordinator.replicas // 1'}
    - name: worker
      ownerRef: job
      podSelector: {componentTypeSelector: {keyPath: '.metadata.labels.role', value: worker}}
      scaleDefinition: {replicasPath: '.spec.worker.replicas', minReplicasPath: '.spec.worker.min'}
)";

class KartaTest : public ::testing::Test {
 protected:
  void Add(std::string_view instructions, std::string_view structure = kStructure) {
    lookup.objects.push_back(Doc(fmt::format(R"(
kind: Karta
metadata: {{name: k{}}}
spec:
  optimizationInstructions: {{gangScheduling: {{{}}}}}
{})",
                                             lookup.objects.size(), instructions, structure)));
  }
  base::Result<std::optional<Metadata>> Run(std::string_view role, std::string_view spec) {
    const json::Value owner = Doc(fmt::format(
        "{{apiVersion: example.com/v1, kind: Swarm, metadata: {{name: s, uid: u1, namespace: ns}}, "
        "spec: {{{}}}}}",
        spec));
    const json::Value pod = Doc(fmt::format(
        "{{metadata: {{name: p, namespace: ns, uid: pu, labels: {{role: {0}, shard: '7'}}}}, spec: "
        "{{containers: [{{name: c, resources: {{limits: {{nvidia.com/gpu: '1'}}}}}}]}}}}",
        role));
    return GroupByKarta({options, defaults, lookup}, {pod, owner, {owner}});
  }

  Options options;
  TypeDefaults defaults;
  Kartas lookup;
};

constexpr const char* kSpec = "worker: {replicas: 8, min: 4}";

TEST_F(KartaTest, SubGroupsOfComponents) {
  Add("podGroup: {name: all, topology: {topologyName: t, requiredTopologyLevel: rack},"
      " subGroups: [{componentName: coordinator}, {componentName: worker,"
      " topology: {topologyName: t, preferredTopologyLevel: host}}]}");
  const auto metadata = Run("worker", kSpec);
  ASSERT_TRUE(metadata && *metadata) << metadata.error().message();
  const Metadata& group = **metadata;
  EXPECT_EQ(group.name, "pg-u1-all");
  EXPECT_EQ(group.min_sub_group, 2);
  EXPECT_EQ(group.topology.required_level, "rack");
  ASSERT_EQ(group.sub_groups.size(), 2);
  EXPECT_EQ(group.sub_groups[0].name, "coordinator");
  EXPECT_EQ(group.sub_groups[0].min_available, 1);
  EXPECT_EQ(group.sub_groups[1].min_available, 4);
  EXPECT_EQ(group.sub_groups[1].topology->preferred_level, "host");
  EXPECT_EQ(group.SubGroupOfPod("p")->name, "worker");
  EXPECT_THAT(lookup.asked, HasSubstr("run.ai/karta-kind=Swarm"));
}

TEST_F(KartaTest, OneGroupOfEverything) {
  Add("podGroup: {name: all}");
  const auto metadata = Run("worker", kSpec);
  ASSERT_TRUE(metadata && *metadata);
  EXPECT_EQ((*metadata)->min_available, 5);
  EXPECT_FALSE((*metadata)->min_sub_group);
}

TEST_F(KartaTest, AComponentWithoutPodsIsAnError) {
  Add("podGroup: {name: all, subGroups: [{componentName: worker}]}");
  EXPECT_FALSE(Run("worker", "worker: {replicas: 0}"));
  lookup.objects.clear();
  Add("podGroup: {name: all, topology: {topologyName: t}}");
  EXPECT_FALSE(Run("worker", kSpec));
}

TEST_F(KartaTest, GroupsByKeys) {
  Add("podGroups: [{name: w, members: [{componentName: worker, groupByKeyPaths:"
      " ['.metadata.labels.shard'], filters: "
      "['(.spec.containers[0].resources.limits[\"nvidia.com/gpu\"]"
      " | tonumber) > 0']}]}, {name: rest, members: [{componentName: job}]}]");
  const auto worker = Run("worker", kSpec);
  ASSERT_TRUE(worker && *worker) << worker.error().message();
  EXPECT_EQ((*worker)->name, "pg-u1-7");
  EXPECT_EQ((*worker)->min_available, 4);
  const auto coordinator = Run("coordinator", kSpec);  // By the component above it.
  ASSERT_TRUE(coordinator && *coordinator) << coordinator.error().message();
  EXPECT_EQ((*coordinator)->name, "pg-u1");
  EXPECT_EQ((*coordinator)->min_available, 5);
  EXPECT_FALSE(Run("stranger", kSpec));
}

TEST_F(KartaTest, InvalidOnesArePassedOver) {
  const char* bad[] = {
      R"(
  structureDefinition:
    rootComponent: {name: job, kind: {group: example.com, version: v1, kind: Swarm}})",
      R"(
  structureDefinition:
    rootComponent: {name: job, kind: {group: example.com, version: v1, kind: Swarm}, statusDefinition: {}}
    childComponents: [{name: a, ownerRef: b}, {name: b, ownerRef: a}])",
      R"(
  structureDefinition:
    rootComponent: {name: job, kind: {group: example.com, version: v1, kind: Swarm}, statusDefinition: {}}
    childComponents: [{name: a, ownerRef: job, scaleDefinition: {replicasPath: 'range(9)'}}])",
      R"(
  structureDefinition:
    rootComponent: {name: job, kind: {group: example.com, version: v1, kind: Other}, statusDefinition: {}})"};
  for (const char* structure : bad) {
    lookup.objects.clear();
    Add("podGroup: {name: all}", structure);
    const auto metadata = Run("worker", kSpec);
    ASSERT_TRUE(metadata) << metadata.error().message();
    EXPECT_FALSE(*metadata) << structure;
  }
  lookup.objects.clear();
  Add("podGroup: {name: a}");
  Add("podGroup: {name: b}");
  EXPECT_FALSE(*Run("worker", kSpec));  // Two: neither.
  EXPECT_EQ(Group({options, defaults, lookup},
                  {Doc("{metadata: {name: p, namespace: ns, uid: pu}}"),
                   Doc("{apiVersion: example.com/v1, kind: Swarm, metadata: {name: s, uid: u1}}"),
                   {}})
                ->name,
            "pg-s-u1");
}

}  // namespace
}  // namespace coppice::services::grouper
