#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "api/well_known.h"
#include "base/base64.h"
#include "kube/object.h"
#include "server/server_testing.h"

namespace coppice::server {
namespace {

using base::ErrorCode;
using testing::HasSubstr;

const api::Resource kClusterRoles{"rbac.authorization.k8s.io", "v1", "clusterroles", "ClusterRole",
                                  false};
const api::Resource kReviews{"authorization.k8s.io", "v1", "subjectaccessreviews",
                             "SubjectAccessReview", false};
const api::Resource kTokenReviews{"authentication.k8s.io", "v1", "tokenreviews", "TokenReview",
                                  false};

class AuthTest : public testing::Test {
 protected:
  void Bind(std::string_view role, std::string_view user) {
    json::Value binding = Doc(R"(
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {namespace: default}
)");
    binding.Mutable("metadata").Set("name", std::string(role) + "-" + std::string(user));
    binding.Mutable("roleRef").Set("kind", "ClusterRole").Set("name", role);
    binding.Mutable("subjects").Append(json::Value::Object({{"kind", "User"}, {"name", user}}));
    ASSERT_TRUE(server_->Create(api::kRoleBindings, binding));
  }
  bool Allowed(std::string_view user, std::string_view verb, std::string_view resource,
               std::string_view group = "") {
    json::Value review = Doc("{apiVersion: authorization.k8s.io/v1, kind: SubjectAccessReview}");
    review.Mutable("spec").Set("user", user);
    review.Mutable("spec").Set(
        "resourceAttributes",
        json::Value::Object(
            {{"verb", verb}, {"resource", resource}, {"group", group}, {"namespace", "default"}}));
    return (*server_->Create(kReviews, review))["status"]["allowed"].AsBool();
  }

  TestServer server_;
};

TEST_F(AuthTest, RolesGrantWhatTheySay) {
  Bind("view", "ann");
  EXPECT_TRUE(Allowed("ann", "list", "pods"));
  EXPECT_FALSE(Allowed("ann", "delete", "pods"));
  EXPECT_FALSE(Allowed("ann", "get", "secrets"));
  Bind("edit", "ben");
  EXPECT_TRUE(Allowed("ben", "delete", "pods")) << "edit gathers its rules";
  EXPECT_TRUE(Allowed("ben", "list", "pods")) << "edit includes view";
  EXPECT_FALSE(Allowed("ben", "create", "roles", "rbac.authorization.k8s.io"));
}

TEST_F(AuthTest, AggregatedRolesFollowTheirParts) {
  Bind("view", "ann");
  EXPECT_FALSE(Allowed("ann", "get", "things", "example.com"));
  server_.MustCreate(kClusterRoles, R"(
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: things, labels: {rbac.authorization.k8s.io/aggregate-to-view: "true"}}
rules: [{apiGroups: [example.com], resources: [things], verbs: [get]}]
)");
  EXPECT_TRUE(Allowed("ann", "get", "things", "example.com"));
}

TEST_F(AuthTest, APatchThatWouldCreateNeedsTheRightToCreate) {
  server_.MustCreate(kClusterRoles, R"(
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: patcher}
rules: [{apiGroups: [""], resources: [configmaps], verbs: [patch]}]
)");
  Bind("patcher", "pat");
  auto client = server_.server->NewClient(server_.stepper, {"pat", {}, "", {}});
  const json::Value map = Doc("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}");
  const kube::WriteOptions as_pat{.field_manager = "pat"};
  const auto refused =
      client->Patch(api::kConfigMaps, {"default", "a"}, kube::PatchType::kApply, map, as_pat);
  ASSERT_TRUE(refused.Is(ErrorCode::kForbidden));
  EXPECT_EQ(refused.error().message(),
            "configmaps \"a\" is forbidden: User \"pat\" cannot create resource \"configmaps\" in "
            "API group \"\" in the namespace \"default\"");
  server_.MustCreate(api::kConfigMaps, "metadata: {name: a, namespace: default}");
  EXPECT_TRUE(
      client->Patch(api::kConfigMaps, {"default", "a"}, kube::PatchType::kApply, map, as_pat));
}

TEST_F(AuthTest, SubresourcesTakeTheirOwnVerbsAlone) {
  ASSERT_TRUE(server_->Create(api::kPods, PodDoc("a")));
  const auto read = server_->Get(api::kPods, {"default", "a"}, {.subresource = "eviction"});
  EXPECT_TRUE(read.Is(ErrorCode::kMethodNotAllowed));
  const auto made = server_->Create(api::kPods, PodDoc("a"), {.subresource = "status"});
  EXPECT_TRUE(made.Is(ErrorCode::kMethodNotAllowed));
  const auto written = server_->Update(api::kPods, PodDoc("a"), {.subresource = "nothing"});
  EXPECT_TRUE(written.Is(ErrorCode::kNotFound));
}

