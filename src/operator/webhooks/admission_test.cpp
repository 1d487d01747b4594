#include "operator/webhooks/admission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/well_known.h"
#include "json/yaml/yaml.h"
#include "kube/object.h"
#include "operator/tests/rig/sets_testing.h"

namespace coppice::operators {
namespace {

using testing::HasSubstr;

constexpr char kTopologyBinding[] = R"(
apiVersion: grove.io/v1alpha1
kind: ClusterTopologyBinding
metadata: {name: topo}
spec: {levels: [{domain: zone, key: topo/zone}, {domain: rack, key: topo/rack}, {domain: host, key: kubernetes.io/hostname}]}
)";

json::Value Parsed(const std::string& yaml) { return *json::ParseYaml(yaml); }

// A set with one clique and additional fields.
std::string OneClique(const std::string& tmpl = "", const std::string& clique = "",
                      const std::string& spec = "") {
  return "{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {name: app}, spec: "
         "{replicas: 1, template: {" +
         tmpl + (tmpl.empty() ? "" : ", ") + "cliques: [{name: w" +
         (clique.empty() ? "" : ", " + clique) + ", spec: {roleName: w, replicas: 2" +
         (spec.empty() ? "" : ", " + spec) + ", podSpec: {containers: [{name: c, image: i}]}}}]}}}";
}

class AdmissionTest : public ::testing::Test {
 protected:
  static World::Options Options() {
    World::Options options = GroveWorld();
    options.config.topology_aware_scheduling = true;
    return options;
  }

  std::string Refusal(const std::string& yaml) {
    const auto created = world_.TryCreate(Parsed(yaml));
    return created ? "" : created.error().message();
  }

