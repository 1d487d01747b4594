#include "server/printers/table.h"

#include <gtest/gtest.h>

#include "server/core/core.h"
#include "server/server_testing.h"

namespace coppice::server {
namespace {

// An event looks the same under both of its names.
TEST(Tables, ShowWhatAnObjectIsAbout) {
  TestServer server;
  const base::Time now = *base::ParseRfc3339("2026-01-01T00:01:00Z");
  const auto cells = [&](const char* group, const char* plural, const char* object) {
    const ServedPtr served = server.server->core().registry()->Find(group, "v1", plural);
    json::Value made = Doc(object);
    made.Set("metadata", Doc("{name: a, creationTimestamp: '2026-01-01T00:00:00Z'}"));
    return MakeTable(*served, {made}, {true, "None"}, now)["rows"].At(0)["cells"];
  };
  EXPECT_EQ(cells("", "endpoints", R"(
subsets: [{addresses: [{ip: 1.1.1.1}, {ip: 1.1.1.2}], ports: [{port: 80}, {port: 81}]}])"),
            Doc("[a, '1.1.1.1:80,1.1.1.2:80,1.1.1.1:81 + 1 more...', 60s]"));
  EXPECT_EQ(cells("discovery.k8s.io", "endpointslices", R"(
addressType: IPv4
ports: [{name: web, port: 80}, {name: rest}]
endpoints: [{addresses: [1.1.1.1]}])"),
            Doc("[a, IPv4, '80,rest', 1.1.1.1, 60s]"));
  EXPECT_EQ(cells("networking.k8s.io", "ingresses", R"(
spec: {rules: [{host: h}], tls: [{}]}
status: {loadBalancer: {ingress: [{ip: 2.2.2.2}]}})"),
            Doc("[a, <none>, h, 2.2.2.2, '80, 443', 60s]"));
  EXPECT_EQ(cells("", "resourcequotas", R"(
status: {hard: {pods: "4", limits.cpu: "2"}, used: {pods: "1"}})"),
            Doc("[a, 'pods: 1/4', 'limits.cpu: 0/2', 60s]"));
  EXPECT_EQ(cells("apps", "controllerrevisions", "{revision: 3}"), Doc("[a, <none>, 3, 60s]"));
}

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
