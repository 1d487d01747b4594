#include "backends/gangs/discovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/kai/kai.h"
#include "backends/tests/world_testing.h"
#include "backends/volcano/volcano.h"
#include "backends/workload/api_choice.h"
#include "backends/workload/canaries.h"
#include "kube/object.h"
#include "tests/crds/crds.h"

namespace coppice::backends {
namespace {

using json::Value;

struct Server {
  explicit Server(const std::string& release = "1.35") {
    server = std::move(
        *server::ApiServer::Make({.clock = &stepper.clock(), .kubernetes_version = release}));
    client = server->NewClient(stepper);
  }
  Capabilities Find(const std::vector<ResourceUse>& uses) {
    auto found = Discover(*client, uses);
    EXPECT_TRUE(found.ok()) << found.error().ToString();
    return found ? *found : Capabilities();
  }

  kube::Stepper stepper;
  std::unique_ptr<server::ApiServer> server;
  std::unique_ptr<kube::Client> client;
};

Value Crd(const std::string& group, const std::string& plural, const std::string& kind,
          const std::string& version, const std::string& spec) {
  return Yaml(fmt::format(R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: {1}.{0}}}
spec:
  group: {0}
  names: {{plural: {1}, kind: {2}, singular: x, listKind: {2}List}}
  scope: Namespaced
  versions:
  - {{name: {3}, served: true, storage: true, schema: {{openAPIV3Schema: {{type: object, properties: {{spec: {{type: object, properties: {4}}}}}}}}}}}
)",
                          group, plural, kind, version, spec));
}

TEST(Discovery, AGroupWithoutThePluralIsNotServed) {
  Server server;
  ASSERT_TRUE(server.server
                  ->InstallCrd(Crd("scheduling.koordinator.sh", "devices", "Device", "v1alpha1",
                                   "{a: {type: string}}"))
                  .ok());
  const api::Resource alias{"scheduling.koordinator.sh", "v1alpha1", "podgroups", "PodGroup", true};
  const api::Resource devices{"scheduling.koordinator.sh", "v1alpha1", "devices", "Device", true};
  const Capabilities found = server.Find({{.resource = alias}, {.resource = devices}});
  EXPECT_FALSE(found.Serves(alias));
  EXPECT_TRUE(found.Serves(devices));
}

TEST(Discovery, SchemasTellOldAndNewSchedulers) {
  const auto volcano = [](const std::string& spec) {
    Server server;
    EXPECT_TRUE(
        server.server
            ->InstallCrd(Crd("scheduling.volcano.sh", "podgroups", "PodGroup", "v1beta1", spec))
            .ok());
    return server.Find(volcano::VolcanoBackend().Resources());
  };
  const Capabilities old = volcano(
      "{networkTopology: {type: object, properties: {highestTierAllowed: {type: integer}}}}");
  EXPECT_FALSE(old.HasField(volcano::kPodGroups, "spec.subGroupPolicy"));
  EXPECT_TRUE(old.HasField(volcano::kPodGroups, "spec.networkTopology"));
  EXPECT_FALSE(old.HasField(volcano::kPodGroups, "spec.networkTopology.highestTierName"));
  const Capabilities recent = volcano(
      "{subGroupPolicy: {type: array, items: {type: object}}, networkTopology: {type: object, "
      "properties: {highestTierName: {type: string}}}}");
  EXPECT_TRUE(recent.HasField(volcano::kPodGroups, "spec.subGroupPolicy"));
  EXPECT_TRUE(recent.HasField(volcano::kPodGroups, "spec.networkTopology.highestTierName"));
}

TEST(Discovery, RealCrdsHaveTheNewFields) {
  Server server;
  for (const std::string project : {"volcano", "kai"}) {
    for (const Value& crd : test_crds::Of(project))
      ASSERT_TRUE(server.server->InstallCrd(crd).ok());
  }
  const Capabilities volcano = server.Find(volcano::VolcanoBackend().Resources());
  EXPECT_TRUE(volcano.HasField(volcano::kPodGroups, "spec.subGroupPolicy"));
  const Capabilities kai = server.Find(kai::KaiBackend().Resources());
  EXPECT_TRUE(kai.HasField(api::kPodGroups, "spec.stalenessGracePeriod"));
}

TEST(Discovery, EachReleaseGetsItsVersionOfTheGangApi) {
  const auto choice = [](const std::string& release) {
    Server server(release);
    return workload::ChooseApi(server.Find(workload::GangApiUses()), Profile());
  };
  EXPECT_EQ(choice("1.35").workloads.version, "v1alpha1");
  EXPECT_TRUE(choice("1.35").has_pod_field);
  EXPECT_EQ(choice("1.36").workloads.version, "v1alpha2");
  EXPECT_TRUE(choice("1.36").has_topology);
  EXPECT_EQ(choice("1.37").workloads.version, "v1beta1");
  EXPECT_TRUE(choice("1.37").has_composites);
}

// A server with the topology feature gate off: the field is silently dropped.
class DropsTopology final : public server::AdmissionPlugin {
 public:
  explicit DropsTopology(bool in_probes) : in_probes_(in_probes) {}
  const std::string& name() const override { return name_; }
  bool Handles(const server::AdmissionRequest& request) const override {
    return request.resource.plural == "podgroups" && (in_probes_ || !request.dry_run);
  }
  base::Status Mutate(const server::AdmissionRequest&, Value& object) override {
    object.Mutable("spec").Erase("schedulingConstraints");
    return {};
  }

 private:
  const bool in_probes_;
  const std::string name_ = "drops-topology";
};

struct TopologyWorld {
  explicit TopologyWorld(bool dropped_in_probes)
      : world({.kubernetes_version = "1.36",
               .config = "{scheduler: {profiles: []}}",
               .admission = std::make_shared<DropsTopology>(dropped_in_probes)}) {
    world.Create(ExampleBinding());
    world.CreateGang(ExampleGang("default-scheduler"));
    world.Settle();
  }
  std::string Reason() {
    const Value gang = world.Get(api::kPodGangs, "ai", "llm-0");
    return kube::Condition(gang, "BackendSynced")["reason"].ToString();
  }
  World world;
};

TEST(Probe, ADroppedFieldIsFoundBeforeAnyGangIsWritten) {
  TopologyWorld flow(/*dropped_in_probes=*/true);
  EXPECT_EQ(flow.Reason(), "CapabilityMissing");
  EXPECT_TRUE(flow.world.List(workload::PodGroups("v1alpha2")).empty());
}

TEST(Probe, AFieldThatIsDroppedAllTheSameKeepsGatesClosed) {
  TopologyWorld flow(/*dropped_in_probes=*/false);
  EXPECT_EQ(flow.Reason(), "FieldDropped");
  flow.world.CreatePod("ai", "llm-0", "llm-0-fe", 0, "fe-a");
  flow.world.Initialize("ai", "llm-0");
  flow.world.Settle();
  EXPECT_FALSE(flow.world.backends->CheckRelease(flow.world.Get(api::kPods, "ai", "fe-a")).release);
}

}  // namespace
}  // namespace coppice::backends
