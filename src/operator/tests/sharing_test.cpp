// Shared resource claims (RS1) and ComputeDomains (MN1, MN2, MN4).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/well_known.h"
#include "json/yaml/yaml.h"
#include "kube/object.h"
#include "operator/runtime/labels.h"
#include "operator/tests/rig/resources_testing.h"
#include "operator/tests/rig/sets_testing.h"

namespace coppice::operators {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

const api::Resource kComputeDomains{"resource.nvidia.com", "v1beta1", "computedomains",
                                    "ComputeDomain", true};

constexpr char kTemplates[] =
    "resourceClaimTemplates: [{name: own, templateSpec: {spec: {devices: {requests: [{name: r, "
    "exactly: {deviceClassName: d}}]}}}}]";

// Set: own for all of it (12 pods), ext per replica but only for clique s; group: own per replica,
// own for all filtered to clique m; clique s: own per pod.
std::string SharingSet() {
  return std::string(R"(
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata: {name: rs}
spec:
  replicas: 1
  template:
    )") + kTemplates +
         R"(
    resourceSharing:
    - {name: own, scope: AllReplicas}
    - {name: ext, namespace: other, scope: PerReplica, filter: {childCliqueNames: [s]}}
    cliques:
    - {name: s, resourceSharing: [{name: own, scope: PerReplica}], spec: {roleName: s, replicas: 1, podSpec: {initContainers: [{name: i, image: i}], containers: [{name: c, image: i}]}}}
    - {name: m, spec: {roleName: m, replicas: 1, podSpec: {containers: [{name: c, image: i}]}}}
    podCliqueScalingGroups:
    - {name: g, cliqueNames: [m], replicas: 2, minAvailable: 1, resourceSharing: [{name: own, scope: PerReplica}, {name: ext, namespace: other, scope: AllReplicas, filter: {childCliqueNames: [m]}}]}
)";
}

class Sharing : public ::testing::Test {
 protected:
  Sharing() {
    EXPECT_TRUE(world_.client->Create(
        api::kNamespaces,
        *json::ParseYaml("{apiVersion: v1, kind: Namespace, metadata: {name: other}}")));
    EXPECT_TRUE(world_.client->Create(
        kTemplatesResource,
        *json::ParseYaml("{apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: "
                         "{name: ext, namespace: other}, spec: {spec: {devices: {requests: [{name: "
                         "r, exactly: {deviceClassName: d}}]}}}}")));
    world_.Create(SharingSet());
    EXPECT_TRUE(world_.Settle());
  }

  std::vector<std::string> Claims() { return world_.Names(api::kResourceClaims); }
  std::vector<std::string> ClaimsOf(const std::string& hostname) {
    std::vector<std::string> names;
    for (const json::Value& claim : world_.PodOf(hostname)["spec"]["resourceClaims"].Items()) {
      names.push_back(claim["resourceClaimName"].ToString());
      EXPECT_EQ(claim["name"], claim["resourceClaimName"]);
    }
    return names;
  }

  const api::Resource kTemplatesResource{"resource.k8s.io", "v1", "resourceclaimtemplates",
                                         "ResourceClaimTemplate", true};
  World world_{GroveWorld()};
};

// Shared GPUs are charged to a queue; upstream's claims name none.
TEST(SharedClaims, NameTheQueueOfTheirSet) {
  for (const bool grove : {false, true}) {
    World world(grove ? GroveWorld() : DefaultWorld());
    world.Create(std::string("{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {name: "
                             "two, labels: {kai.scheduler/queue: team-a}}, spec: {replicas: 1, "
                             "template: {") +
                 kTemplates +
                 ", resourceSharing: [{name: own, scope: AllReplicas}], cliques: [{name: w, spec: "
                 "{roleName: w, replicas: 1, podSpec: {containers: [{name: c, image: i}]}}}]}}}");
    ASSERT_TRUE(world.Settle());
    EXPECT_EQ(kube::Label(world.Get(api::kResourceClaims, "two-all-own"), "kai.scheduler/queue"),
              grove ? "" : "team-a");
  }
}

