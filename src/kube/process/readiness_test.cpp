#include "kube/process/readiness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/well_known.h"
#include "kube/client/fake_client_testing.h"
#include "kube/client/faulty_client.h"
#include "kube/executor/stepper.h"
#include "kube/object.h"

namespace coppice::kube {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

struct ReadinessTest : testing::Test {
  FakeClient server;
  Stepper stepper;
  FaultyClient connection{server, stepper, {}, 1};
  ReadinessClient client{connection, stepper, {}};
};

TEST_F(ReadinessTest, NeedsAListAndAWrite) {
  EXPECT_THAT(client.Ready().error().message(), HasSubstr("no successful list yet"));
  ASSERT_TRUE(client.List(api::kPods));
  EXPECT_THAT(client.Ready().error().message(), HasSubstr("no successful write yet"));
  ASSERT_TRUE(client.Create(api::kPods, NewObject(api::kPods, "ns", "a")));
  EXPECT_TRUE(client.Ready());
}

TEST_F(ReadinessTest, SuccessesGrowOld) {
  ASSERT_TRUE(client.List(api::kPods));
  ASSERT_TRUE(client.Create(api::kPods, NewObject(api::kPods, "ns", "a")));
  stepper.RunFor(61s);
  EXPECT_THAT(client.Ready().error().message(), HasSubstr("no successful list for 1m1s"));
}

TEST_F(ReadinessTest, TriesByItselfWhenNothingIsToDo) {
  client.Start();
  stepper.RunFor(10min);
  EXPECT_TRUE(client.Ready());
  connection.SetFaults({.error = 1});
  stepper.RunFor(30s);
  EXPECT_TRUE(client.Ready());
  stepper.RunFor(1min);
  EXPECT_THAT(client.Ready().error().message(), HasSubstr("connection refused"));
  connection.SetFaults({});
  stepper.RunFor(30s);
  EXPECT_TRUE(client.Ready());
}

TEST_F(ReadinessTest, AConflictShowsThatTheServerWorks) {
  ASSERT_TRUE(client.List(api::kPods));
  ASSERT_FALSE(client.Update(api::kPods, NewObject(api::kPods, "ns", "missing")));
  EXPECT_TRUE(client.Ready());
}

}  // namespace
}  // namespace coppice::kube
