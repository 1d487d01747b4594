// `coppice up` beside its API: what the components count, and how much they say.
#include <gmock/gmock.h>

#include "cli/processes_testing.h"
#include "http/client.h"
#include "kube/thread_executor.h"

namespace coppice::cli {
namespace {

using ::testing::HasSubstr;

TEST(Up, MetricsAndLogLevelAreAtTheAdminAddress) {
  const TemporaryFolder folder;
  Process up({"up", "--listen", "127.0.0.1:0", "--write-kubeconfig", folder / "kubeconfig",
              "--nodes", "1"},
             folder / "log");
  const std::string url = up.RestOfLine("Metrics and log level of the components: ");
  ASSERT_THAT(url, HasSubstr("http://127.0.0.1:"));
  const auto transport = http::ClientTransport::Make({.proxy_url = "none"});
  ASSERT_TRUE(transport) << transport.error().message();
  const auto ask = [&](const char* method, const char* path, const char* body = "") {
    http::ClientRequest request;
    request.method = method;
    request.url = url + path;
    request.body = body;
    const auto response = (*transport)->Send(request).response;
    return response ? std::string(response->BodyView()) : response.error().message();
  };
  const kube::ThreadExecutor executor;  // For its clock.
  const base::Time end = executor.Now() + std::chrono::seconds(20);
  std::string metrics;
  while (metrics.find("kai_queue_info{") == std::string::npos && executor.Now() < end) {
    metrics = ask("GET", "/metrics");
  }
  EXPECT_THAT(metrics, HasSubstr("kai_queue_info{"));
  EXPECT_THAT(metrics, HasSubstr("workqueue_adds_total{"));
  ask("PUT", "/loglevel", "debug");
  EXPECT_THAT(ask("GET", "/loglevel"), HasSubstr("debug"));
}

}  // namespace
}  // namespace coppice::cli
