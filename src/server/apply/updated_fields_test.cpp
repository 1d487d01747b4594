#include "server/apply/updated_fields.h"

#include <gtest/gtest.h>

#include "api/schema/builtin.h"
#include "json/write.h"
#include "server/apply/managed_fields.h"
#include "server/apply/owned_fields.h"
#include "server/kinds/kinds.h"
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
    "{metadata: {name: a}, status: null, unknown: {deep: [2], er: {}}}",
};

TEST_F(UpdatedFieldsTest, WhatIsRememberedIsWhatWouldBeWorkedOut) {
  for (int round = 0; round < 2; ++round) {
    for (const char* from : kStates) {
      for (const char* to : kStates) {
        const json::Value old = Doc(from), now = Doc(to);
        const FieldDifference expected = ComputeDifference(request_, old, now);
        const auto updated = UpdatedFields::Between(request_, old, now);
        EXPECT_EQ(updated->difference().changed, expected.changed) << from << "\n" << to;
        EXPECT_EQ(updated->difference().removed, expected.removed) << from << "\n" << to;
      }
    }
  }
}

TEST_F(UpdatedFieldsTest, AlikeUpdatesAreOne) {
  const auto update = [&](std::string_view from, std::string_view to) {
    return UpdatedFields::Between(request_, Doc(from), Doc(to));
  };
  const auto first = update("{spec: {a: 1}}", "{spec: {a: 1, nodeName: n}, status: {phase: P}}");
  EXPECT_EQ(first, update("{spec: {a: 2}}", "{spec: {a: 2, nodeName: m}, status: {phase: Q}}"));
  EXPECT_NE(first, update("{spec: {a: 2}}", "{spec: {a: 3, nodeName: m}, status: {phase: Q}}"));
  EXPECT_NE(first, update("{spec: {}, status: {}}", "{spec: {nodeName: m}, status: {phase: Q}}"));
}

TEST_F(UpdatedFieldsTest, WritersGetWhatChanged) {
  const auto updated =
      UpdatedFields::Between(request_, Doc("{}"), Doc("{spec: {nodeName: n, hostname: h}}"));
  for (int i = 0; i < 100; ++i) {  // More than are remembered.
    const json::Value fields = Doc(fmt::format("{{'f:spec': {{'f:x{}': {{}}}}}}", i % 40));
    const json::Value expected = UniteFields(fields, updated->difference().changed);
    EXPECT_EQ(updated->AddedTo(fields), expected);
    EXPECT_EQ(updated->AddedTo(fields), expected);
  }
}

}  // namespace
}  // namespace coppice::server
