// Every controller step that fails reports its code in status.lastErrors. Each is made to fail by
// removing one permission from the operator.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <set>

#include "api/well_known.h"
#include "json/yaml/yaml.h"
#include "operator/tests/rig/roles_testing.h"
#include "operator/tests/rig/sets_testing.h"

namespace coppice::operators {
namespace {

using json::Value;

struct Denied {
  std::string resource;
  std::string verb;
  api::Resource teller;  // The object that reports it,
  std::string name;      // and its name.
  std::string code;
};

std::vector<Denied> AtBirth() {
  const auto set = [](const std::string& resource, const std::string& code) {
    return Denied{resource, "create", api::kPodCliqueSets, "demo", code};
  };
  return {set("serviceaccounts", "ERR_SYNC_SERVICEACCOUNT"),
          set("roles", "ERR_SYNC_ROLE"),
          set("rolebindings", "ERR_SYNC_ROLEBINDING"),
          set("secrets", "ERR_CREATE_SECRET"),
          set("services", "ERR_SYNC_PODCLIQUESET_SERVICE"),
          set("horizontalpodautoscalers", "ERR_SYNC_HPA"),
          set("podcliques", "ERR_CREATE_OR_UPDATE_PODCLIQUE"),
          set("podcliquescalinggroups", "ERR_SYNC_PODCLIQUESCALINGGROUP"),
          set("podgangs", "ERR_CREATE_OR_PATCH_PODGANG"),
          {"pods", "create", api::kPodCliques, "demo-0-fe", "ERR_CREATE_POD"},
          {"pods", "patch", api::kPodCliques, "demo-0-fe", "ERR_REMOVE_POD_SCHEDULING_GATE"}};
}

std::vector<Denied> AtScalingIn() {
  const auto set = [](const std::string& resource, const std::string& code) {
    return Denied{resource, "delete", api::kPodCliqueSets, "demo", code};
  };
  return {set("services", "ERR_DELETE_PODCLIQUESET_SERVICE"),
          set("horizontalpodautoscalers", "ERR_DELETE_HPA"),
          set("podcliques", "ERR_DELETE_PODCLIQUE"),
          set("podcliquescalinggroups", "ERR_DELETE_PODCLIQUESCALINGGROUP"),
          set("podgangs", "ERR_DELETE_EXCESS_PODGANG"),
          {"pods", "delete", api::kPodCliques, "demo-0-fe", "ERR_DELETE_POD"}};
}

// Everything the operator needs, except one verb on one resource.
Value RoleWithout(const std::string& resource, const std::string& verb) {
  Value rules = Value::Array();
  for (const std::string each : {"podcliquesets",
                                 "podcliquesets/status",
                                 "podcliques",
                                 "podcliques/status",
                                 "podcliquescalinggroups",
                                 "podcliquescalinggroups/status",
                                 "clustertopologybindings",
                                 "podgangs",
                                 "podgangs/status",
                                 "nodes",
                                 "pods",
                                 "pods/status",
                                 "serviceaccounts",
                                 "services",
                                 "secrets",
                                 "events",
                                 "roles",
                                 "rolebindings",
                                 "horizontalpodautoscalers",
                                 "resourceclaims",
                                 "resourceclaimtemplates"}) {
    Value verbs = Value::Array();
    for (const std::string right : {"create", "get", "list", "watch", "delete", "patch"}) {
      if (each != resource || right != verb) verbs.Append(right);
    }
    rules.Append(Value::Object({{"apiGroups", Value::Array({"*"})},
                                {"resources", Value::Array({each})},
                                {"verbs", std::move(verbs)}}));
  }
  return Value::Object({{"apiVersion", "rbac.authorization.k8s.io/v1"},
                        {"kind", "ClusterRole"},
                        {"metadata", Value::Object({{"name", "operator"}})},
                        {"rules", std::move(rules)}});
}

constexpr char kRoleBinding[] = R"(
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: operator}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: operator}
subjects: [{kind: ServiceAccount, namespace: team, name: operator}]
)";

constexpr char kFailingSet[] = R"(
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata: {name: demo}
spec:
  replicas: 2
  template:
    cliques:
    - {name: fe, spec: {roleName: fe, replicas: 2, minAvailable: 1, autoScalingConfig: {maxReplicas: 4}, podSpec: {containers: [{name: c, image: i}]}}}
    - {name: wk, spec: {roleName: wk, replicas: 1, podSpec: {containers: [{name: c, image: i}]}}}
    podCliqueScalingGroups: [{name: g, cliqueNames: [wk]}]
)";

