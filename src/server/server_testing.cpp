#include "server/server_testing.h"

#include <gtest/gtest.h>

#include "json/yaml/yaml.h"
#include "kube/object.h"

namespace coppice::server {

TestServer::TestServer(uint64_t seed, ApiServer::Options options) : stepper(seed) {
  options.clock = &stepper.clock();
  auto made = ApiServer::Make(options);
  if (!made) ADD_FAILURE() << made.error().ToString();
  server = *std::move(made);
  server->StartControllers(stepper);
  client = server->NewClient(stepper);
}

json::Value TestServer::MustCreate(const api::Resource& resource, std::string_view yaml) {
  auto created = client->Create(resource, Doc(yaml));
  if (!created) ADD_FAILURE() << created.error().ToString();
  return created.value_or(json::Value());
}

json::Value Doc(std::string_view yaml) {
  auto parsed = json::ParseYaml(yaml);
  if (!parsed) ADD_FAILURE() << parsed.error().ToString();
  return parsed.value_or(json::Value());
}

json::Value PodDoc(std::string_view name, std::string_view ns) {
  json::Value pod = Doc(R"(
apiVersion: v1
kind: Pod
spec:
  containers: [{name: main, image: busybox}]
)");
  pod.Mutable("metadata").Set("name", name).Set("namespace", ns);
  return pod;
}

void RecordingSink::OnEvent(kube::WatchEvent event) {
  static constexpr const char* kNames[] = {"ADDED", "MODIFIED", "DELETED", "BOOKMARK"};
  std::string text = kNames[static_cast<int>(event.type)];
  if (!kube::Name(event.object).empty()) text += " " + std::string(kube::Name(event.object));
  seen.push_back(std::move(text));
  objects.push_back(std::move(event.object));
}

void RecordingSink::OnEnd(base::Error reason) { end = std::move(reason); }

}  // namespace coppice::server
