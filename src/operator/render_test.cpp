#include "operator/render.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "json/yaml/yaml.h"
#include "kube/object.h"

namespace coppice::operators {
namespace {

constexpr char kRenderedSet[] = R"(
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

std::map<std::string, json::Value> Rendered(const std::string& yaml, const Config& config = {}) {
  const auto objects = RenderSet(config, *json::ParseYaml(yaml));
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
  const auto objects = Rendered(kRenderedSet);
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
  const json::Value pod = Rendered(kRenderedSet).at("Pod/demo-0-g-1-wk-2");
  EXPECT_EQ(kube::Label(pod, "grove.io/podgang"), "demo-0-g-0");
  EXPECT_EQ(kube::Label(pod, "grove.io/base-podgang"), "demo-0");
  EXPECT_EQ(pod["spec"]["subdomain"].AsString(), "demo-0");
  const json::Value& init = pod["spec"]["initContainers"].At(0);
  EXPECT_EQ(init["name"].AsString(), "grove-initc");
  // The operator's own image, whose entrypoint needs a subcommand.
  EXPECT_EQ(init["image"].AsString(), base::kOwnImage);
  EXPECT_EQ(init["imagePullPolicy"].AsString(), "IfNotPresent");
  EXPECT_EQ(init["args"], *json::ParseYaml("[initc, '--podcliques=demo-0-g-1-ld:1']"));
  std::vector<std::string> names;
  for (const json::Value& variable : pod["spec"]["containers"].At(0)["env"].Items()) {
    names.push_back(variable["name"].ToString());
  }
  EXPECT_THAT(names, ::testing::ElementsAre("GROVE_PCS_NAME", "GROVE_PCS_INDEX", "GROVE_PCLQ_NAME",
                                            "GROVE_HEADLESS_SERVICE", "GROVE_PCLQ_POD_INDEX",
                                            "GROVE_PCSG_NAME", "GROVE_PCSG_TEMPLATE_NUM_PODS",
                                            "GROVE_PCSG_INDEX"));
}

TEST(Render, InitContainerOfGroveIsWithoutACommand) {
  Config config;
  config.backends.policy = &backends::CompatibilityPolicy::Grove();
  config.init_container_image = "r.example/grove-initc:v1";
  const json::Value pod = Rendered(kRenderedSet, config).at("Pod/demo-0-g-1-wk-2");
  const json::Value& init = pod["spec"]["initContainers"].At(0);
  EXPECT_EQ(init["image"].AsString(), "r.example/grove-initc:v1");
  EXPECT_EQ(init["args"], *json::ParseYaml("['--podcliques=demo-0-g-1-ld:1']"));
  EXPECT_FALSE(init.Has("imagePullPolicy"));
}

constexpr char kSharing[] = R"(
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata: {name: demo, annotations: {grove.io/mnnvl-group: a}}
spec:
  replicas: 2
  template:
    resourceClaimTemplates:
    - {name: own, templateSpec: {spec: {devices: {requests: [{name: g, exactly: {deviceClassName: gpu}}]}}}}
    resourceSharing: [{name: own, scope: AllReplicas}, {name: own2, scope: PerReplica}]
    cliques:
    - {name: fe, resourceSharing: [{name: own, scope: PerReplica}], spec: {roleName: fe, replicas: 2, podSpec: {containers: [{name: c, image: i, resources: {limits: {nvidia.com/gpu: 1}}}]}}}
    - {name: wk, spec: {roleName: wk, replicas: 1, podSpec: {containers: [{name: c, image: i}]}}}
    podCliqueScalingGroups: [{name: g, cliqueNames: [wk], replicas: 2, resourceSharing: [{name: own, scope: PerReplica}]}]
)";

TEST(Render, ClaimsAndComputeDomainsAreAmongWhatIsCreated) {
  Config config;
  config.auto_mnnvl = true;
  const auto missing = RenderSet(config, *json::ParseYaml(kSharing));
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().message(), "ResourceClaimTemplate default/own2 does not exist");
  const json::Value other = *json::ParseYaml(
      "{apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {name: own2}, "
      "spec: {spec: {devices: {requests: [{name: other}]}}}}");
  const auto objects = RenderSet(config, *json::ParseYaml(kSharing), {other});
  ASSERT_TRUE(objects.ok()) << objects.error().message();
  std::map<std::string, json::Value> claims, domains;
  for (const json::Value& object : *objects) {
    if (kube::Kind(object) == "ResourceClaim") claims[std::string(kube::Name(object))] = object;
    if (kube::Kind(object) == "ComputeDomain") domains[std::string(kube::Name(object))] = object;
  }
  std::vector<std::string> names;
  for (const auto& [name, claim] : claims) names.push_back(name);
  EXPECT_THAT(names, ::testing::ElementsAre("demo-0-fe-0-own", "demo-0-fe-1-own", "demo-0-g-0-own",
                                            "demo-0-g-1-own", "demo-0-own2", "demo-1-fe-0-own",
                                            "demo-1-fe-1-own", "demo-1-g-0-own", "demo-1-g-1-own",
                                            "demo-1-own2", "demo-all-own"));
  EXPECT_EQ(claims.at("demo-1-own2")["spec"]["devices"]["requests"].At(0)["name"].AsString(),
            "other");
  EXPECT_TRUE(domains.contains("demo-0-a") && domains.contains("demo-1-a"));
}

TEST(Render, RefusesWhatAdmissionRefuses) {
  auto set = *json::ParseYaml(kRenderedSet);
  set.Mutable("spec").Mutable("template").Set("cliques", json::Value::Array());
  const auto objects = RenderSet({}, set);
  ASSERT_FALSE(objects.ok());
  EXPECT_NE(objects.error().message().find("spec.template.cliques"), std::string::npos);
}

}  // namespace
}  // namespace coppice::operators
