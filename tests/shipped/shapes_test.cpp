// examples/shapes and examples/quickstart.yaml do what their comments say, on the cluster of the
// README and in virtual time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "api/labels.h"
#include "api/well_known.h"
#include "base/quantity.h"
#include "installation_testing.h"
#include "json/write.h"
#include "json/yaml/yaml.h"
#include "kube/executor/stepper.h"
#include "kube/object.h"
#include "source_dir.h"

namespace coppice::packaging {
namespace {

using json::Value;
using testing::SizeIs;
using testing::UnorderedElementsAre;

const api::Resource kComputeDomains{"resource.nvidia.com", "v1beta1", "computedomains",
                                    "ComputeDomain", true};

constexpr char kComputeDomainCrd[] = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: computedomains.resource.nvidia.com}
spec:
  group: resource.nvidia.com
  scope: Namespaced
  names: {plural: computedomains, singular: computedomain, kind: ComputeDomain, listKind: ComputeDomainList}
  versions:
  - name: v1beta1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
)";

class Shapes : public ::testing::Test {
 protected:
  // Two blocks of four racks.
  void Start(int nodes = 16, bool mnnvl = false) {
    stack::StackOptions options;
    options.shape.levels = *sim::ParseTopology("2x4");
    options.shape.pools = {{.count = nodes, .gpus = 8}};
    options.components = *stack::ParseComponents("all");
    options.operator_config.auto_mnnvl = mnnvl;
    stack_ = *stack::Stack::Make(stepper_, std::move(options));
    if (mnnvl) ApplyTo(client(), *json::ParseYaml(kComputeDomainCrd));
    ASSERT_TRUE(stack_->Start());
  }

  kube::Client& client() { return stack_->client(); }

  void Apply(const std::string& file) {
    for (const Value& object : ReadDocuments("examples/" + file + ".yaml")) {
      ASSERT_NO_FATAL_FAILURE(ApplyTo(client(), object));
    }
    stepper_.RunFor(std::chrono::seconds(30));
  }

  std::vector<Value> Pods(const std::string& selector) {
    return client().List(api::kPods, {.ns = "default", .label_selector = selector})->items;
  }

  std::vector<Value> Running(const std::string& selector) {
    std::vector<Value> running = Pods(selector);
    std::erase_if(running,
                  [](const Value& pod) { return pod["status"]["phase"].AsString() != "Running"; });
    return running;
  }

  static std::string Of(const std::string& set) {
    return fmt::format("{}={}", api::labels::kPartOf, set);
  }
  static std::string OfClique(const std::string& clique) {
    return fmt::format("{}={}", api::labels::kPodClique, clique);
  }

  // The values of a label of the nodes on which the pods run.
  std::set<std::string> Domains(const std::vector<Value>& pods, std::string_view label) {
    std::set<std::string> domains;
    for (const Value& pod : pods) {
      const auto node =
          client().Get(api::kNodes, {"", std::string(pod["spec"]["nodeName"].AsString())});
      if (node) domains.emplace(kube::Label(*node, label));
    }
    return domains;
  }

  double GpusHeld(const std::string& queue) {
    const auto object = client().Get(api::kQueues, {"", queue});
    return base::Quantity::Parse((*object)["status"]["allocated"]["nvidia.com/gpu"].ToString("0"))
        ->ToDouble();
  }

  kube::Stepper stepper_;
  std::unique_ptr<stack::Stack> stack_;
};

TEST_F(Shapes, ADisaggregatedSystemHasItsGroupsInRacksAndAllOfItInABlock) {
  ASSERT_NO_FATAL_FAILURE(Start());
  ASSERT_NO_FATAL_FAILURE(Apply("shapes/disaggregated"));
  EXPECT_THAT(Running(Of("disaggregated")), SizeIs(16));
  EXPECT_THAT(Domains(Pods(Of("disaggregated")), "topo/block"), SizeIs(1));
  for (const char* group : {"prefill-0", "prefill-1", "decode-0", "decode-1"}) {
    const char role = group[0];
    std::vector<Value> pods;
    for (const char* part : {"leader", "worker"}) {
      for (const Value& pod :
           Running(OfClique(fmt::format("disaggregated-0-{}-{}{}", group, role, part)))) {
        pods.push_back(pod);
      }
    }
    EXPECT_THAT(pods, SizeIs(role == 'p' ? 3 : 4)) << group;
    EXPECT_THAT(Domains(pods, "topo/rack"), SizeIs(1)) << group;
  }
}

