#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "json/parse.h"
#include "json/value.h"
#include "kube/client/client.h"
#include "kube/executor/stepper.h"
#include "server/api_server.h"

namespace coppice::server {

// A server in memory with one administrator's client, on a stepper. For tests.
struct TestServer {
  explicit TestServer(uint64_t seed = 0, ApiServer::Options options = {});

  kube::Stepper stepper;
  std::unique_ptr<ApiServer> server;
  std::unique_ptr<kube::Client> client;

  kube::Client* operator->() { return client.get(); }
  // Creates the object and returns what the server made of it; the test fails when it cannot.
  json::Value MustCreate(const api::Resource& resource, std::string_view yaml);
};

// A document from YAML or JSON; the test fails when it cannot be read.
json::Value Doc(std::string_view yaml);
// A pod with one container.
json::Value PodDoc(std::string_view name, std::string_view ns = "default");

// Keeps a watch's events as "ADDED name".
class RecordingSink : public kube::WatchSink {
 public:
  void OnEvent(kube::WatchEvent event) override;
  void OnEnd(base::Error reason) override;

  std::vector<std::string> seen;
  std::vector<json::Value> objects;
  std::optional<base::Error> end;
};

}  // namespace coppice::server