  World world_{Options()};
};

TEST_F(AdmissionTest, FillsInDefaults) {
  const json::Value set = world_.Create(OneClique());
  const json::Value& tmpl = set["spec"]["template"];
  EXPECT_EQ(tmpl["terminationDelay"].AsString(), "4h0m0s");
  EXPECT_EQ(tmpl["cliqueStartupType"].AsString(), "CliqueStartupTypeAnyOrder");
  EXPECT_TRUE(tmpl["headlessServiceConfig"]["publishNotReadyAddresses"].AsBool());
  const json::Value& spec = tmpl["cliques"].At(0)["spec"];
  EXPECT_EQ(spec["minAvailable"].AsInt(), 2);
  EXPECT_EQ(spec["podSpec"]["restartPolicy"].AsString(), "Always");
  EXPECT_EQ(spec["podSpec"]["terminationGracePeriodSeconds"].AsInt(), 30);
}

TEST_F(AdmissionTest, AutoscalersStartFromTheirReplicas) {
  const json::Value set = world_.Create(
      "{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {name: z}, spec: {template: "
      "{cliques: [{name: a, spec: {roleName: a, replicas: 2, autoScalingConfig: {maxReplicas: 5}, "
      "podSpec: {containers: [{name: c, image: i}]}}}, {name: b, spec: {roleName: b, replicas: 1, "
      "podSpec: {containers: [{name: c, image: i}]}}}], podCliqueScalingGroups: [{name: g, "
      "cliqueNames: [b], replicas: 3, scaleConfig: {maxReplicas: 4}}]}}}");
  const json::Value& tmpl = set["spec"]["template"];
  EXPECT_EQ(tmpl["cliques"].At(0)["spec"]["autoScalingConfig"]["minReplicas"].AsInt(), 2);
  EXPECT_EQ(tmpl["podCliqueScalingGroups"].At(0)["scaleConfig"]["minReplicas"].AsInt(), 3);
}

TEST_F(AdmissionTest, FillsInDefaultsOnUpdatesToo) {
  const std::string name(kube::Name(world_.Create(OneClique())));
  const json::Value set = world_.MergePatch(
      api::kPodCliqueSets, name,
      "{spec: {template: {terminationDelay: null, headlessServiceConfig: null}}}");
  EXPECT_EQ(set["spec"]["template"]["terminationDelay"].AsString(), "4h0m0s");
  EXPECT_TRUE(
      set["spec"]["template"]["headlessServiceConfig"]["publishNotReadyAddresses"].AsBool());
}

TEST_F(AdmissionTest, ReplicasZeroCountsAsOne) {
  const json::Value set = world_.Create(
      "{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {name: z}, spec: {template: "
      "{cliques: [{name: w, spec: {roleName: w, replicas: 0, podSpec: {containers: [{name: c, "
      "image: i}]}}}]}}}");
  const json::Value& spec = set["spec"]["template"]["cliques"].At(0)["spec"];
  EXPECT_EQ(spec["replicas"].AsInt(), 1);
  EXPECT_EQ(spec["minAvailable"].AsInt(), 1);
}

// Like upstream's webhook, which writes every field of its type.
TEST_F(AdmissionTest, CliquesWithoutRoleOrReplicasAreTaken) {
  const json::Value set = world_.Create(
      "{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {name: z}, spec: {template: "
      "{cliques: [{name: w, spec: {podSpec: {containers: [{name: c, image: i}]}}}]}}}");
  const json::Value& spec = set["spec"]["template"]["cliques"].At(0)["spec"];
  EXPECT_EQ(spec["roleName"], json::Value(""));
  world_.Scale(api::kPodCliqueSets, "z", 1);
  ASSERT_TRUE(world_.Settle());
  EXPECT_EQ(world_.List(api::kPods).size(), 1u);
  EXPECT_EQ(spec["replicas"].AsInt(), 1);
  EXPECT_EQ(spec["minAvailable"].AsInt(), 1);
}

// Defaulting must not hide invalid input from the schema.
TEST_F(AdmissionTest, WrongTypesAreRefusedAndNotReplacedByDefaults) {
  const auto set = [](const std::string& cliques) {
    return "{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {name: z}, spec: "
           "{template: {cliques: " +
           cliques + "}}}";
  };
  const auto clique = [&](const std::string& replicas, const std::string& policy) {
    return set("[{name: w, spec: {roleName: w, replicas: " + replicas + ", podSpec: {" +
               "restartPolicy: " + policy + ", containers: [{name: c, image: i}]}}}]");
  };
  for (const char* replicas : {"'3'", "1.5", "true", "{}"}) {
    EXPECT_THAT(Refusal(clique(replicas, "Always")),
                HasSubstr("spec.template.cliques[0].spec.replicas"));
  }
  EXPECT_THAT(Refusal(clique("1", "7")), HasSubstr("spec.podSpec.restartPolicy"));
  EXPECT_THAT(Refusal(set("[x]")), HasSubstr("spec.template.cliques[0]"));
  EXPECT_THAT(Refusal(set("{a: 1}")), HasSubstr("spec.template.cliques"));
}

TEST_F(AdmissionTest, TopologyMustExist) {
  const std::string constrained =
      OneClique("topologyConstraint: {topologyName: topo, pack: {required: rack}}");
  EXPECT_NE(Refusal(constrained).find("ClusterTopologyBinding \"topo\" not found"),
            std::string::npos);
  world_.Create(kTopologyBinding);
  EXPECT_EQ(Refusal(constrained), "");
}

TEST_F(AdmissionTest, UnknownDomainAndNarrowerParentAreRefused) {
  world_.Create(kTopologyBinding);
  EXPECT_NE(Refusal(OneClique("topologyConstraint: {topologyName: topo, pack: {required: row}}"))
                .find("topology domain 'row' does not exist in cluster topology [zone rack host]"),
            std::string::npos);
  EXPECT_NE(Refusal(OneClique("topologyConstraint: {topologyName: topo, pack: {required: host}}",
                              "topologyConstraint: {pack: {required: rack}}"))
                .find("is narrower than PodClique 'w'"),
            std::string::npos);
}

TEST_F(AdmissionTest, BindingsAreChecked) {
  EXPECT_NE(Refusal("{apiVersion: grove.io/v1alpha1, kind: ClusterTopologyBinding, metadata: "
                    "{name: a}, spec: {levels: [{domain: rack, key: a}, {domain: rack, key: b}]}}")
                .find("spec.levels[1].domain: Duplicate value: \"rack\""),
            std::string::npos);
  EXPECT_NE(Refusal("{apiVersion: grove.io/v1alpha1, kind: ClusterTopologyBinding, metadata: "
                    "{name: a}, spec: {levels: [{domain: rack, key: a}], "
                    "schedulerTopologyBindings: [{schedulerName: nobody, topologyReference: x}]}}")
                .find("spec.schedulerTopologyReferences[0].schedulerName: Invalid value"),
            std::string::npos);
}

// Upstream's rejection names a field that does not exist.
TEST(BindingAdmission, NamesTheFieldUnlessUpstreamsWordsAreAskedFor) {
  World world(DefaultWorld());
  const auto refused = world.TryCreate(
      Parsed("{apiVersion: grove.io/v1alpha1, kind: ClusterTopologyBinding, metadata: {name: a}, "
             "spec: {levels: [{domain: rack, key: a}], schedulerTopologyBindings: "
             "[{schedulerName: nobody, topologyReference: x}]}}"));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(),
              HasSubstr("spec.schedulerTopologyBindings[0].schedulerName: Invalid value"));
}

}  // namespace
}  // namespace coppice::operators