TEST_F(Shapes, WorkersStartAfterTheirLeaderAndReplicasAreAdded) {
  ASSERT_NO_FATAL_FAILURE(Start());
  ASSERT_NO_FATAL_FAILURE(Apply("shapes/leader_worker"));
  EXPECT_THAT(Running(Of("leader-worker")), SizeIs(6));
  for (const Value& pod : Pods(OfClique("leader-worker-0-model-0-worker"))) {
    EXPECT_EQ(pod["spec"]["initContainers"].size(), 1u) << "waits for the leader";
  }
  ASSERT_TRUE(client().Patch(api::kPodCliqueScalingGroups, {"default", "leader-worker-0-model"},
                             kube::PatchType::kMerge, *json::ParseYaml("{spec: {replicas: 3}}")));
  stepper_.RunFor(std::chrono::seconds(30));
  EXPECT_THAT(Running(Of("leader-worker")), SizeIs(9));
}

TEST_F(Shapes, ATrainingGangHasOneRack) {
  ASSERT_NO_FATAL_FAILURE(Start());
  ASSERT_NO_FATAL_FAILURE(Apply("shapes/rack_training"));
  EXPECT_THAT(Running(Of("rack-training")), SizeIs(2));
  EXPECT_THAT(Domains(Pods(Of("rack-training")), "topo/rack"), SizeIs(1));
}

TEST_F(Shapes, AnElasticGangStartsWithItsMinimumAndGrows) {
  ASSERT_NO_FATAL_FAILURE(Start(1));
  ASSERT_NO_FATAL_FAILURE(Apply("shapes/elastic"));
  EXPECT_THAT(Running(Of("elastic")), SizeIs(4));
  Value node = *client().Get(api::kNodes, {"", "node-0"});
  Value added = kube::NewObject(api::kNodes, "", "node-1");
  added.Mutable("metadata").Set("annotations", node["metadata"]["annotations"]);
  ASSERT_TRUE(client().Create(api::kNodes, added));
  ASSERT_TRUE(client().Patch(api::kNodes, {"", "node-1"}, kube::PatchType::kMerge,
                             Value::Object({{"status", node["status"]}}),
                             {.subresource = "status"}));
  stepper_.RunFor(std::chrono::seconds(30));
  EXPECT_THAT(Running(Of("elastic")), SizeIs(8));
}

TEST_F(Shapes, PodsWithMnnvlShareAComputeDomain) {
  ASSERT_NO_FATAL_FAILURE(Start(16, true));
  ASSERT_NO_FATAL_FAILURE(Apply("shapes/mnnvl"));
  const auto domains = client().List(kComputeDomains, {.ns = "default"});
  ASSERT_TRUE(domains) << domains.error().message();
  ASSERT_THAT(domains->items, SizeIs(1));
  const std::string_view claims =
      domains->items[0]["spec"]["channel"]["resourceClaimTemplate"]["name"].AsString();
  const std::vector<Value> pods = Pods(Of("mnnvl"));
  EXPECT_THAT(pods, SizeIs(4));
  for (const Value& pod : pods) {
    EXPECT_EQ(pod["spec"]["resourceClaims"].At(0)["resourceClaimTemplateName"].AsString(), claims);
  }
}

TEST_F(Shapes, EachAsksForGpusAndHasAQueueAndATest) {
  std::vector<std::string> files;
  for (const auto& file :
       std::filesystem::directory_iterator(COPPICE_SOURCE_DIR "/examples/shapes")) {
    files.push_back(file.path().stem());
    for (const Value& set : ReadDocuments("examples/shapes/" + files.back() + ".yaml")) {
      EXPECT_FALSE(kube::Label(set, "kai.scheduler/queue").empty()) << files.back();
      EXPECT_NE(json::Write(set).find("nvidia.com/gpu"), std::string::npos) << files.back();
    }
  }
  EXPECT_THAT(files, UnorderedElementsAre("disaggregated", "leader_worker", "rack_training",
                                          "elastic", "mnnvl"));
}

TEST_F(Shapes, TheQuickstartSharesTheCluster) {
  ASSERT_NO_FATAL_FAILURE(Start());
  ASSERT_NO_FATAL_FAILURE(Apply("quickstart"));
  EXPECT_EQ(GpusHeld("serving"), 40);
  EXPECT_EQ(GpusHeld("training"), 32);
  EXPECT_EQ(GpusHeld("research"), 56) << "far beyond its quota of 16";
  EXPECT_THAT(Running(Of("wide")), SizeIs(0));
  ASSERT_TRUE(client().Patch(api::kPodCliqueSets, {"default", "train"}, kube::PatchType::kMerge,
                             *json::ParseYaml("{spec: {replicas: 2}}")));
  stepper_.RunFor(std::chrono::seconds(60));
  EXPECT_EQ(GpusHeld("training"), 64);
  EXPECT_EQ(GpusHeld("research"), 24) << "training has taken 32 back";
}

}  // namespace
}  // namespace coppice::packaging
