#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/well_known.h"
#include "kube/object.h"
#include "server/core/core.h"
#include "server/server_testing.h"

namespace coppice::server {
namespace {

using base::ErrorCode;

const api::Resource kPolicies{"admissionregistration.k8s.io", "v1", "validatingadmissionpolicies",
                              "ValidatingAdmissionPolicy", false};
const api::Resource kBindings{"admissionregistration.k8s.io", "v1",
                              "validatingadmissionpolicybindings",
                              "ValidatingAdmissionPolicyBinding", false};

constexpr std::string_view kPolicy = R"yaml(
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: short}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [configmaps]}
  matchConditions: [{name: not-system, expression: "!object.metadata.name.startsWith('kube-')"}]
  variables: [{name: entries, expression: "has(object.data) ? object.data.size() : 0"}]
  validations:
  - expression: variables.entries <= 1
    messageExpression: "'at most one entry, not ' + string(variables.entries)"
  - {expression: "namespaceObject.metadata.name == request.namespace"}
)yaml";

constexpr std::string_view kBinding = R"(
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: everywhere}
spec: {policyName: short, validationActions: [Deny]}
)";

json::Value MapWith(std::string_view name, std::string_view data) {
  return kube::NewObject(api::kConfigMaps, "default", name).Set("data", Doc(data));
}

TEST(ValidatingPolicies, RefuseWhatTheirExpressionsDo) {
  TestServer server;
  server.MustCreate(kPolicies, kPolicy);
  ASSERT_TRUE(server->Create(api::kConfigMaps, MapWith("free", "{a: x, b: x}"))) << "not bound yet";
  server.MustCreate(kBindings, kBinding);
  EXPECT_TRUE(server->Create(api::kConfigMaps, MapWith("a", "{a: x}")));
  EXPECT_TRUE(server->Create(api::kConfigMaps, MapWith("kube-a", "{a: x, b: x}")));
  const auto refused = server->Create(api::kConfigMaps, MapWith("b", "{a: x, b: x}"));
  ASSERT_TRUE(refused.Is(ErrorCode::kInvalid));
  EXPECT_EQ(refused.error().message(),
            "configmaps \"b\" is forbidden: ValidatingAdmissionPolicy 'short' with binding "
            "'everywhere' denied request: at most one entry, not 2");
}

TEST(ValidatingPolicies, TakeParametersFromObjects) {
  TestServer server;
  json::Value policy = Doc(kPolicy);
  policy.Mutable("spec").Set("paramKind", Doc("{apiVersion: v1, kind: ConfigMap}"));
  policy.Mutable("spec").Set("validations",
                             Doc("[{expression: \"variables.entries <= int(params.data.most)\", "
                                 "message: too many, reason: Forbidden}]"));
  ASSERT_TRUE(server->Create(kPolicies, policy));
  json::Value binding = Doc(kBinding);
  binding.Mutable("spec").Set(
      "paramRef",
      Doc("{name: kube-limits, namespace: kube-system, parameterNotFoundAction: Deny}"));
  ASSERT_TRUE(server->Create(kBindings, binding));
  EXPECT_TRUE(server->Create(api::kConfigMaps, MapWith("a", "{a: x}")).Is(ErrorCode::kInvalid))
      << "no parameters";
  json::Value limits = MapWith("kube-limits", "{most: '2'}");
  limits.Mutable("metadata").Set("namespace", "kube-system");
  ASSERT_TRUE(server->Create(api::kConfigMaps, limits).Is(ErrorCode::kInvalid));
  ASSERT_TRUE(server->Delete(kBindings, {"", "everywhere"}));
  ASSERT_TRUE(server->Create(api::kConfigMaps, limits));
  ASSERT_TRUE(server->Create(kBindings, binding));
  EXPECT_TRUE(server->Create(api::kConfigMaps, MapWith("a", "{a: x, b: x}")));
  EXPECT_TRUE(server->Create(api::kConfigMaps, MapWith("b", "{a: x, b: x, c: x}"))
                  .Is(ErrorCode::kForbidden));
}

TEST(ValidatingPolicies, WarnWhereTheyShallNotDeny) {
  TestServer server;
  server.MustCreate(kPolicies, kPolicy);
  json::Value binding = Doc(kBinding);
  binding.Mutable("spec").Set("validationActions", Doc("[Warn]"));
  binding.Mutable("spec").Set(
      "matchResources",
      Doc("{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: default}}}"));
  ASSERT_TRUE(server->Create(kBindings, binding));
  Core& core = server.server->core();
  Remarks remarks;
  Request request{.served = core.registry()->Find(api::kConfigMaps),
                  .ns = "default",
                  .user = User::Admin(),
                  .remarks = &remarks};
  ASSERT_TRUE(core.Create(request, MapWith("a", "{a: x, b: x}")));
  EXPECT_THAT(remarks.warnings(),
              testing::ElementsAre("Validation failed for ValidatingAdmissionPolicy 'short' with "
                                   "binding 'everywhere': at most one entry, not 2"));
}

TEST(ValidatingPolicies, FailurePolicyJudgesExpressionsThatFail) {
  TestServer server;
  json::Value policy = Doc(kPolicy);
  policy.Mutable("spec").Set("validations", Doc("[{expression: \"object.data.missing == 'x'\"}]"));
  ASSERT_TRUE(server->Create(kPolicies, policy));
  server.MustCreate(kBindings, kBinding);
  const auto refused = server->Create(api::kConfigMaps, MapWith("a", "{a: x}"));
  ASSERT_TRUE(refused.Is(ErrorCode::kInvalid));
  EXPECT_THAT(refused.error().message(),
              testing::HasSubstr("resulted in error: no such key: missing"));
  ASSERT_TRUE(server->Patch(kPolicies, {"", "short"}, kube::PatchType::kMerge,
                            Doc("{spec: {failurePolicy: Ignore}}"), {}));
  EXPECT_TRUE(server->Create(api::kConfigMaps, MapWith("a", "{a: x}")));
}

