// What deploy/grove-chart gives with its own values (deploy/manifests/grove.yaml): a server takes
// every object, and the configuration in it is one that the operator takes.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "api/well_known.h"
#include "json/yaml/yaml.h"
#include "kube/executor/stepper.h"
#include "kube/object.h"
#include "operator/runtime/config_file.h"
#include "server/api_server.h"
#include "source_dir.h"

namespace coppice {
namespace {

using json::Value;

std::vector<Value> Manifests() {
  std::ifstream file(COPPICE_SOURCE_DIR "/deploy/manifests/grove.yaml");
  std::stringstream text;
  text << file.rdbuf();
  return json::ParseYamlDocuments(text.str()).value_or(std::vector<Value>());
}

api::Resource ResourceOf(const Value& object) {
  const std::string version = object["apiVersion"].ToString();
  const size_t slash = version.find('/');
  std::string plural = object["kind"].ToString() + "s";
  if (plural.ends_with("ys")) plural.replace(plural.size() - 2, 2, "ies");
  for (char& c : plural) c = static_cast<char>(std::tolower(c));
  return {slash == std::string::npos ? "" : version.substr(0, slash),
          slash == std::string::npos ? version : version.substr(slash + 1), plural,
          object["kind"].ToString(), !kube::Namespace(object).empty()};
}

TEST(GroveChart, EveryObjectIsAccepted) {
  kube::Stepper stepper;
  auto server = *server::ApiServer::Make({.clock = &stepper.clock(), .seed = 1});
  auto client = server->NewClient(stepper);
  ASSERT_TRUE(client->Create(api::kNamespaces,
                             *json::ParseYaml("{apiVersion: v1, kind: Namespace, metadata: {name: "
                                              "coppice-system}}")));
  const std::vector<Value> manifests = Manifests();
  EXPECT_GE(manifests.size(), 11u);
  for (const Value& object : manifests) {
    const auto created = client->Create(ResourceOf(object), object);
    EXPECT_TRUE(created) << kube::Kind(object) << ": " << created.error().ToString();
  }
}

TEST(GroveChart, TheConfigurationIsImmutableAndValid) {
  int found = 0;
  for (const Value& object : Manifests()) {
    if (kube::Kind(object) != "ConfigMap") continue;
    ++found;
    EXPECT_TRUE(object["immutable"].AsBool());
    const auto config =
        operators::ReadConfig(*json::ParseYaml(object["data"]["config.yaml"].AsString()));
    ASSERT_TRUE(config) << config.error().ToString();
    EXPECT_EQ(config->backends.policy, &backends::CompatibilityPolicy::Grove());
    EXPECT_EQ(config->clique_workers, 3);
  }
  EXPECT_EQ(found, 1);
}

}  // namespace
}  // namespace coppice
