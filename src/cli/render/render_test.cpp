#include "cli/render/render.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "cli/run/processes_testing.h"
#include "json/yaml/yaml.h"
#include "kube/object.h"
#include "source_dir.h"

namespace coppice::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kExample = std::string(COPPICE_SOURCE_DIR) + "/examples/kai.yaml";

Printed Render(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "render");
  return RunToTheEnd(arguments);
}

TEST(RenderCommand, PrintsEveryObjectOfOperatorAndBackend) {
  const Printed printed = Render({"-f", kExample});
  EXPECT_EQ(printed.code, 0) << printed.errors;
  const auto objects = json::ParseYamlDocuments(printed.text);
  ASSERT_TRUE(objects.ok());
  std::map<std::string, int> kinds;
  for (const json::Value& object : *objects) {
    ++kinds[std::string(kube::Kind(object))];
    if (kube::Kind(object) != "Pod") continue;
    // As the operator builds it and its backend completes it.
    EXPECT_FALSE(object["spec"]["hostname"].AsString().empty());
    EXPECT_EQ(object["spec"]["schedulingGates"].At(0)["name"].AsString(), "grove.io/podgang");
    EXPECT_FALSE(kube::Annotation(object, "pod-group-name").empty());
  }
  EXPECT_EQ(kinds["PodClique"], 2);
  EXPECT_EQ(kinds["PodGang"], 1);
  EXPECT_EQ(kinds["PodGroup"], 1);
  EXPECT_EQ(kinds["Pod"], 6);
  EXPECT_EQ(kinds["Service"], 1);
}

// Prints what a cluster would contain: the gang's labels, and all of them on its PodGroup.
TEST(RenderCommand, GangsCarryTheOperatorsLabels) {
  const Printed printed = Render({"-f", kExample});
  const auto objects = json::ParseYamlDocuments(printed.text);
  ASSERT_TRUE(objects.ok());
  int seen = 0;
  for (const json::Value& object : *objects) {
    if (kube::Kind(object) != "PodGang" && kube::Kind(object) != "PodGroup") continue;
    ++seen;
    EXPECT_EQ(kube::Label(object, "app.kubernetes.io/managed-by"), "grove-operator");
    EXPECT_EQ(kube::Label(object, "app.kubernetes.io/part-of"), "train-kai");
    EXPECT_EQ(kube::Label(object, "app.kubernetes.io/component"), "podgang");
    EXPECT_EQ(kube::Label(object, "grove.io/scheduler-backend"), "kai");
    EXPECT_EQ(kube::ControllerOwner(object)["kind"].AsString(),
              kube::Kind(object) == "PodGang" ? "PodCliqueSet" : "PodGang");
  }
  EXPECT_EQ(seen, 2);
}

TEST(RenderCommand, DiffShowsWhatAnotherBackendDoesDifferently) {
  const Printed printed = Render({"-f", kExample, "--backend", "kai", "--diff", "volcano"});
  EXPECT_EQ(printed.code, 0) << printed.errors;
  EXPECT_THAT(printed.text,
              HasSubstr("=== scheduling.volcano.sh/v1beta1 PodGroup train-kai-0\n+ "));
  EXPECT_THAT(printed.text, HasSubstr("- apiVersion: scheduling.run.ai/v2alpha2\n"));
  EXPECT_THAT(printed.text,
              HasSubstr("-   schedulerName: kai-scheduler\n+   schedulerName: volcano"));
  EXPECT_THAT(printed.text, Not(HasSubstr("ServiceAccount")));  // The same for both.
  EXPECT_EQ(Render({"-f", kExample, "--backend", "kai", "--diff", "kai"}).text, "");
}

TEST(RenderCommand, TheExampleOfADeclaredBackendWorksAsDocumented) {
  const std::string config =
      std::string(COPPICE_SOURCE_DIR) + "/examples/custom_backend_declared/acme.yaml";
  const Printed printed = Render({"-f", kExample, "--backend", "acme", "--config", config});
  EXPECT_EQ(printed.code, 0) << printed.errors;
  EXPECT_THAT(printed.text, HasSubstr("kind: Gang\n"));
  const Printed difference =
      Render({"-f", kExample, "--backend", "kai", "--diff", "acme", "--config", config});
  EXPECT_EQ(difference.code, 0) << difference.errors;
  EXPECT_THAT(difference.text, HasSubstr("acme.example.com/v1 Gang"));
}

