#include "tests/crds/crds.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <tuple>

#include "api/well_known.h"
#include "json/yaml/yaml.h"
#include "kube/object.h"
#include "server/server_testing.h"

namespace coppice::server {
namespace {

TEST(Crds, AllOfTheProjectsWeWorkWithInstall) {
  TestServer server;
  for (const char* project :
       {"grove", "kai", "koordinator", "kueue", "scheduler-plugins", "volcano"}) {
    for (const json::Value& crd : test_crds::Of(project)) {
      const std::string name(kube::Name(crd));
      const base::Status installed = server.server->InstallCrd(crd);
      EXPECT_TRUE(installed) << name << ": " << (installed ? "" : installed.error().message());
      const auto stored = server->Get(api::kCustomResourceDefinitions, {"", name});
      ASSERT_TRUE(stored) << name;
      EXPECT_TRUE(kube::ConditionIs(*stored, "Established", "True")) << name;
    }
  }
}

constexpr std::string_view kCrd = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {plural: things, kind: Thing}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [size]
            properties:
              size: {type: integer, minimum: 1}
              mode: {type: string, default: slow, enum: [slow, fast]}
            x-kubernetes-validations:
            - {rule: "self.mode != 'fast' || self.size > 3", message: fast needs more than three}
            - {rule: "self.size >= oldSelf.size", message: size cannot shrink}
          status: {type: object, properties: {seen: {type: integer}}}
  - name: v2
    served: true
    storage: false
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
)";
const api::Resource kThings{"example.com", "v1", "things", "Thing", false};
const api::Resource kThingsV2{"example.com", "v2", "things", "Thing", false};

json::Value Thing(std::string_view name, std::string_view spec) {
  return kube::NewObject(kThings, "", name).Set("spec", Doc(spec));
}

TEST(Crds, SchemasDefaultPruneAndValidate) {
  TestServer server;
  ASSERT_TRUE(server.server->InstallCrd(Doc(kCrd)));
  const json::Value made = *server->Create(kThings, Thing("a", "{size: 2, what: is this}"));
  EXPECT_EQ(made["spec"], Doc("{size: 2, mode: slow}"));
  const auto missing = server->Create(kThings, Thing("b", "{}"));
  ASSERT_TRUE(missing.Is(base::ErrorCode::kInvalid));
  ASSERT_FALSE(missing.error().causes().empty());
  EXPECT_EQ(missing.error().causes()[0].field, "spec.size");
  EXPECT_EQ(missing.error().causes()[0].reason, "FieldValueRequired");
  const auto rule = server->Create(kThings, Thing("b", "{size: 1, mode: fast}"));
  EXPECT_EQ(rule.error().message(),
            "Thing.example.com \"b\" is invalid: spec: Invalid value: fast needs more than three");
  json::Value smaller = made;
  smaller.Mutable("spec").Set("size", 1);
  EXPECT_EQ(server->Update(kThings, smaller).error().message(),
            "Thing.example.com \"a\" is invalid: spec: Invalid value: size cannot shrink");
  const auto strict = server->Create(kThings, Thing("c", "{size: 2, what: is this}"),
                                     {.field_validation = "Strict"});
  EXPECT_EQ(strict.error().message(),
            "Thing in version \"v1\" cannot be handled as a Thing: strict decoding error: unknown "
            "field \"spec.what\"");
}

TEST(Crds, VersionsShowTheSameObject) {
  TestServer server;
  ASSERT_TRUE(server.server->InstallCrd(Doc(kCrd)));
  const json::Value made = *server->Create(kThings, Thing("a", "{size: 2}"));
  const json::Value other = *server->Get(kThingsV2, {"", "a"});
  EXPECT_EQ(other["apiVersion"].AsString(), "example.com/v2");
  EXPECT_EQ(other["spec"], made["spec"]);
  EXPECT_EQ((*server->Get(api::kCustomResourceDefinitions,
                          {"", "things.example.com"}))["status"]["storedVersions"],
            Doc("[v1]"));
}

TEST(Crds, BrokenSchemasAreRefusedWithTheirPlace) {
  TestServer server;
  json::Value crd = Doc(kCrd);
  crd.Mutable("spec")
      .Mutable("versions")
      .MutableAt(0)
      .Mutable("schema")
      .Set("openAPIV3Schema", Doc("{type: object, properties: {spec: {type: nonsense}}}"));
  const base::Status refused = server.server->InstallCrd(crd);
  ASSERT_TRUE(refused.Is(base::ErrorCode::kInvalid));
  EXPECT_NE(refused.error().message().find("spec.versions[0].schema.openAPIV3Schema"),
            std::string::npos)
      << refused.error().message();
}

json::Value CrdNamed(std::string_view group, std::string_view plural, std::string_view kind) {
  json::Value crd = Doc(kCrd);
  crd.Mutable("metadata").Set("name", fmt::format("{}.{}", plural, group));
  crd.Mutable("metadata")
      .Mutable("annotations")
      .Set("api-approved.kubernetes.io", "https://example.com/approved");
  json::Value& spec = crd.Mutable("spec");
  spec.Set("group", group);
  spec.Mutable("names").Set("plural", plural).Set("kind", kind);
  return crd;
}

// It would replace the kind, and take its objects along when it is deleted.
TEST(Crds, TakeNoPlaceOfABuiltinKind) {
  TestServer server;
  server.server->StartControllers(server.stepper);
  for (const auto& [group, plural, kind] :
       std::initializer_list<std::tuple<const char*, const char*, const char*>>{
           {"rbac.authorization.k8s.io", "clusterrolebindings", "ClusterRoleBinding"},
           {"rbac.authorization.k8s.io", "clusterrolebindings", "Thing"},
           {"rbac.authorization.k8s.io", "things", "ClusterRoleBinding"},
           {"coordination.k8s.io", "leases", "Lease"},
           {"scheduling.k8s.io", "priorityclasses", "Thing"}}) {
    const json::Value crd = CrdNamed(group, plural, kind);
    const auto made = server->Create(api::kCustomResourceDefinitions, crd);
    EXPECT_TRUE(made.Is(base::ErrorCode::kInvalid)) << kube::Name(crd);
    if (!made) continue;
    EXPECT_TRUE(server->Delete(api::kCustomResourceDefinitions, kube::KeyOf(crd)));
    server.stepper.RunFor(std::chrono::seconds(10));
  }
  const api::Resource bindings{"rbac.authorization.k8s.io", "v1", "clusterrolebindings",
                               "ClusterRoleBinding", false};
  EXPECT_TRUE(server->Get(bindings, {"", "cluster-admin"}));
  EXPECT_TRUE(server->Create(api::kCustomResourceDefinitions,
                             CrdNamed("topology.node.k8s.io", "things", "Thing")))
      << "a group of its own";
}

TEST(Crds, NamesAreWellFormed) {
  TestServer server;
  const auto refused = [&](const json::Value& crd) {
    return server->Create(api::kCustomResourceDefinitions, crd).Is(base::ErrorCode::kInvalid);
  };
  EXPECT_TRUE(refused(CrdNamed("example", "things", "Thing"))) << "a group has a dot";
  EXPECT_TRUE(refused(CrdNamed("a_b.example.com", "things", "Thing")));
  EXPECT_TRUE(refused(CrdNamed("a/b.example.com", "things", "Thing")));
  EXPECT_TRUE(refused(CrdNamed("example.com", "th/ings", "Thing")));
  EXPECT_TRUE(refused(CrdNamed("example.com", "Things", "Thing")));
  EXPECT_TRUE(refused(CrdNamed("example.com", "things", "Th/ing")));
  json::Value crd = CrdNamed("example.com", "things", "Thing");
  crd.Mutable("spec").Mutable("versions").MutableAt(0).Set("name", "v/1");
  EXPECT_TRUE(refused(crd));
  crd = CrdNamed("my.k8s.io", "things", "Thing");
  crd.Mutable("metadata").Erase("annotations");
  EXPECT_TRUE(refused(crd)) << "Kubernetes' own domain needs an approval";
  EXPECT_FALSE(refused(CrdNamed("my.k8s.io", "things", "Thing")));
}

// A namespace in the path would mean something else than when the objects were made.
TEST(Crds, StayWhatTheyAre) {
  TestServer server;
  ASSERT_TRUE(server->Create(api::kCustomResourceDefinitions, Doc(kCrd)));
  const auto refused = [&](const std::function<void(json::Value&)>& change) {
    json::Value crd = *server->Get(api::kCustomResourceDefinitions, {"", "things.example.com"});
    change(crd.Mutable("spec"));
    return server->Update(api::kCustomResourceDefinitions, crd).Is(base::ErrorCode::kInvalid);
  };
  EXPECT_TRUE(refused([](json::Value& spec) { spec.Set("scope", "Namespaced"); }));
  EXPECT_TRUE(refused([](json::Value& spec) { spec.Mutable("names").Set("kind", "Other"); }));
  EXPECT_FALSE(refused([](json::Value& spec) { spec.Mutable("names").Set("singular", "one"); }));
}

}  // namespace
}  // namespace coppice::server