TEST_F(AuthTest, NobodyGrantsMoreThanTheyHave) {
  Bind("admin", "cat");
  auto client =
      server_.server->NewClient(server_.stepper, {"cat", {"system:authenticated"}, "", {}});
  json::Value role = Doc(R"(
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: r, namespace: default}
rules: [{apiGroups: [""], resources: [nodes], verbs: [delete]}]
)");
  const auto refused = client->Create(api::kRoles, role);
  ASSERT_TRUE(refused.Is(ErrorCode::kForbidden));
  EXPECT_THAT(refused.error().message(),
              HasSubstr("is attempting to grant RBAC permissions not currently held:\n"
                        "{APIGroups:[\"\"], Resources:[\"nodes\"], Verbs:[\"delete\"]}"));
  role.Set("rules", Doc("[{apiGroups: [''], resources: [pods], verbs: [delete]}]"));
  EXPECT_TRUE(client->Create(api::kRoles, role));
}

// In resourceNames a star is a name like any other, which no object has.
TEST_F(AuthTest, AStarAmongNamesGrantsNothing) {
  Bind("admin", "cat");
  server_.MustCreate(kClusterRoles, R"(
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: star}
rules: [{apiGroups: [example.com], resources: [things], resourceNames: ["*"], verbs: [get]}]
)");
  Bind("star", "cat");
  auto client =
      server_.server->NewClient(server_.stepper, {"cat", {"system:authenticated"}, "", {}});
  json::Value role = Doc(R"(
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: r, namespace: default}
rules: [{apiGroups: [example.com], resources: [things], resourceNames: [a], verbs: [get]}]
)");
  EXPECT_TRUE(client->Create(api::kRoles, role).Is(ErrorCode::kForbidden));
  role.Set("rules", Doc("[{apiGroups: [example.com], resources: [things], resourceNames: ['*'], "
                        "verbs: [get]}]"));
  EXPECT_TRUE(client->Create(api::kRoles, role));
}

// A rule of 600 words that means eight million rights.
TEST_F(AuthTest, RulesOfTooManyCombinationsAreRefused) {
  Bind("admin", "cat");
  json::Value rule = json::Value::Object();
  for (const char* list : {"verbs", "apiGroups", "resources"}) {
    for (int i = 0; i < 200; ++i) rule.Mutable(list).Append(fmt::format("x{}", i));
  }
  json::Value role = Doc(R"(
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: r, namespace: default}
)");
  role.Set("rules", json::Value::Array({rule}));
  auto client =
      server_.server->NewClient(server_.stepper, {"cat", {"system:authenticated"}, "", {}});
  const auto refused = client->Create(api::kRoles, role);
  ASSERT_TRUE(refused.Is(ErrorCode::kForbidden));
  EXPECT_THAT(refused.error().message(), HasSubstr("combine too many"));
  Bind("cluster-admin", "dan");
  auto other =
      server_.server->NewClient(server_.stepper, {"dan", {"system:authenticated"}, "", {}});
  EXPECT_TRUE(other->Create(api::kRoles, role)) << "whoever holds everything may grant it";
}

// Two roles that gather each other, each with something of its own to give.
TEST_F(AuthTest, RolesThatGatherEachOtherComeToAnEnd) {
  const auto create = [&](const char* name, const char* part_of, const char* gathers) {
    json::Value role = Doc("{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole}");
    role.Mutable("metadata").Set("name", name);
    role.Mutable("metadata").Mutable("labels").Set(part_of, "true");
    role.Set("rules",
             json::Value::Array({json::Value::Object({{"apiGroups", json::Value::Array({""})},
                                                      {"resources", json::Value::Array({name})},
                                                      {"verbs", json::Value::Array({"get"})}})}));
    if (gathers != nullptr) {
      json::Value selector = json::Value::Object();
      selector.Mutable("matchLabels").Set(gathers, "true");
      role.Mutable("aggregationRule").Set("clusterRoleSelectors", json::Value::Array({selector}));
    }
    ASSERT_TRUE(server_->Create(kClusterRoles, role));
  };
  create("x", "of-a", nullptr);
  create("y", "of-b", nullptr);
  create("a", "of-b", "of-a");
  create("b", "of-a", "of-b");
  for (const char* name : {"a", "b"}) {
    const json::Value role = *server_->Get(kClusterRoles, {"", name});
    std::set<std::string> resources;
    for (const json::Value& rule : role["rules"].Items()) {
      resources.insert(rule["resources"].At(0).ToString());
    }
    EXPECT_EQ(resources, (std::set<std::string>{"x", "y"})) << name;
  }
}

