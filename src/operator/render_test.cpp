#include "operator/render.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "json/yaml.h"
#include "kube/object.h"

namespace coppice::operators {
namespace {

constexpr char kSet[] = R"(
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata: {name: demo}
spec:
  replicas: 1
  template:
    cliqueStartupType: CliqueStartupTypeInOrder
    cliques:
    - {name: fe, spec: {roleName: fe, replicas: 2, minAvailable: 1, podSpec: {containers: [{name: c, image: i}]}}}
    - {name: ld, spec: {roleName: ld, replicas: 1, podSpec: {containers: [{name: c, image: i}]}}}
    - {name: wk, spec: {roleName: wk, replicas: 3, minAvailable: 2, podSpec: {containers: [{name: c, image: i}]}}}
    podCliqueScalingGroups: [{name: g, cliqueNames: [ld, wk], replicas: 3, minAvailable: 1}]
)";

std::map<std::string, json::Value> Rendered(const std::string& yaml) {
  const auto objects = RenderSet({}, *json::ParseYaml(yaml));
  EXPECT_TRUE(objects.ok());
  std::map<std::string, json::Value> by_name;
  for (const json::Value& object : *objects) {
    const std::string kind(kube::Kind(object));
    const std::string name =
        kind == "Pod" ? object["spec"]["hostname"].ToString() : std::string(kube::Name(object));
    by_name[kind + "/" + name] = object;
  }
  return by_name;
}

TEST(Render, NamesAndStartupOrderOfTheWorkedExample) {
  const auto objects = Rendered(kSet);
  for (const char* name :
       {"ServiceAccount/demo", "Role/grove.io:pcs:demo", "RoleBinding/grove.io:pcs:demo",
        "Secret/demo-ic-sat", "Service/demo-0", "PodCliqueScalingGroup/demo-0-g",
        "PodClique/demo-0-fe", "PodClique/demo-0-g-0-ld", "PodClique/demo-0-g-2-wk",
        "Pod/demo-0-fe-1", "Pod/demo-0-g-1-wk-2"}) {
    EXPECT_TRUE(objects.contains(name)) << name;
  }
  const auto starts_after = [&](const std::string& clique) {
    const json::Value& list = objects.at("PodClique/" + clique)["spec"]["startsAfter"];
    return list.empty() ? "" : list.At(0).ToString();
  };
  EXPECT_EQ(starts_after("demo-0-fe"), "");
  EXPECT_EQ(starts_after("demo-0-g-0-ld"), "demo-0-fe");
  EXPECT_EQ(starts_after("demo-0-g-0-wk"), "demo-0-g-0-ld");
  EXPECT_EQ(starts_after("demo-0-g-1-ld"), "");
  EXPECT_EQ(starts_after("demo-0-g-1-wk"), "demo-0-g-1-ld");
}

TEST(Render, PodOfAScaledGang) {
  const json::Value pod = Rendered(kSet).at("Pod/demo-0-g-1-wk-2");
  EXPECT_EQ(kube::Label(pod, "grove.io/podgang"), "demo-0-g-0");
  EXPECT_EQ(kube::Label(pod, "grove.io/base-podgang"), "demo-0");
  EXPECT_EQ(pod["spec"]["subdomain"].AsString(), "demo-0");
  const json::Value& init = pod["spec"]["initContainers"].At(0);
  EXPECT_EQ(init["name"].AsString(), "grove-initc");
  EXPECT_EQ(init["args"].At(0).AsString(), "--podcliques=demo-0-g-1-ld:1");
  std::vector<std::string> names;
  for (const json::Value& variable : pod["spec"]["containers"].At(0)["env"].Items()) {
    names.push_back(variable["name"].ToString());
  }
  EXPECT_THAT(names, ::testing::ElementsAre("GROVE_PCS_NAME", "GROVE_PCS_INDEX", "GROVE_PCLQ_NAME",
                                            "GROVE_HEADLESS_SERVICE", "GROVE_PCLQ_POD_INDEX",
                                            "GROVE_PCSG_NAME", "GROVE_PCSG_TEMPLATE_NUM_PODS",
                                            "GROVE_PCSG_INDEX"));
}

TEST(Render, RefusesWhatAdmissionRefuses) {
  auto set = *json::ParseYaml(kSet);
  set.Mutable("spec").Mutable("template").Set("cliques", json::Value::Array());
  const auto objects = RenderSet({}, set);
  ASSERT_FALSE(objects.ok());
  EXPECT_NE(objects.error().message().find("spec.template.cliques"), std::string::npos);
}

}  // namespace
}  // namespace coppice::operators
