#include "tests/crds/crds.h"

#include <gtest/gtest.h>

#include "api/schema/errors/field_error.h"
#include "api/schema/model/schema_document.h"
#include "api/schema/prune.h"
#include "api/schema/validate/validate.h"
#include "json/write.h"
#include "json/yaml/yaml.h"

// The CRDs of the projects that we work with; those that they publish where COPPICE_CRDS has them.
namespace coppice::api {
namespace {

class CrdSchemas : public ::testing::Test {
 protected:
  void Load(const std::string& project, const std::string& name) {
    const json::Value crd = test_crds::Find(test_crds::Of(project), name);
    auto document =
        SchemaDocument::Parse(crd["spec"]["versions"].At(0)["schema"]["openAPIV3Schema"]);
    ASSERT_TRUE(document) << document.error().message();
    document_ = *document;
  }

  // What is wrong with an object after pruning and defaulting; also what was unknown.
  std::string Complaints(std::string_view yaml, std::string_view old_yaml = "") {
    std::vector<std::string> unknown;
    const json::Value object = Prepared(yaml, &unknown);
    const json::Value old = old_yaml.empty() ? json::Value() : Prepared(old_yaml, nullptr);
    std::string out;
    for (const auto& path : unknown) out += "unknown " + path + "\n";
    for (const auto& cause :
         ValidateObject(document_->root(), object, old_yaml.empty() ? nullptr : &old)) {
      out += Describe(cause) + "\n";
    }
    return out;
  }

 private:
  json::Value Prepared(std::string_view yaml, std::vector<std::string>* unknown) {
    auto object = json::ParseYaml(yaml);
    EXPECT_TRUE(object) << object.error().message();
    return ApplyDefaults(document_->root(), Prune(document_->root(), *object, unknown));
  }

  std::shared_ptr<const SchemaDocument> document_;
};

TEST_F(CrdSchemas, AllLoad) {
  for (const char* project :
       {"grove", "kai", "koordinator", "kueue", "scheduler-plugins", "volcano"}) {
    for (const json::Value& crd : test_crds::Of(project)) {
      for (const json::Value& version : crd["spec"]["versions"].Items()) {
        const auto document = SchemaDocument::Parse(version["schema"]["openAPIV3Schema"]);
        EXPECT_TRUE(document) << json::Write(crd["metadata"]) << document.error().message();
      }
    }
  }
}

TEST_F(CrdSchemas, GrovePodCliqueSet) {
  Load("grove", "podcliquesets.grove.io");
  const std::string good = R"(
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata: {name: a}
spec:
  replicas: 1
  template:
    cliques:
    - name: w
      spec:
        roleName: w
        replicas: 2
        podSpec: {containers: [{name: c, image: i}]}
)";
  EXPECT_EQ(Complaints(good), "");
  EXPECT_NE(Complaints(good + "    extra: 1\n").find("unknown spec.template.extra"),
            std::string::npos);
  EXPECT_NE(Complaints(good + "    topologyConstraint: {}\n")
                .find("spec.template.topologyConstraint.pack: Required value: topologyConstraint "
                      "must specify pack or deprecated packDomain"),
            std::string::npos);
  const std::string deprecated =
      good + "    topologyConstraint: {packDomain: rack, topologyName: t}\n";
  EXPECT_NE(Complaints(deprecated)
                .find("spec.template.topologyConstraint.packDomain: Forbidden: "
                      "packDomain is deprecated"),
            std::string::npos);
  EXPECT_EQ(Complaints(deprecated, deprecated), "");
  EXPECT_NE(Complaints("spec: {replicas: x, template: {}}")
                .find("spec.replicas: Invalid value: \"string\": spec.replicas in body must be of "
                      "type integer: \"string\""),
            std::string::npos);
}

TEST_F(CrdSchemas, KaiTopology) {
  Load("kai", "topologies.kai.scheduler");
  EXPECT_EQ(Complaints("spec: {levels: [{nodeLabel: rack}, {nodeLabel: kubernetes.io/hostname}]}"),
            "");
  EXPECT_EQ(Complaints("spec: {levels: [{nodeLabel: kubernetes.io/hostname}, {nodeLabel: rack}]}"),
            "spec.levels: Invalid value: the kubernetes.io/hostname label can only be used at the "
            "lowest level of topology\n");
  EXPECT_EQ(Complaints("spec: {levels: [{nodeLabel: a}, {nodeLabel: a}]}"),
            "spec.levels: Invalid value: nodeLabel must be unique\n");
  EXPECT_EQ(Complaints("spec: {levels: [{nodeLabel: b}, {nodeLabel: a}]}",
                       "spec: {levels: [{nodeLabel: a}, {nodeLabel: b}]}"),
            "spec.levels: Invalid value: nodeLabel structure is immutable; only aliases may be "
            "edited\n");
  EXPECT_EQ(
      Complaints("spec: {levels: [{nodeLabel: a, alias: x}]}", "spec: {levels: [{nodeLabel: a}]}"),
      "");
}

class PublishedCrdSchemas : public CrdSchemas, public ::testing::WithParamInterface<bool> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PublishedCrdSchemas);  // Without COPPICE_CRDS.

TEST_P(PublishedCrdSchemas, KueueResourceFlavorAndVolcanoHyperNode) {
  Load("kueue", "resourceflavors.kueue.x-k8s.io");
  EXPECT_EQ(Complaints("spec: {nodeLabels: {a: b}, topologyName: t}"), "");
  EXPECT_NE(Complaints("spec: {nodeTaints: [{key: k, effect: Sometimes}]}")
                .find("supported taint effect values"),
            std::string::npos);
  EXPECT_NE(Complaints("spec: {tolerations: [{operator: Exists, value: x}]}")
                .find("a value must be empty when 'operator' is 'Exists'"),
            std::string::npos);
  Load("volcano", "hypernodes.topology.volcano.sh");
  const std::string member = "spec: {tier: 1, members: [{type: Node, selector: ";
  EXPECT_EQ(Complaints(member + "{exactMatch: {name: node}}}]}"), "");
  EXPECT_NE(Complaints(member + "{}}]}").find("Either ExactMatch or RegexMatch or LabelMatch"),
            std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Rules, PublishedCrdSchemas,
                         ::testing::ValuesIn(std::vector<bool>(!test_crds::Published().empty())));

}  // namespace
}  // namespace coppice::api