// Like a cluster, with the same message.
TEST(RenderCommand, WhatNoApiServerWouldTakeIsRefused) {
  const TemporaryFolder folder;
  const std::string file = folder / "set.yaml";
  const auto errors = [&](const std::string& clique, const std::string& container) {
    std::ofstream(file) << "{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {name: "
                           "s, namespace: team}, spec: {replicas: 1, template: {cliques: [{name: "
                           "w, spec: {roleName: w, "
                        << clique << ", podSpec: {containers: [{name: c, " << container
                        << "}]}}}]}}}";
    const Printed printed = Render({"-f", file});
    EXPECT_EQ(printed.code, printed.errors.empty() ? 0 : 1);
    return printed.errors;
  };
  EXPECT_EQ(errors("replicas: 1", "image: i"), "");
  EXPECT_THAT(errors("replicas: 1, minAvailabel: 1", "image: i"),
              HasSubstr("unknown field \"spec.template.cliques[0].spec.minAvailabel\""));
  EXPECT_THAT(errors("replicas: two", "image: i"),
              HasSubstr("spec.template.cliques[0].spec.replicas"));
  EXPECT_THAT(errors("replicas: 1", "command: [run]"),
              HasSubstr("spec.template.cliques[0].spec.podSpec.containers[0].image: Required"));
}

TEST(RenderCommand, ARefusalIsAFailureThatNamesTheField) {
  const TemporaryFolder folder;
  const std::string file = folder / "set.yaml";
  std::ofstream(file) << R"(
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata: {name: s}
spec:
  replicas: 1
  template:
    topologyConstraint: {topologyName: dc, pack: {required: rack}}
    cliques:
    - {name: w, spec: {roleName: w, replicas: 2, podSpec: {schedulerName: default-scheduler, containers: [{name: c, image: i}]}}}
---
apiVersion: grove.io/v1alpha1
kind: ClusterTopologyBinding
metadata: {name: dc}
spec: {levels: [{domain: rack, key: example.com/rack}]}
)";
  const Printed old_release = Render({"-f", file});
  EXPECT_EQ(old_release.code, 1);
  EXPECT_THAT(old_release.errors,
              HasSubstr("CapabilityMissing: spec.topologyConstraint.packConstraint.required"));
  EXPECT_EQ(Render({"-f", file, "--kubernetes", "1.36"}).code, 0);
}

// Without the binding the labels are unknown, which is not the same as having no constraint.
TEST(RenderCommand, ATopologyThatTheFileDoesNotHoldIsRefused) {
  const TemporaryFolder folder;
  const std::string file = folder / "set.yaml";
  const auto render = [&](const std::string& pack) {
    std::ofstream(file) << "{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {name: "
                           "s}, spec: {replicas: 1, template: {topologyConstraint: {topologyName: "
                           "dc, pack: {"
                        << pack
                        << ": rack}}, cliques: [{name: w, spec: {roleName: w, replicas: 2, "
                           "podSpec: {schedulerName: kai-scheduler, containers: [{name: c, image: "
                           "i}]}}}]}}}";
    return Render({"-f", file});
  };
  const Printed required = render("required");
  EXPECT_EQ(required.code, 1);
  EXPECT_THAT(required.errors,
              HasSubstr("refused: TopologyUnresolved: spec.template.topologyConstraint"));
  EXPECT_THAT(required.errors, HasSubstr("ClusterTopologyBinding \"dc\""));
  const Printed preferred = render("preferred");
  EXPECT_EQ(preferred.code, 0) << preferred.errors;
  EXPECT_THAT(preferred.errors, HasSubstr("dropped: spec.template.topologyConstraint"));
}

}  // namespace
}  // namespace coppice::cli
