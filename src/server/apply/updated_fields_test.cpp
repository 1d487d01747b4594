#include "server/apply/updated_fields.h"

#include <gtest/gtest.h>

#include "api/schema/builtin.h"
#include "json/write.h"
#include "server/apply/managed_fields.h"
#include "server/apply/owned_fields.h"
#include "server/kinds/checks/kinds.h"
#include "server/server_testing.h"

namespace coppice::server {
namespace {

class UpdatedFieldsTest : public testing::Test {
 protected:
  UpdatedFieldsTest() {
    auto served = std::make_shared<ServedResource>();
    served->has_status = true;
    served->rules = PodRules();
    served->schema = api::BuiltinTypes::For(api::BuiltinTypes::kNewest).FindType("core/v1 Pod");
    request_.served = served;
  }

  Request request_;
};

constexpr const char* kStates[] = {
    "{metadata: {name: a}}",
    "{metadata: {name: a, labels: {x: y}}}",
    "{metadata: {name: a, labels: {x: z}}}",
    "{metadata: {name: a, labels: {w: z}, finalizers: [a/b]}}",
    "{metadata: {name: a, finalizers: [c/d, a/b]}, spec: {}}",
    "{metadata: {name: a}, spec: {nodeName: n, containers: [{name: a, image: i}]}}",
    "{metadata: {name: a}, spec: {nodeName: m, containers: [{name: a, image: j}]}}",
    "{metadata: {name: a}, spec: {containers: [{name: b, image: j}, {name: a, image: j}]}}",
    "{metadata: {name: a}, spec: {containers: [{name: a}, {name: a, image: j}]}}",
    "{metadata: {name: a}, spec: {containers: [{image: j}]}}",
    "{metadata: {name: a}, spec: {containers: {odd: 1}}}",
    "{metadata: {name: a}, spec: {containers: [{name: a, ports: [{containerPort: 80}]}]}}",
    "{metadata: {name: a}, spec: {containers: [{name: a, ports: [{containerPort: 81}]}]}}",
    "{metadata: {name: a}, status: {conditions: [{type: A, status: 'True'}], phase: Pending}}",
    "{metadata: {name: a}, status: {conditions: [{type: A, status: 'False'}], phase: Running}}",
    "{metadata: {name: a}, status: {conditions: [{type: B}, {type: A, status: 'True'}]}}",
    "{metadata: {name: a}, status: {conditions: [{type: A, status: 'True'}, {type: B}]}}",
    "{metadata: {name: a}, status: {podIPs: [{ip: 1.1.1.1}], hostIP: h}, unknown: {deep: [1]}}",
    "{metadata: {name: a}, status: {podIPs: [{ip: 1.1.1.2}, {ip: 1.1.1.1}], hostIP: h}}",
    "{metadata: {name: a}, status: {podIPs: [{ip: 1.1.1.2}]}}",
    "{metadata: {name: a}, status: {hostIP: h, phase: Running, podIPs: []}}",
    "{metadata: {name: a}, status: {hostIP: i}}",
    "{metadata: {name: a}, status: {}}",
    "{metadata: {name: a}, status: null, unknown: {deep: [2], er: {}}}",
};

// Everything, as one manager may own it.
const json::Value& AllFields(const Request& request) {
  static const json::Value all = [&] {
    FieldSet set;
    for (const char* state : kStates) {
      set.UniteWith(FieldsOf(Doc(state), ObjectSchema(request.served->schema)));
    }
    return set.ToJson();
  }();
  return all;
}

TEST_F(UpdatedFieldsTest, WhatIsRememberedIsWhatWouldBeWorkedOut) {
  const json::Value nothing = json::Value::Object(), all = AllFields(request_);
  for (int round = 0; round < 2; ++round) {
    for (const char* from : kStates) {
      for (const char* to : kStates) {
        SCOPED_TRACE(fmt::format("{}\n{}", from, to));
        const json::Value old = Doc(from), now = Doc(to);
        const FieldDifference expected = ComputeDifference(request_, old, now);
        const auto updated = UpdatedFields::Between(request_, old, now);
        EXPECT_EQ(updated.empty(), expected.changed.empty() && expected.removed.empty());
        EXPECT_EQ(updated.AddedTo(nothing), UniteFields(nothing, expected.changed));
        EXPECT_EQ(updated.AddedTo(all), UniteFields(all, expected.changed));
        EXPECT_EQ(updated.TakenFrom(all), SubtractFields(all, expected.changed));
        EXPECT_EQ(updated.WithoutRemoved(all), SubtractFields(all, expected.removed));
      }
    }
  }
}

TEST_F(UpdatedFieldsTest, AlikeUpdatesAreOne) {
  const auto added = [&](std::string_view from, std::string_view to) {
    return UpdatedFields::Between(request_, Doc(from), Doc(to)).AddedTo(json::Value::Object());
  };
  const json::Value first = added("{spec: {a: 1}}", "{spec: {a: 1, nodeName: n}}");
  EXPECT_TRUE(first.SameAs(added("{spec: {a: 2}}", "{spec: {a: 2, nodeName: m}}")));
  EXPECT_FALSE(first.SameAs(added("{spec: {a: 2}}", "{spec: {a: 3, nodeName: m}}")));
  EXPECT_FALSE(first.SameAs(added("{}", "{spec: {nodeName: m}}")));
}

TEST_F(UpdatedFieldsTest, PodsThatDifferInTheirAddressAreAlikeInTheRest) {
  const auto added = [&](std::string_view ip) {
    const json::Value now = Doc(fmt::format(
        "{{status: {{phase: R, conditions: [{{type: A}}], podIPs: [{{ip: {}}}]}}}}", ip));
    return UpdatedFields::Between(request_, Doc("{status: {phase: P}}"), now)
        .AddedTo(json::Value::Object())["f:status"];
  };
  const json::Value first = added("1.1.1.1"), second = added("1.1.1.2");
  EXPECT_NE(first["f:podIPs"], second["f:podIPs"]);
  EXPECT_TRUE(first["f:conditions"].SameAs(second["f:conditions"]));
}

TEST_F(UpdatedFieldsTest, WritersGetWhatChanged) {
  const json::Value old = Doc("{}"), now = Doc("{spec: {nodeName: n, hostname: h}}");
  const auto updated = UpdatedFields::Between(request_, old, now);
  for (int i = 0; i < 100; ++i) {  // More than are remembered.
    const json::Value fields = Doc(fmt::format("{{'f:spec': {{'f:x{}': {{}}}}}}", i % 40));
    const json::Value expected = UniteFields(fields, ComputeDifference(request_, old, now).changed);
    EXPECT_EQ(updated.AddedTo(fields), expected);
    EXPECT_EQ(updated.AddedTo(fields), expected);
  }
}

}  // namespace
}  // namespace coppice::server