// The set's queue changes while everything is idle.
TEST(SharedClaims, FollowTheQueueOfTheirSet) {
  World world(DefaultWorld());
  world.Create(std::string("{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {name: "
                           "two}, spec: {replicas: 1, template: {") +
               kTemplates +
               ", cliques: [{name: w, resourceSharing: [{name: own, scope: AllReplicas}], spec: "
               "{roleName: w, replicas: 1, podSpec: {containers: [{name: c, image: i}]}}}, {name: "
               "g, spec: {roleName: g, replicas: 1, podSpec: {containers: [{name: c, image: "
               "i}]}}}], podCliqueScalingGroups: [{name: grp, cliqueNames: [g], resourceSharing: "
               "[{name: own, scope: AllReplicas}]}]}}}");
  ASSERT_TRUE(world.Settle());
  world.MergePatch(api::kPodCliqueSets, "two",
                   "{metadata: {labels: {kai.scheduler/queue: team-b}}}");
  world.RunFor(std::chrono::seconds(1));
  for (const char* claim : {"two-0-w-all-own", "two-0-grp-all-own"}) {
    EXPECT_EQ(kube::Label(world.Get(api::kResourceClaims, claim), "kai.scheduler/queue"), "team-b")
        << claim;
  }
}

// Recreated pods are deleted first, whatever their index: the remaining ones keep their claims.
TEST(SharedClaims, StayWithPodsBeyondTheReplicas) {
  World::Options options = DefaultWorld();
  options.bind = false;
  World world(options);
  world.Create(std::string("{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {name: "
                           "two}, spec: {replicas: 1, template: {") +
               kTemplates +
               ", cliques: [{name: w, resourceSharing: [{name: own, scope: PerReplica}], spec: "
               "{roleName: w, replicas: 3, minAvailable: 1, podSpec: {containers: [{name: c, "
               "image: i}]}}}]}}}");
  ASSERT_TRUE(world.Settle());
  world.Delete(api::kPods, std::string(kube::Name(world.PodOf("two-0-w-0"))));
  ASSERT_TRUE(world.Settle());
  world.Scale(api::kPodCliques, "two-0-w", 2);
  ASSERT_TRUE(world.Settle());
  ASSERT_TRUE(world.PodOf("two-0-w-0").IsNull());
  EXPECT_TRUE(world.Exists(api::kResourceClaims, "two-0-w-2-own"));
  world.Delete(api::kPods, std::string(kube::Name(world.PodOf("two-0-w-2"))));
  ASSERT_TRUE(world.Settle());
  EXPECT_FALSE(world.Exists(api::kResourceClaims, "two-0-w-2-own"));
  EXPECT_TRUE(world.Exists(api::kResourceClaims, "two-0-w-0-own"));
}

// It is left alone, and the set reports it; once it is gone, the set creates its own.
TEST_F(Sharing, AForeignClaimOfTheSameNameIsNotTaken) {
  world_.Create(
      "{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: two-all-own}, spec: "
      "{devices: {requests: [{name: r, exactly: {deviceClassName: d}}]}}}");
  world_.Create(std::string("{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {name: "
                            "two}, spec: {replicas: 1, template: {") +
                kTemplates +
                ", resourceSharing: [{name: own, scope: AllReplicas}], cliques: [{name: w, spec: "
                "{roleName: w, replicas: 1, podSpec: {containers: [{name: c, image: i}]}}}]}}}");
  world_.RunFor(std::chrono::seconds(30));
  const json::Value error = world_.Get(api::kPodCliqueSets, "two")["status"]["lastErrors"].At(0);
  EXPECT_EQ(error["code"].AsString(), "ERR_SYNC_PCS_RESOURCE_CLAIM");
  EXPECT_THAT(error["description"].ToString(),
              HasSubstr("ResourceClaim team/two-all-own exists and is not ours"));
  EXPECT_TRUE(kube::ControllerOwner(world_.Get(api::kResourceClaims, "two-all-own")).IsNull());
  world_.Delete(api::kResourceClaims, "two-all-own");
  ASSERT_TRUE(world_.Settle());
  EXPECT_EQ(
      kube::ControllerOwner(world_.Get(api::kResourceClaims, "two-all-own"))["name"].AsString(),
      "two");
}

TEST_F(Sharing, EveryLevelHasItsClaims) {
  EXPECT_THAT(Claims(), UnorderedElementsAre("rs-all-own", "rs-0-ext", "rs-0-g-0-own",
                                             "rs-0-g-1-own", "rs-0-g-all-ext", "rs-0-s-0-own"));
  EXPECT_EQ(ClaimsOf("rs-0-s-0"),
            (std::vector<std::string>{"rs-all-own", "rs-0-ext", "rs-0-s-0-own"}));
  EXPECT_EQ(ClaimsOf("rs-0-g-1-m-0"),
            (std::vector<std::string>{"rs-all-own", "rs-0-g-all-ext", "rs-0-g-1-own"}));
}

