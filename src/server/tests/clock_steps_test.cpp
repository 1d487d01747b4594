#include <gtest/gtest.h>

#include "api/well_known.h"
#include "kube/object.h"
#include "server/auth/authenticator.h"
#include "server/core/core.h"
#include "server/server_testing.h"

// Somebody sets the machine's clock while the server runs.
namespace coppice::server {
namespace {

using namespace std::chrono_literals;

http::Request WithToken(const std::string& token) {
  http::Request request;
  request.method = "GET";
  request.path = "/api/v1/pods";
  request.headers.Set("authorization", "Bearer " + token);
  return request;
}

TEST(ClockSteps, ATokenOfAnHourIsWorthlessThirtyDaysLater) {
  TestServer server;
  server.stepper.RunUntilIdle();
  server.MustCreate(api::kServiceAccounts, "{metadata: {name: robot, namespace: default}}");
  const auto issued = server->Create(
      api::kServiceAccounts,
      Doc("{apiVersion: authentication.k8s.io/v1, kind: TokenRequest, metadata: {name: robot, "
          "namespace: default}, spec: {expirationSeconds: 3600}}"),
      {.subresource = "token"});
  ASSERT_TRUE(issued) << issued.error().ToString();
  const http::Request request = WithToken((*issued)["status"]["token"].ToString());
  Core& core = server.server->core();
  EXPECT_TRUE(Authenticate(core, request));
  const base::Time now = server.stepper.Now();
  server.stepper.SetClock(now + 30 * 24h);
  EXPECT_TRUE(Authenticate(core, request).Is(base::ErrorCode::kUnauthorized));
  server.stepper.SetClock(now + 30min);
  EXPECT_TRUE(Authenticate(core, request)) << "it is the time of day that counts";
}

TEST(ClockSteps, ObjectsCarryTheTimeOfDay) {
  TestServer server;
  server.stepper.SetClock(*base::ParseRfc3339("2031-05-06T07:08:09Z"));
  const json::Value map =
      *server->Create(api::kConfigMaps, kube::NewObject(api::kConfigMaps, "default", "m"));
  EXPECT_EQ(map["metadata"]["creationTimestamp"].AsString(), "2031-05-06T07:08:09Z");
}

}  // namespace
}  // namespace coppice::server