TEST_F(AuthTest, TheVerbsBindAndEscalateLiftTheLimit) {
  Bind("admin", "cat");
  auto client =
      server_.server->NewClient(server_.stepper, {"cat", {"system:authenticated"}, "", {}});
  json::Value binding = Doc(R"(
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: b, namespace: default}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{kind: User, name: cat, apiGroup: rbac.authorization.k8s.io}]
)");
  EXPECT_TRUE(client->Create(api::kRoleBindings, binding).Is(ErrorCode::kForbidden));
  const json::Value role = Doc(R"(
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: r, namespace: default}
rules: [{apiGroups: [example.com], resources: [things], verbs: [get]}]
)");
  EXPECT_TRUE(client->Create(api::kRoles, role).Is(ErrorCode::kForbidden));
  server_.MustCreate(kClusterRoles, R"(
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: grants}
rules:
- {apiGroups: [rbac.authorization.k8s.io], resources: [clusterroles], verbs: [bind]}
- {apiGroups: [rbac.authorization.k8s.io], resources: [roles], verbs: [escalate]}
)");
  Bind("grants", "cat");
  EXPECT_TRUE(client->Create(api::kRoleBindings, binding));
  EXPECT_TRUE(client->Create(api::kRoles, role));
}

TEST_F(AuthTest, NobodyJoinsABindingThatTheyCouldNotCreate) {
  Bind("admin", "cat");
  auto client =
      server_.server->NewClient(server_.stepper, {"cat", {"system:authenticated"}, "", {}});
  json::Value binding = server_.MustCreate(api::kRoleBindings, R"(
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: b, namespace: default}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{kind: User, name: boss, apiGroup: rbac.authorization.k8s.io}]
)");
  binding.Mutable("subjects")
      .Append(Doc("{kind: User, name: cat, apiGroup: rbac.authorization.k8s.io}"));
  EXPECT_TRUE(client->Update(api::kRoleBindings, binding).Is(ErrorCode::kForbidden));
  // Rules are compared for roles only; a binding has none that could stay as they are.
  binding.Set("rules", json::Value::Array());
  EXPECT_TRUE(client->Update(api::kRoleBindings, binding).Is(ErrorCode::kForbidden));
}

TEST_F(AuthTest, EverybodyMayAskAboutThemselves) {
  Bind("view", "ann");
  auto ann = server_.server->NewClient(server_.stepper, {"ann", {"system:authenticated"}, "", {}});
  const api::Resource self{"authorization.k8s.io", "v1", "selfsubjectaccessreviews",
                           "SelfSubjectAccessReview", false};
  const auto allowed = [&](const char* attributes) {
    json::Value review =
        Doc("{apiVersion: authorization.k8s.io/v1, kind: SelfSubjectAccessReview}");
    review.Set("spec", Doc(attributes));
    return (*ann->Create(self, review))["status"]["allowed"].AsBool();
  };
  EXPECT_TRUE(allowed("{resourceAttributes: {verb: get, resource: pods, namespace: default}}"));
  EXPECT_FALSE(allowed("{resourceAttributes: {verb: get, resource: pods, namespace: other}}"));
  EXPECT_FALSE(allowed("{resourceAttributes: {verb: delete, resource: pods, namespace: default}}"));
  EXPECT_TRUE(allowed("{nonResourceAttributes: {verb: get, path: /version}}"));
  EXPECT_FALSE(allowed("{nonResourceAttributes: {verb: get, path: /metrics}}"));
  const api::Resource rules{"authorization.k8s.io", "v1", "selfsubjectrulesreviews",
                            "SelfSubjectRulesReview", false};
  const json::Value held = (*ann->Create(
      rules, Doc("{apiVersion: authorization.k8s.io/v1, kind: SelfSubjectRulesReview, spec: "
                 "{namespace: default}}")))["status"];
  bool reads_pods = false;
  for (const json::Value& rule : held["resourceRules"].Items()) {
    for (const json::Value& resource : rule["resources"].Items()) {
      reads_pods |= resource.AsString() == "pods";
    }
  }
  EXPECT_TRUE(reads_pods);
  EXPECT_FALSE(held["nonResourceRules"].empty());
}