class LastErrors : public testing::TestWithParam<Denied> {
 protected:
  LastErrors() : world(GroveWorld()) { world.operator_account = "operator"; }

  void LiveWith(const Value& role) {
    ASSERT_TRUE(world.client->Create(kClusterRoles, role));
    ASSERT_TRUE(world.client->Create(kClusterRoleBindings, *json::ParseYaml(kRoleBinding)));
    world.Restart();
    world.Create(kFailingSet);
    world.RunFor(std::chrono::seconds(30));
  }

  std::string Codes() {
    std::set<std::string> codes;  // Each replica reports the same.
    const Value teller = world.Get(GetParam().teller, GetParam().name);
    for (const Value& error : teller["status"]["lastErrors"].Items()) {
      codes.insert(error["code"].ToString());
    }
    return fmt::format("{}", fmt::join(codes, " "));
  }

  World world;
};

class ErrorsAtBirth : public LastErrors {};
TEST_P(ErrorsAtBirth, NameTheStepAndGoWhenItSucceeds) {
  LiveWith(RoleWithout(GetParam().resource, GetParam().verb));
  EXPECT_EQ(Codes(), GetParam().code);
  ASSERT_TRUE(world.client->Update(kClusterRoles, RoleWithout("", "")));
  world.RunFor(std::chrono::minutes(20));  // Retries after many failures are far apart.
  EXPECT_EQ(Codes(), "");
}

class ErrorsAtScalingIn : public LastErrors {};
TEST_P(ErrorsAtScalingIn, NameTheStepAndGoWhenItSucceeds) {
  LiveWith(RoleWithout("", ""));
  ASSERT_EQ(Codes(), "");
  ASSERT_TRUE(world.client->Update(kClusterRoles, RoleWithout(GetParam().resource, "delete")));
  world.Scale(api::kPodCliques, "demo-0-fe", 1);
  world.Scale(api::kPodCliqueSets, "demo", 1);
  world.RunFor(std::chrono::seconds(30));
  EXPECT_EQ(Codes(), GetParam().code);
  ASSERT_TRUE(world.client->Update(kClusterRoles, RoleWithout("", "")));
  world.RunFor(std::chrono::minutes(20));  // Retries after many failures are far apart.
  EXPECT_EQ(Codes(), "");
}

std::string NameOf(const testing::TestParamInfo<Denied>& each) {
  return each.param.verb + each.param.resource;
}
INSTANTIATE_TEST_SUITE_P(LastErrors, ErrorsAtBirth, testing::ValuesIn(AtBirth()), NameOf);
INSTANTIATE_TEST_SUITE_P(LastErrors, ErrorsAtScalingIn, testing::ValuesIn(AtScalingIn()), NameOf);

// A claim of a missing template, at each level.
TEST(LastErrorsOfClaims, NameTheLevel) {
  constexpr char kSharing[] = "resourceSharing: [{name: nobody, scope: AllReplicas}]";
  World world(DefaultWorld());
  world.Create(fmt::format(
      "{{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {{name: set}}, spec: "
      "{{replicas: 1, template: {{{}, cliques: [{{name: w, spec: {{roleName: w, replicas: 1, "
      "podSpec: {{containers: [{{name: c, image: i}}]}}}}}}]}}}}}}",
      kSharing));
  world.Create(fmt::format(
      "{{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {{name: low}}, spec: "
      "{{replicas: 1, template: {{cliques: [{{name: a, {0}, spec: {{roleName: a, replicas: 1, "
      "podSpec: {{containers: [{{name: c, image: i}}]}}}}}}, {{name: b, spec: {{roleName: b, "
      "replicas: 1, podSpec: {{containers: [{{name: c, image: i}}]}}}}}}], "
      "podCliqueScalingGroups: [{{name: g, cliqueNames: [b], {0}}}]}}}}}}",
      kSharing));
  world.RunFor(std::chrono::seconds(30));
  const auto code = [&](const api::Resource& resource, const std::string& name) {
    return world.Get(resource, name)["status"]["lastErrors"].At(0)["code"].ToString();
  };
  EXPECT_EQ(code(api::kPodCliqueSets, "set"), "ERR_SYNC_PCS_RESOURCE_CLAIM");
  EXPECT_EQ(code(api::kPodCliques, "low-0-a"), "ERR_SYNC_PCLQ_RESOURCE_CLAIM");
  EXPECT_EQ(code(api::kPodCliqueScalingGroups, "low-0-g"), "ERR_SYNC_PCSG_RESOURCE_CLAIM");
}

}  // namespace
}  // namespace coppice::operators