TEST(ValidatingPolicies, ExpressionsMustCompile) {
  TestServer server;
  json::Value policy = Doc(kPolicy);
  policy.Mutable("spec").Set("validations", Doc("[{expression: \"object.\"}]"));
  const auto refused = server->Create(kPolicies, policy);
  ASSERT_TRUE(refused.Is(ErrorCode::kInvalid));
  EXPECT_EQ(refused.error().causes()[0].field, "spec.validations[0].expression");
  json::Value binding = Doc(kBinding);
  binding.Mutable("spec").Set("validationActions", Doc("[Deny, Warn]"));
  EXPECT_TRUE(server->Create(kBindings, binding).Is(ErrorCode::kInvalid));
}

// Creates a map as somebody else than the administrator.
base::Result<Outcome> CreateAs(TestServer& server, const User& user, const json::Value& object,
                               Remarks& remarks) {
  Core& core = server.server->core();
  return core.Create({.served = core.registry()->Find(api::kConfigMaps),
                      .ns = "default",
                      .user = user,
                      .remarks = &remarks},
                     object);
}

TEST(ValidatingPolicies, MayAskWhatTheUserMayDo) {
  TestServer server;
  json::Value policy = Doc(kPolicy);
  policy.Mutable("spec").Set("validations", Doc(R"yaml(
- expression: "authorizer.requestResource.check('approve').allowed()"
- expression: "authorizer.requestResource.check('approve').reason().contains('approvers')"
- expression: "!authorizer.group('apps').resource('deployments').subresource('scale')
    .namespace('default').name('web').check('patch').allowed()"
- expression: "!authorizer.path('/metrics').check('get').allowed()"
- expression: "!authorizer.requestResource.check('approve').errored() &&
    authorizer.requestResource.check('approve').error() == ''"
- expression: "authorizer.serviceAccount('default', 'builder').group('').resource('configmaps')
    .namespace('default').check('approve').allowed()"
  message: the builder may approve too
)yaml"));
  ASSERT_TRUE(server->Create(kPolicies, policy));
  server.MustCreate(kBindings, kBinding);
  const api::Resource roles{"rbac.authorization.k8s.io", "v1", "roles", "Role", true};
  const api::Resource bindings{"rbac.authorization.k8s.io", "v1", "rolebindings", "RoleBinding",
                               true};
  server.MustCreate(roles, R"(
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: approvers, namespace: default}
rules: [{apiGroups: [""], resources: [configmaps], verbs: [approve]}]
)");
  server.MustCreate(bindings, R"(
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: approvers, namespace: default}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: approvers}
subjects:
- {apiGroup: rbac.authorization.k8s.io, kind: User, name: jane}
- {kind: ServiceAccount, name: builder, namespace: default}
)");
  Remarks remarks;
  const auto made =
      CreateAs(server, {"jane", {"system:authenticated"}, "", {}}, MapWith("a", "{a: x}"), remarks);
  EXPECT_TRUE(made) << made.error().message();
  const auto refused =
      CreateAs(server, {"joe", {"system:authenticated"}, "", {}}, MapWith("b", "{a: x}"), remarks);
  ASSERT_TRUE(refused.Is(ErrorCode::kInvalid));
  EXPECT_THAT(refused.error().message(),
              testing::EndsWith("failed expression: "
                                "authorizer.requestResource.check('approve').allowed()"));
}

TEST(ValidatingPolicies, LeaveNotesInTheAuditLog) {
  TestServer server;
  json::Value policy = Doc(kPolicy);
  policy.Mutable("spec").Set("auditAnnotations", Doc(R"yaml(
- {key: entries, valueExpression: "'has ' + string(variables.entries)"}
- {key: nothing, valueExpression: "null"}
)yaml"));
  ASSERT_TRUE(server->Create(kPolicies, policy));
  json::Value binding = Doc(kBinding);
  binding.Mutable("spec").Set("validationActions", Doc("[Audit]"));
  ASSERT_TRUE(server->Create(kBindings, binding));
  Remarks remarks;
  ASSERT_TRUE(CreateAs(server, User::Admin(), MapWith("a", "{a: x, b: x}"), remarks));
  EXPECT_THAT(remarks.warnings(), testing::IsEmpty());
  EXPECT_THAT(
      remarks.annotations(),
      testing::ElementsAre(testing::Pair("short/entries", "has 2"),
                           testing::Pair("validation.policy.admission.k8s.io/validation_failure",
                                         R"([{"binding":"everywhere","expressionIndex":0,)"
                                         R"("message":"at most one entry, not 2","policy":"short",)"
                                         R"("validationActions":["Audit"]}])")));
}

TEST(ValidatingPolicies, NotesHaveKeysOfTheirOwn) {
  TestServer server;
  json::Value policy = Doc(kPolicy);
  policy.Mutable("spec").Set("auditAnnotations", Doc(R"yaml(
- {key: "no good", valueExpression: "'x'"}
- {key: a, valueExpression: ""}
- {key: a, valueExpression: "'x'"}
)yaml"));
  const auto refused = server->Create(kPolicies, policy);
  ASSERT_TRUE(refused.Is(ErrorCode::kInvalid));
  std::vector<std::string> fields;
  for (const base::FieldCause& cause : refused.error().causes()) fields.push_back(cause.field);
  EXPECT_THAT(fields, testing::UnorderedElementsAre("spec.auditAnnotations[0].key",
                                                    "spec.auditAnnotations[1].valueExpression",
                                                    "spec.auditAnnotations[2].key"));
}

}  // namespace
}  // namespace coppice::server