TEST_F(AuthTest, ReviewsMustSayWhatTheyAsk) {
  const auto ask = [&](const char* spec) {
    json::Value review = Doc("{apiVersion: authorization.k8s.io/v1, kind: SubjectAccessReview}");
    return server_->Create(kReviews, review.Set("spec", Doc(spec)));
  };
  EXPECT_TRUE(ask("{user: ann}").Is(ErrorCode::kInvalid));
  EXPECT_TRUE(ask("{resourceAttributes: {verb: get, resource: pods}}").Is(ErrorCode::kInvalid));
  EXPECT_TRUE(ask("{groups: [g], resourceAttributes: {verb: get, resource: pods}}"));
}

TEST_F(AuthTest, OnlyWhoHoldsEverythingMayAggregate) {
  json::Value binding = Doc(R"(
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: eve}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: roles}
subjects: [{kind: User, name: eve, apiGroup: rbac.authorization.k8s.io}]
)");
  server_.MustCreate(kClusterRoles, R"(
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: roles}
rules: [{apiGroups: [rbac.authorization.k8s.io], resources: [clusterroles], verbs: [create]}]
)");
  const api::Resource bindings{"rbac.authorization.k8s.io", "v1", "clusterrolebindings",
                               "ClusterRoleBinding", false};
  ASSERT_TRUE(server_->Create(bindings, binding));
  auto eve = server_.server->NewClient(server_.stepper, {"eve", {"system:authenticated"}, "", {}});
  const json::Value role = Doc(R"(
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: gatherer}
aggregationRule: {clusterRoleSelectors: [{matchLabels: {any: thing}}]}
)");
  EXPECT_TRUE(eve->Create(kClusterRoles, role).Is(ErrorCode::kForbidden));
  EXPECT_TRUE(server_->Create(kClusterRoles, role));
}

TEST_F(AuthTest, ClientsOfOthersAreChecked) {
  auto client =
      server_.server->NewClient(server_.stepper, {"dan", {"system:authenticated"}, "", {}});
  EXPECT_EQ(
      client->List(api::kPods, {.ns = "default"}).error().message(),
      "pods is forbidden: User \"dan\" cannot list resource \"pods\" in API group \"\" in the "
      "namespace \"default\"");
}

TEST_F(AuthTest, TokenSecretsAreFilled) {
  json::Value secret = kube::NewObject(api::kSecrets, "default", "s");
  secret.Set("type", "kubernetes.io/service-account-token");
  EXPECT_TRUE(server_->Create(api::kSecrets, secret).Is(ErrorCode::kInvalid)) << "whose token?";
  secret.Mutable("metadata")
      .Mutable("annotations")
      .Set("kubernetes.io/service-account.name", "default");
  ASSERT_TRUE(server_->Create(api::kSecrets, secret));
  const json::Value filled = *server_->Get(api::kSecrets, {"default", "s"});
  for (const char* key : {"token", "ca.crt", "namespace"}) {
    EXPECT_TRUE(filled["data"].Has(key)) << key;
  }
  const auto user = [&] {
    json::Value review = Doc("{apiVersion: authentication.k8s.io/v1, kind: TokenReview}");
    review.Mutable("spec").Set("token", *base::Base64Decode(filled["data"]["token"].AsString()));
    return (*server_->Create(kTokenReviews, review))["status"]["user"]["username"].ToString();
  };
  EXPECT_EQ(user(), "system:serviceaccount:default:default");
  ASSERT_TRUE(server_->Delete(api::kSecrets, {"default", "s"}));
  EXPECT_EQ(user(), "") << "it dies with its secret";
}

TEST_F(AuthTest, TokensDieWithTheirAccountAndTheirTime) {
  const auto token = [&] {
    json::Value request = Doc(R"(
{apiVersion: authentication.k8s.io/v1, kind: TokenRequest, metadata: {name: default, namespace: default},
 spec: {expirationSeconds: 600}})");
    return (*server_->Create(api::kServiceAccounts, request,
                             {.subresource = "token"}))["status"]["token"];
  };
  const auto authenticated = [&](const json::Value& text) {
    json::Value review = Doc("{apiVersion: authentication.k8s.io/v1, kind: TokenReview}");
    review.Mutable("spec").Set("token", text);
    return (*server_->Create(kTokenReviews, review))["status"];
  };
  const json::Value first = token();
  EXPECT_EQ(authenticated(first)["user"]["username"].AsString(),
            "system:serviceaccount:default:default");
  server_.stepper.RunFor(std::chrono::minutes(11));
  EXPECT_FALSE(authenticated(first)["authenticated"].AsBool());
  const json::Value second = token();
  ASSERT_TRUE(server_->Delete(api::kServiceAccounts, {"default", "default"}));
  EXPECT_FALSE(authenticated(second)["authenticated"].AsBool());
  EXPECT_FALSE(authenticated("nonsense")["authenticated"].AsBool());
}

}  // namespace
}  // namespace coppice::server
