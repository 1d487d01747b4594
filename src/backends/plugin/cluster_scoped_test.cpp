// A plugin may write cluster-scoped objects, such as a scheduler's settings for a tenant.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "backends/tests/example_testing.h"
#include "backends/tests/world_testing.h"
#include "kube/object.h"
#include "source_dir.h"

namespace coppice::backends::plugin {
namespace {

using json::Value;

const api::Resource kTenants{"acme.example.com", "v1", "tenants", "Tenant", false};

// One Tenant for every gang.
const char kSource[] = R"(
#include <cstring>
#include "plugin_abi.h"
namespace {
const coppice_host_v1* host;
coppice_value* Text(const char* text) { return host->make_text(text, std::strlen(text)); }
coppice_value* Resource() {
  coppice_value* resource = host->make_object();
  host->set(resource, "group", Text("acme.example.com"));
  host->set(resource, "version", Text("v1"));
  host->set(resource, "plural", Text("tenants"));
  host->set(resource, "kind", Text("Tenant"));
  host->set(resource, "namespaced", host->make_boolean(0));
  return resource;
}
coppice_value* Resources(void*) {
  coppice_value* all = host->make_array();
  host->append(all, Resource());
  return all;
}
coppice_value* Translate(void*, const coppice_value* input) {
  coppice_value* metadata = host->make_object();
  host->set(metadata, "name", host->copy(host->member(host->member(input, "gang"), "namespace")));
  coppice_value* object = host->make_object();
  host->set(object, "metadata", metadata);
  coppice_value* entry = host->make_object();
  host->set(entry, "resource", Resource());
  host->set(entry, "object", object);
  coppice_value* objects = host->make_array();
  host->append(objects, entry);
  coppice_value* answer = host->make_object();
  host->set(answer, "objects", objects);
  return answer;
}
coppice_value* MarkPod(void*, const coppice_value*, const coppice_value*) {
  return host->make_object();
}
const char* const kSchedulers[] = {"tenant-scheduler", nullptr};
const coppice_backend_v1 kBackend = {sizeof(coppice_backend_v1), "tenant", kSchedulers, nullptr,
                                     nullptr, &Resources, &Translate, &MarkPod, nullptr};
}  // namespace
extern "C" const coppice_backend_v1* coppice_backend_open_v1(const coppice_host_v1* given) {
  host = given;
  return &kBackend;
}
)";

const char kCrd[] = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: tenants.acme.example.com}
spec:
  group: acme.example.com
  scope: Cluster
  names: {plural: tenants, singular: tenant, kind: Tenant, listKind: TenantList}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
)";

class ClusterScoped : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "coppice-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    std::ofstream(folder_ / "tenant.cpp") << kSource;
    const std::string command =
        fmt::format("${{CXX:-c++}} -std=c++17 -fPIC -shared -I{}/src/backends {}/tenant.cpp -o {}",
                    COPPICE_SOURCE_DIR, folder_.string(), Path());
    ASSERT_EQ(std::system(command.c_str()), 0);
  }
  void TearDown() override {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }

  std::string Path() const { return (folder_ / "libtenant.so").string(); }

  std::filesystem::path folder_;
};

// With a namespaced owner it would be garbage-collected, because the garbage collector does not
// find such an owner.
TEST_F(ClusterScoped, ObjectsHaveNoOwner) {
  World world({.projects = {"grove"}});
  ASSERT_TRUE(world.server->InstallCrd(Yaml(kCrd)).ok());
  BackendConfig config = world.backends->current()->config();
  config.plugins.push_back(Path());
  ASSERT_TRUE(world.backends->Reconfigure(config).ok());
  Example example(world, "tenant-scheduler", Yaml("{spec: {topologyConstraint: null}}"));
  example.CreatePods();
  EXPECT_EQ(example.Synced(), "True Synced");
  const Value tenant = world.Get(kTenants, "", "ai");
  EXPECT_FALSE(tenant["metadata"].Has("ownerReferences"));
  const int64_t writes = world.writes();
  world.RunFor(std::chrono::minutes(11));
  EXPECT_EQ(kube::Uid(world.Get(kTenants, "", "ai")), kube::Uid(tenant));
  EXPECT_EQ(world.writes(), writes);
}

}  // namespace
}  // namespace coppice::backends::plugin