TEST_F(Sharing, EveryContainerRefersToThem) {
  const json::Value spec = world_.PodOf("rs-0-s-0")["spec"];
  EXPECT_EQ(spec["containers"].At(0)["resources"]["claims"].size(), 3u);
  EXPECT_EQ(spec["initContainers"].At(0)["resources"]["claims"].size(), 3u);
}

TEST_F(Sharing, ClaimsFollowScaling) {
  world_.Scale(api::kPodCliqueScalingGroups, "rs-0-g", 1);
  ASSERT_TRUE(world_.Settle());
  EXPECT_EQ(Claims().size(), 5u);
  world_.Scale(api::kPodCliqueScalingGroups, "rs-0-g", 3);
  ASSERT_TRUE(world_.Settle());
  EXPECT_EQ(Claims().size(), 7u);
  world_.Scale(api::kPodCliques, "rs-0-s", 2);
  ASSERT_TRUE(world_.Settle());
  EXPECT_EQ(Claims().size(), 8u);
  world_.Scale(api::kPodCliques, "rs-0-s", 1);
  ASSERT_TRUE(world_.Settle());
  EXPECT_EQ(Claims().size(), 7u);
  world_.Scale(api::kPodCliqueSets, "rs", 2);
  ASSERT_TRUE(world_.Settle());
  EXPECT_EQ(Claims().size(), 12u);
  world_.Scale(api::kPodCliqueSets, "rs", 1);
  ASSERT_TRUE(world_.Settle());
  EXPECT_EQ(Claims().size(), 7u);
}

TEST_F(Sharing, ClaimsAreOwnedAndLabelled) {
  const json::Value of_set = world_.Get(api::kResourceClaims, "rs-0-ext");
  EXPECT_EQ(kube::ControllerOwner(of_set)["kind"].AsString(), "PodCliqueSet");
  EXPECT_EQ(kube::Label(of_set, labels::kComponent), "resource-claim");
  EXPECT_EQ(kube::Label(of_set, labels::kSetReplica), "0");
  const json::Value of_group = world_.Get(api::kResourceClaims, "rs-0-g-1-own");
  EXPECT_EQ(kube::ControllerOwner(of_group)["kind"].AsString(), "PodCliqueScalingGroup");
  EXPECT_EQ(kube::Label(of_group, labels::kScalingGroup), "rs-0-g");
  EXPECT_EQ(kube::Label(of_group, labels::kScalingGroupReplica), "1");
  const json::Value of_clique = world_.Get(api::kResourceClaims, "rs-0-s-0-own");
  EXPECT_EQ(kube::ControllerOwner(of_clique)["kind"].AsString(), "PodClique");
  EXPECT_EQ(kube::Label(of_clique, labels::kPodClique), "rs-0-s");
  EXPECT_EQ(kube::Label(of_clique, labels::kPodIndex), "0");
}

TEST_F(Sharing, AllGoWithTheSet) {
  world_.Delete(api::kPodCliqueSets, "rs");
  ASSERT_TRUE(world_.Settle());
  EXPECT_TRUE(Claims().empty());
}

// A set with a GPU clique alone, and a GPU clique and a CPU clique in a group; annotations by
// level.
std::string MnnvlSet(const std::string& of_set, const std::string& of_group = "",
                     const std::string& of_clique = "") {
  const auto annotation = [](const std::string& group) {
    return group.empty() ? "" : "annotations: {grove.io/mnnvl-group: " + group + "}, ";
  };
  const std::string gpu = "resources: {limits: {nvidia.com/gpu: '1'}}";
  return "{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {" + annotation(of_set) +
         "name: mn}, spec: {replicas: 1, template: {cliques: [{name: a, " + annotation(of_clique) +
         "spec: {roleName: a, replicas: 1, podSpec: {containers: [{name: c, image: i, " + gpu +
         "}]}}}, {name: b, spec: {roleName: b, replicas: 1, podSpec: {containers: [{name: c, "
         "image: "
         "i, " +
         gpu +
         "}]}}}, {name: cpu, spec: {roleName: cpu, replicas: 1, podSpec: {containers: [{name: c, "
         "image: i}]}}}], podCliqueScalingGroups: [{name: g, " +
         annotation(of_group) + "cliqueNames: [b, cpu]}]}}}";
}

