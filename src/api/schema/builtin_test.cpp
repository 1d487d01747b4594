#include "api/schema/builtin.h"

#include <gtest/gtest.h>

#include "api/schema/publish.h"
#include "json/parse.h"
#include "json/write.h"

namespace coppice::api {
namespace {

const Schema* Pod(int minor = 35) { return BuiltinTypes::For(minor).FindKind("v1", "Pod"); }

const Schema* At(const Schema* schema, std::initializer_list<std::string_view> path) {
  for (const std::string_view name : path) {
    if (schema == nullptr) return nullptr;
    schema = name == "[]" ? schema->items : schema->FieldSchema(name);
  }
  return schema;
}

TEST(BuiltinTypes, KnowTheKindsOfEveryServedGroup) {
  const BuiltinTypes& types = BuiltinTypes::For(35);
  for (const auto& [version, kind] : std::initializer_list<std::pair<const char*, const char*>>{
           {"v1", "Node"},
           {"apps/v1", "Deployment"},
           {"batch/v1", "CronJob"},
           {"rbac.authorization.k8s.io/v1", "ClusterRole"},
           {"resource.k8s.io/v1", "ResourceClaim"},
           {"coordination.k8s.io/v1", "Lease"},
           {"apiextensions.k8s.io/v1", "CustomResourceDefinition"},
           {"scheduling.k8s.io/v1alpha1", "Workload"},
           {"autoscaling/v2", "HorizontalPodAutoscaler"}}) {
    EXPECT_NE(types.FindKind(version, kind), nullptr) << version << " " << kind;
  }
  EXPECT_EQ(types.FindKind("scheduling.run.ai/v1alpha2", "PodGroup"), nullptr);
}

TEST(BuiltinTypes, FollowTheKubernetesVersion) {
  EXPECT_NE(At(Pod(35), {"spec", "workloadRef"}), nullptr);
  EXPECT_EQ(At(Pod(35), {"spec", "schedulingGroup"}), nullptr);
  EXPECT_EQ(At(Pod(36), {"spec", "workloadRef"}), nullptr);
  EXPECT_NE(At(Pod(36), {"spec", "schedulingGroup"}), nullptr);
  EXPECT_EQ(BuiltinTypes::For(36).FindKind("scheduling.k8s.io/v1alpha1", "Workload"), nullptr);
  EXPECT_NE(BuiltinTypes::For(36).FindKind("scheduling.k8s.io/v1alpha2", "PodGroup"), nullptr);
  EXPECT_NE(BuiltinTypes::For(37).FindKind("scheduling.k8s.io/v1alpha3", "CompositePodGroup"),
            nullptr);
}

TEST(BuiltinTypes, DescribeFields) {
  const Schema* ports = At(Pod(), {"spec", "containers", "[]", "ports"});
  ASSERT_NE(ports, nullptr);
  EXPECT_EQ(ports->list_type, ListType::kMap);
  EXPECT_EQ(ports->list_keys, (std::vector<std::string>{"containerPort", "protocol"}));
  EXPECT_EQ(ports->merge_key, "containerPort");
  EXPECT_EQ(At(ports, {"[]", "protocol"})->default_value.AsString(), "TCP");
  EXPECT_TRUE(At(Pod(), {"spec", "nodeSelector"})->atomic_object);
  EXPECT_EQ(At(Pod(), {"spec", "containers", "[]", "resources", "limits", "cpu"})->format,
            "quantity");
  EXPECT_EQ(Pod()->FindProperty("spec")->required, (std::vector<std::string>{"containers"}));
}

TEST(BuiltinTypes, GuideStrategicMerge) {
  const auto pod = *json::Parse(R"({"spec":{"containers":[{"name":"a","image":"1",
      "env":[{"name":"X","value":"1"}]},{"name":"b"}],"tolerations":[{"key":"k"}]}})");
  const auto patch = *json::Parse(R"({"spec":{"containers":[{"name":"a","image":"2",
      "env":[{"name":"Y","value":"2"}]}],"tolerations":[{"key":"l"}]}})");
  EXPECT_EQ(json::Write(*json::ApplyStrategicMergePatch(pod, patch, Pod())),
            R"({"spec":{"containers":[{"env":[{"name":"Y","value":"2"},{"name":"X","value":"1"}],)"
            R"("image":"2","name":"a"},{"name":"b"}],"tolerations":[{"key":"l"}]}})");
}

TEST(BuiltinTypes, PublishStructuralSchemas) {
  const json::Value pod = BuiltinSchema("core/v1 PodSpec");
  const json::Value& container = pod["properties"]["containers"]["items"];
  EXPECT_EQ(container["properties"]["livenessProbe"]["properties"]["httpGet"]["properties"]["port"],
            *json::Parse(R"({"anyOf":[{"type":"integer"},{"type":"string"}],
                             "x-kubernetes-int-or-string":true})"));
  EXPECT_EQ(json::Write(container["required"]), R"(["name"])");
  EXPECT_TRUE(BuiltinSchema("core/v1 Nothing").IsNull());
  // Recursive, so it must end somewhere.
  EXPECT_TRUE(
      BuiltinSchema("apiextensions/v1 JSONSchemaProps")["properties"]["not"]
                                                       ["x-kubernetes-preserve-unknown-fields"]
                                                           .AsBool());
}

TEST(BuiltinTypes, PublishOpenApi) {
  const json::Value components = OpenApiComponents(BuiltinTypes::For(35), "apps/v1");
  const json::Value& deployment = components["io.k8s.api.apps.v1.Deployment"];
  EXPECT_EQ(deployment["properties"]["spec"]["$ref"].AsString(),
            "#/components/schemas/io.k8s.api.apps.v1.DeploymentSpec");
  EXPECT_EQ(json::Write(deployment["x-kubernetes-group-version-kind"]),
            R"([{"group":"apps","kind":"Deployment","version":"v1"}])");
  const json::Value& containers =
      components["io.k8s.api.core.v1.PodSpec"]["properties"]["containers"];
  EXPECT_EQ(containers["x-kubernetes-patch-merge-key"].AsString(), "name");
  EXPECT_TRUE(components.Has("io.k8s.api.apps.v1.DeploymentList"));
  EXPECT_TRUE(components.Has("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"));
  EXPECT_TRUE(OpenApiDefinitions(BuiltinTypes::For(37)).Has("io.k8s.api.core.v1.Pod"));
}

}  // namespace
}  // namespace coppice::api
