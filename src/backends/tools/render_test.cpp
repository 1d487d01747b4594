#include "backends/tools/render.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "backends/gangs/rbac.h"
#include "backends/tests/world_testing.h"
#include "json/write.h"
#include "kube/object.h"
#include "source_dir.h"

namespace coppice::backends {
namespace {

using json::Value;

TEST(Render, EveryBackendRendersTheExample) {
  const auto backends = BackendSet::Make(AllBackends());
  ASSERT_TRUE(backends.ok());
  for (const BackendInstance& instance : (*backends)->instances()) {
    BackendConfig config = AllBackends();
    for (Profile& profile : config.profiles) {
      profile.options = Yaml("{topology: {requiredGang: PodAffinity}}");
    }
    const auto rendered =
        RenderSet(ExampleSet(""), {.backend = std::string(instance.backend->name()),
                                   .config = config,
                                   .binding = ExampleBinding()});
    ASSERT_TRUE(rendered.ok()) << instance.backend->name() << rendered.error().ToString();
    ASSERT_EQ(rendered->size(), 2u);
    EXPECT_FALSE((*rendered)[0].refusal) << (*rendered)[0].refusal->message;
    EXPECT_EQ((*rendered)[0].pods.size(), 7u);
    EXPECT_EQ(kube::Label((*rendered)[0].pod_gang, "grove.io/scheduler-backend"),
              instance.backend->name());
    for (const Value& object : (*rendered)[0].objects) {
      EXPECT_EQ(kube::Label(object, "grove.io/podgang"), "llm-0") << instance.backend->name();
      EXPECT_EQ(kube::Kind(kube::ControllerOwner(object)), "PodGang");
      EXPECT_FALSE(kube::Annotation(object, "grove.io/source-generation").empty());
    }
  }
}

TEST(Render, IsTheSameEveryTime) {
  const RenderOptions options{.backend = "kai", .binding = ExampleBinding()};
  const auto a = RenderSet(ExampleSet(""), options), b = RenderSet(ExampleSet(""), options);
  ASSERT_TRUE(a.ok());
  EXPECT_EQ(json::Write((*a)[0].objects.at(0)), json::Write((*b)[0].objects.at(0)));
}

TEST(Render, ReleasesDiffer) {
  for (const auto& [release, version] :
       {std::pair("1.35", "v1alpha1"), {"1.36", "v1alpha2"}, {"1.37", "v1beta1"}}) {
    Value set = ExampleSet("");
    set.Mutable("spec").Mutable("template").Erase("topologyConstraint");
    const auto rendered = RenderSet(set, {.backend = "default", .kubernetes = release});
    ASSERT_TRUE(rendered.ok());
    EXPECT_EQ((*rendered)[0].objects.at(0)["apiVersion"].AsString(),
              std::string("scheduling.k8s.io/") + version);
  }
}

TEST(Render, EveryExampleFileRenders) {
  int files = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(std::string(COPPICE_SOURCE_DIR) + "/examples")) {
    if (file.path().extension() != ".yaml") continue;
    std::ifstream stream(file.path());
    std::stringstream text;
    text << stream.rdbuf();
    for (const Value& document : YamlDocuments(text.str())) {
      if (kube::Kind(document) != "PodCliqueSet") continue;
      ++files;
      const auto rendered = RenderSet(document, {});
      ASSERT_TRUE(rendered.ok()) << file.path() << rendered.error().ToString();
      for (const RenderedGang& gang : *rendered) {
        EXPECT_FALSE(gang.refusal) << file.path() << " " << gang.refusal->message;
      }
    }
  }
  EXPECT_GE(files, 8);
}

Value RuleFor(const Value& role, const std::string& group, const std::string& resource) {
  for (const Value& rule : role["rules"].Items()) {
    if (rule["apiGroups"].At(0).AsString() == group &&
        rule["resources"].At(0).AsString() == resource) {
      return rule;
    }
  }
  return {};
}

TEST(Rbac, OnlyWhatEnabledBackendsUse) {
  const auto backends = BackendSet::Make(
      *ParseConfig(Yaml("{scheduler: {profiles: [{name: kai-scheduler}, {name: volcano}]}}")));
  const Value role = MakeClusterRole(**backends, "coppice-backends");
  EXPECT_EQ(RuleFor(role, "scheduling.run.ai", "podgroups")["verbs"],
            Yaml("[create, delete, get, list, patch, watch]"));
  EXPECT_EQ(RuleFor(role, "scheduling.volcano.sh", "queues")["verbs"], Yaml("[get, list, watch]"));
  EXPECT_TRUE(RuleFor(role, "kueue.x-k8s.io", "workloads").IsNull());
  EXPECT_TRUE(RuleFor(role, "scheduling.x-k8s.io", "podgroups").IsNull());
  const Value one = MakeClusterRole(**backends, "coppice-backend-kai", {"kai"});
  EXPECT_TRUE(RuleFor(one, "scheduling.volcano.sh", "podgroups").IsNull());
  EXPECT_FALSE(RuleFor(one, "scheduling.run.ai", "podgroups").IsNull());
  EXPECT_EQ(RuleFor(one, "", "pods")["verbs"], Yaml("[get, list, watch]"));
}

}  // namespace
}  // namespace coppice::backends
