#include "server/core/lease_guard.h"

#include <gtest/gtest.h>

#include "api/well_known.h"
#include "kube/object.h"
#include "kube/process/fenced_client.h"
#include "server/server_testing.h"

namespace coppice::server {
namespace {

using namespace std::chrono_literals;
using base::ErrorCode;
using json::Value;

Value EmptyMap(const std::string& name) {
  return kube::NewObject(api::kConfigMaps, "default", name);
}

// The rest of a process that is stopped in the middle of a write, past every check of its own.
class Stopped final : public kube::InterceptedClient {
 public:
  using InterceptedClient::InterceptedClient;
  std::function<void()> meanwhile = [] {};

 protected:
  base::Status Before(const kube::Call& call) override {
    if (call.writes()) std::exchange(meanwhile, [] {})();
    return {};
  }
};

// Two processes on a server, either of which may be stopped.
class LeaseGuardTest : public testing::Test {
 protected:
  static kube::LeaderElector::Options Lease(std::string identity) {
    return {.ns = "default", .name = "lock", .identity = std::move(identity)};
  }
  LeaseGuardTest()
      : a(*server.client, server.stepper, Lease("a"), {}),
        b(*server.client, server.stepper, Lease("b"), {}),
        stopped(*server.client),
        client(stopped, a) {
    a.Start();
    EXPECT_TRUE(server.stepper.RunUntil([&] { return a.IsLeader(); }, 1min));
  }

  // From here on b leads. a cannot know: it is stopped.
  void TakeOver() {
    Value lease = *server->Get(api::kLeases, {"default", "lock"});
    const int64_t transitions = lease["spec"]["leaseTransitions"].AsInt();
    lease.Mutable("spec").Set("holderIdentity", "b").Set("leaseTransitions", transitions + 1);
    ASSERT_TRUE(server->Update(api::kLeases, lease));
    ASSERT_TRUE(a.IsLeader()) << "as far as it knows";
  }

  TestServer server;
  kube::LeaderElector a, b;
  Stopped stopped;
  kube::FencedClient client;
};

TEST_F(LeaseGuardTest, TheLeaderWrites) {
  const Value map = *client.Create(api::kConfigMaps, EmptyMap("a"));
  server.stepper.RunFor(1min);  // The lease is renewed meanwhile.
  Value changed = map;
  changed.Mutable("data").Set("k", "v");
  EXPECT_TRUE(client.Update(api::kConfigMaps, changed));
  EXPECT_TRUE(client.Patch(api::kConfigMaps, {"default", "a"}, kube::PatchType::kMerge,
                           Doc("{data: {k: w}}")));
  EXPECT_TRUE(client.Delete(api::kConfigMaps, {"default", "a"}));
}

TEST_F(LeaseGuardTest, NoWriteOfAFormerLeaderIsAccepted) {
  const Value map = server.MustCreate(api::kConfigMaps,
                                      "{metadata: {name: m, namespace: default}, data: {k: v}}");
  const Value pod = *server->Create(api::kPods, PodDoc("p"));
  Value changed = map;
  changed.Mutable("data").Set("k", "late");
  const auto write = [&](const std::string& what, const std::function<base::Status()>& call) {
    stopped.meanwhile = [&] { TakeOver(); };
    const base::Status status = call();
    EXPECT_TRUE(status.Is(ErrorCode::kForbidden)) << what;
    if (status.ok()) return;
    EXPECT_EQ(status.error().message(),
              "lease \"default/lock\" is no longer held by \"a\": the write of a former leader is "
              "refused")
        << what;
  };
  const auto status = [](const auto& result) {
    return result.ok() ? base::Status() : base::Status(result.error());
  };
  write("create", [&] { return status(client.Create(api::kConfigMaps, EmptyMap("late"))); });
  write("update", [&] { return status(client.Update(api::kConfigMaps, changed)); });
  const kube::ObjectKey key{"default", "m"};
  const Value patch =
      Doc("{apiVersion: v1, kind: ConfigMap, metadata: {name: m}, data: {k: late}}");
  write("patch", [&] {
    return status(client.Patch(api::kConfigMaps, key, kube::PatchType::kMerge, patch));
  });
  // Somebody else has written the same meanwhile.
  write("patch that changes nothing", [&] {
    return status(
        client.Patch(api::kConfigMaps, key, kube::PatchType::kMerge, Doc("{data: {k: v}}")));
  });
  write("apply", [&] {
    return status(client.Patch(api::kConfigMaps, key, kube::PatchType::kApply, patch,
                               {.field_manager = "me", .force = true}));
  });
  write("delete", [&] { return client.Delete(api::kConfigMaps, key); });
  write("deletecollection",
        [&] { return client.DeleteCollection(api::kConfigMaps, {.ns = "default"}); });
  write("status", [&] {
    return status(client.Patch(api::kPods, {"default", "p"}, kube::PatchType::kMerge,
                               Doc("{status: {phase: Failed}}"), {.subresource = "status"}));
  });
  write("binding", [&] {
    return status(client.Create(
        api::kPods,
        Doc("{apiVersion: v1, kind: Binding, metadata: {name: p, namespace: default}, "
            "target: {kind: Node, name: node-1}}"),
        {.subresource = "binding"}));
  });
  write("eviction", [&] {
    return status(client.Create(api::kPods,
                                Doc("{apiVersion: policy/v1, kind: Eviction, metadata: {name: p, "
                                    "namespace: default}}"),
                                {.subresource = "eviction"}));
  });
  EXPECT_EQ(*server->Get(api::kConfigMaps, key), map) << "nothing was written";
  EXPECT_EQ(*server->Get(api::kPods, {"default", "p"}), pod);
  EXPECT_TRUE(server->Get(api::kConfigMaps, {"default", "late"}).Is(ErrorCode::kNotFound));
}

// Whoever led, lost the lease and has it again is another leader: what it decided then is old.
TEST_F(LeaseGuardTest, AnEarlierLeadershipDoesNotCount) {
  const kube::WriteFencePtr first = a.Fence();
  TakeOver();
  Value lease = *server->Get(api::kLeases, {"default", "lock"});
  lease.Mutable("spec").Set("holderIdentity", "a").Set("leaseTransitions", 2);
  ASSERT_TRUE(server->Update(api::kLeases, lease));
  EXPECT_TRUE(
      server->Create(api::kConfigMaps, EmptyMap("a"), {.fence = first}).Is(ErrorCode::kForbidden));
  kube::WriteFence second = *first;
  second.transitions = 2;
  EXPECT_TRUE(server->Create(api::kConfigMaps, EmptyMap("a"),
                             {.fence = std::make_shared<const kube::WriteFence>(second)}));
  ASSERT_TRUE(server->Delete(api::kLeases, {"default", "lock"}));
  EXPECT_TRUE(
      server->Create(api::kConfigMaps, EmptyMap("b"), {.fence = first}).Is(ErrorCode::kForbidden));
}

}  // namespace
}  // namespace coppice::server
