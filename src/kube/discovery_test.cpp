#include "kube/discovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/well_known.h"
#include "json/document_testing.h"
#include "kube/fake_client_testing.h"

namespace coppice::kube {
namespace {

using json::Doc;

struct DiscoveryTest : testing::Test {
  FakeClient client;

  DiscoveryTest() {
    client.SetPath("/api", Doc(R"({"versions":["v1"]})"));
    client.SetPath("/api/v1", Doc(R"({"resources":[
        {"name":"pods","kind":"Pod","namespaced":true},
        {"name":"pods/binding","kind":"Binding","namespaced":true},
        {"name":"nodes","kind":"Node","namespaced":false}]})"));
    client.SetPath("/apis", Doc(R"({"groups":[
        {"name":"scheduling.k8s.io","preferredVersion":{"version":"v1"},
         "versions":[{"version":"v1alpha2"},{"version":"v1"}]},
        {"name":"broken.example.com","versions":[{"version":"v1"}]}]})"));
    client.SetPath("/apis/scheduling.k8s.io/v1",
                   Doc(R"({"resources":[{"name":"priorityclasses","kind":"PriorityClass"}]})"));
    client.SetPath("/apis/scheduling.k8s.io/v1alpha2", Doc(R"({"resources":[
        {"name":"workloads","kind":"Workload","namespaced":true}]})"));
  }
};

TEST_F(DiscoveryTest, KnowsWhatIsServed) {
  const auto served = Discovery::Load(client);
  ASSERT_TRUE(served);
  EXPECT_TRUE(served->Serves(api::kPods));
  EXPECT_TRUE(served->Serves(api::kPriorityClasses));
  EXPECT_FALSE(served->Serves(api::kWorkloadsV1Alpha1));
  EXPECT_TRUE(served->ServesSubresource(api::kPods, "binding"));
  EXPECT_FALSE(served->ServesSubresource(api::kPods, "eviction"));
  EXPECT_THAT(served->Versions("scheduling.k8s.io"), testing::ElementsAre("v1", "v1alpha2"));
  EXPECT_THAT(served->Versions("unknown"), testing::IsEmpty());
}

TEST_F(DiscoveryTest, FindsTheFirstServedOfSeveralVersions) {
  const auto served = Discovery::Load(client);
  ASSERT_TRUE(served);
  const auto found =
      served->FindVersion("scheduling.k8s.io", "workloads", {"v1alpha1", "v1alpha2"});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->version, "v1alpha2");
  EXPECT_TRUE(found->namespaced);
  EXPECT_FALSE(served->FindVersion("scheduling.k8s.io", "workloads", {"v1beta1"}));
  EXPECT_EQ(served->FindKind("v1", "Node"), api::kNodes);
  EXPECT_FALSE(served->FindKind("v1", "Unknown"));
}

TEST_F(DiscoveryTest, OneBrokenGroupDoesNotHideTheOthers) {
  const auto served = Discovery::Load(client);
  ASSERT_TRUE(served);
  ASSERT_EQ(served->failed().size(), 1u);
  EXPECT_THAT(served->failed()[0], testing::HasSubstr("/apis/broken.example.com/v1"));
}

TEST_F(DiscoveryTest, UnreachableServerIsAnError) {
  client.FailNext(1, base::Unavailable("down"));
  EXPECT_TRUE(Discovery::Load(client).Is(base::ErrorCode::kUnavailable));
}

TEST_F(DiscoveryTest, ReadsTheVersion) {
  client.SetPath("/version", Doc(R"({"major":"1","minor":"35+","gitVersion":"v1.35.2"})"));
  const auto version = GetServerVersion(client);
  ASSERT_TRUE(version);
  EXPECT_EQ(version->minor, 35);
  EXPECT_TRUE(version->AtLeast(1, 35));
  EXPECT_FALSE(version->AtLeast(1, 36));
  EXPECT_TRUE(version->AtLeast(0, 99));
}

}  // namespace
}  // namespace coppice::kube