class Mnnvl : public ::testing::Test {
 protected:
  static World::Options Options(bool on) {
    World::Options options = GroveWorld();
    options.config.auto_mnnvl = on;
    options.crds = {ComputeDomainCrd()};
    return options;
  }
  void Create(const std::string& yaml) {
    world_.Create(yaml);
    EXPECT_TRUE(world_.Settle());
  }
  std::vector<std::string> Domains() { return world_.Names(kComputeDomains); }
  std::string ClaimOf(const std::string& hostname) {
    const json::Value spec = world_.PodOf(hostname)["spec"];
    for (const json::Value& claim : spec["resourceClaims"].Items()) {
      if (claim["name"].AsString() != "mnnvl-claim") continue;
      EXPECT_EQ(spec["containers"].At(0)["resources"]["claims"].size(), 1u);
      return claim["resourceClaimTemplateName"].ToString();
    }
    return "";
  }

  World world_{Options(true)};
};

TEST_F(Mnnvl, WithoutAnnotationThereIsNothing) {
  Create(MnnvlSet(""));
  EXPECT_TRUE(Domains().empty());
  EXPECT_EQ(ClaimOf("mn-0-a-0"), "");
}

TEST_F(Mnnvl, AGroupOfTheSetReachesEveryGpuClique) {
  Create(MnnvlSet("all"));
  EXPECT_THAT(Domains(), UnorderedElementsAre("mn-0-all"));
  EXPECT_EQ(ClaimOf("mn-0-a-0"), "mn-0-all");
  EXPECT_EQ(ClaimOf("mn-0-g-0-b-0"), "mn-0-all");
  EXPECT_EQ(ClaimOf("mn-0-g-0-cpu-0"), "");
}

TEST_F(Mnnvl, TheNearestLayerWins) {
  Create(MnnvlSet("all", "near", "none"));
  EXPECT_THAT(Domains(), UnorderedElementsAre("mn-0-near"));
  EXPECT_EQ(ClaimOf("mn-0-a-0"), "");
  EXPECT_EQ(ClaimOf("mn-0-g-0-b-0"), "mn-0-near");
}

TEST_F(Mnnvl, DomainsFollowReplicasDownToNone) {
  Create(MnnvlSet("all", "near"));
  EXPECT_EQ(Domains().size(), 2u);
  world_.Scale(api::kPodCliqueSets, "mn", 2);
  ASSERT_TRUE(world_.Settle());
  EXPECT_EQ(Domains().size(), 4u);
  world_.Scale(api::kPodCliqueSets, "mn", 0);
  ASSERT_TRUE(world_.Settle());
  EXPECT_TRUE(Domains().empty());
}

TEST_F(Mnnvl, ADomainIsLabelledOwnedAndGoesWithItsSet) {
  Create(MnnvlSet("all"));
  const json::Value domain = world_.Get(kComputeDomains, "mn-0-all");
  EXPECT_EQ(kube::Label(domain, labels::kMnnvlGroup), "all");
  EXPECT_EQ(kube::Label(domain, labels::kSetReplica), "0");
  EXPECT_EQ(kube::ControllerOwner(domain)["name"].AsString(), "mn");
  EXPECT_TRUE(kube::HasFinalizer(domain, api::finalizers::kComputeDomain));
  EXPECT_EQ(domain["spec"]["numNodes"].AsInt(-1), 0);
  EXPECT_EQ(domain["spec"]["channel"]["resourceClaimTemplate"]["name"].AsString(), "mn-0-all");
  world_.Delete(api::kPodCliqueSets, "mn");
  ASSERT_TRUE(world_.Settle());
  EXPECT_TRUE(Domains().empty());
}

// Nothing else removes our finalizer from a domain, so its namespace could never be deleted.
TEST_F(Mnnvl, DomainsGoWithTheirSetAfterTheFeatureWasSwitchedOff) {
  Create(MnnvlSet("all"));
  world_.RestartAfter([](Config& config) { config.auto_mnnvl = false; });
  ASSERT_TRUE(world_.Settle());
  EXPECT_THAT(Domains(), UnorderedElementsAre("mn-0-all"));
  world_.Delete(api::kPodCliqueSets, "mn");
  ASSERT_TRUE(world_.Settle());
  EXPECT_TRUE(Domains().empty());
  EXPECT_FALSE(world_.Exists(api::kPodCliqueSets, "mn"));
}

TEST(MnnvlOff, GpuSetsRunWithoutArtefacts) {
  for (const bool served : {true, false}) {
    World::Options options = GroveWorld();
    if (served) options.crds = {ComputeDomainCrd()};
    World world(options);
    world.Create(MnnvlSet("none"));
    ASSERT_TRUE(world.Settle());
    EXPECT_EQ(world.List(api::kPods).size(), 3u);
    EXPECT_TRUE(world.PodOf("mn-0-a-0")["spec"]["resourceClaims"].IsNull());
  }
}

}  // namespace
}  // namespace coppice::operators
