#include "server/apply/created_fields.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/schema/builtin.h"
#include "json/write.h"
#include "server/kinds/checks/kinds.h"
#include "server/server_testing.h"

namespace coppice::server {
namespace {

class CreatedFieldsTest : public testing::Test {
 protected:
  CreatedFieldsTest() {
    auto served = std::make_shared<ServedResource>();
    served->has_status = true;
    served->rules = PodRules();
    served->schema = api::BuiltinTypes::For(api::BuiltinTypes::kNewest).FindType("core/v1 Pod");
    request_.served = served;
  }
  json::Value Fields(std::string_view pod) { return CreatedFields(request_, Doc(pod)); }

  Request request_;
};

constexpr const char* kPod =
    "{metadata: {name: a, labels: {x: y}}, spec: {containers: [{name: main, image: one}]}}";

TEST_F(CreatedFieldsTest, ValuesDoNotMatterButFieldsAndKeysDo) {
  const json::Value first = Fields(kPod);
  ASSERT_FALSE(first.empty());
  EXPECT_TRUE(first.SameAs(Fields(
      "{metadata: {name: b, labels: {x: z}}, spec: {containers: [{name: main, image: two}]}}")));
  for (const char* other : {
           "{metadata: {name: a, labels: {q: y}}, spec: {containers: [{name: main, image: one}]}}",
           "{metadata: {name: a, labels: {x: y}}, spec: {containers: [{name: side, image: one}]}}",
           "{metadata: {name: a, labels: {x: y}}, spec: {containers: [{name: main, command: "
           "[a]}]}}",
           "{metadata: {name: a, labels: {x: y}, finalizers: [f/g]}, spec: {containers: [{name: "
           "main, image: one}]}}",
       }) {
    EXPECT_NE(json::Write(Fields(other)), json::Write(first)) << other;
  }
}

TEST_F(CreatedFieldsTest, PodsShareThemWhateverTheirTokenIsCalled) {
  const json::Value first = Fields(
      "{spec: {containers: [{name: a}], volumes: [{name: kube-api-access-x, projected: {}}]}}");
  const json::Value second = Fields(
      "{spec: {containers: [{name: a}], volumes: [{name: kube-api-access-y, projected: {}}]}}");
  EXPECT_NE(first, second);
  EXPECT_TRUE(first["f:spec"]["f:containers"].SameAs(second["f:spec"]["f:containers"]));
}

TEST_F(CreatedFieldsTest, RememberedFieldsAreThoseThatWouldBeWorkedOut) {
  for (int round = 0; round < 2; ++round) {
    for (const char* text : {
             kPod,
             "{}",
             "{metadata: {}, spec: {}}",
             "{metadata: {finalizers: [a/b, c/d]}, spec: {nodeSelector: {k: v}, tolerations: "
             "[{key: a}]}}",
             "{metadata: {finalizers: [a/b, c/e]}, spec: {nodeSelector: {k: v}, tolerations: "
             "[{key: b}]}}",
             "{spec: {containers: [{name: a, env: [{name: X, value: y}], ports: [{containerPort: "
             "80}]}]}}",
             "{spec: {containers: [{name: a, env: [{name: Y, value: y}], ports: [{containerPort: "
             "81}]}]}}",
             "{spec: {containers: [{name: a}, {name: b}]}, unknown: {deep: {er: [1]}}}",
             "{metadata: {ownerReferences: [{uid: one, name: x}]}}",
             "{metadata: {ownerReferences: [{uid: two, name: x}, {uid: three}]}}",
             "{metadata: {ownerReferences: []}}",
             "{metadata: {labels: {x: y}, ownerReferences: [{uid: one, name: x}]}, spec: {}}",
             "{metadata: {labels: {x: y}, ownerReferences: [{uid: two, name: x}]}, spec: {}}",
             "{metadata: {labels: {x: y}}, spec: {}}",
             "{spec: {volumes: [{name: a}, {name: kube-api-access-x7k2p, projected: {}}]}}",
             "{spec: {volumes: [{name: a}, {name: kube-api-access-b4d5f, projected: {}}]}}",
             "{spec: {volumes: [{name: kube-api-access-x}, {name: kube-api-access-y}]}}",
             "{spec: {volumes: [{name: 'kube-api-access-\"'}, {projected: {}}]}}",
             "{spec: {volumes: [kube-api-access-x]}}",
         }) {
      const json::Value pod = Doc(text);
      EXPECT_EQ(CreatedFields(request_, pod), ComputeCreatedFields(request_, pod)) << text;
    }
  }
}

// One owner at a time, each inserted among the others, would move a terabyte.
TEST_F(CreatedFieldsTest, AnyNumberOfOwnersIsTakenInOnePass) {
  constexpr int kOwners = 400'000;
  std::vector<json::Value> owners;
  for (int i = kOwners; i > 0; --i) {
    owners.push_back(json::Value::Object({{"uid", fmt::format("{:06}", i)}}));
  }
  json::Value pod = Doc(kPod);
  pod.Mutable("metadata").Set("ownerReferences", json::Value::Array(std::move(owners)));
  const json::Value fields = CreatedFields(request_, pod);
  EXPECT_EQ(fields["f:metadata"]["f:ownerReferences"].size(), kOwners + 1u);
}

}  // namespace
}  // namespace coppice::server
