#include "server/front/table.h"

#include <gtest/gtest.h>

#include "server/core.h"
#include "server/server_testing.h"

namespace coppice::server {
namespace {

// An event looks the same under both of its names.
TEST(Tables, ShowEventsOfBothGroups) {
  TestServer server;
  const base::Time now = *base::ParseRfc3339("2026-01-01T00:01:00Z");
  const auto cells = [&](const char* group, const char* event) {
    const ServedPtr served = server.server->core().registry()->Find(group, "v1", "events");
    return MakeTable(*served, {Doc(event)}, {true, "None"}, now)["rows"].At(0)["cells"];
  };
  const json::Value wanted = Doc("[60s, Normal, Tested, pod/a, '', test, hello, 60s, 1, e]");
  EXPECT_EQ(cells("", R"(
apiVersion: v1
kind: Event
metadata: {name: e, namespace: default}
eventTime: "2026-01-01T00:00:00.000000Z"
involvedObject: {kind: Pod, name: a, namespace: default}
message: hello
reason: Tested
type: Normal
reportingComponent: test
)"),
            wanted);
  EXPECT_EQ(cells("events.k8s.io", R"(
apiVersion: events.k8s.io/v1
kind: Event
metadata: {name: e, namespace: default}
eventTime: "2026-01-01T00:00:00.000000Z"
regarding: {kind: Pod, name: a, namespace: default}
note: hello
reason: Tested
type: Normal
reportingController: test
)"),
            wanted);
}

}  // namespace
}  // namespace coppice::server
