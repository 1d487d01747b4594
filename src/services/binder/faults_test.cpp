#include <fmt/format.h>
#include <gmock/gmock.h>

#include "kube/client/intercepted_client.h"
#include "services/binder/fixture_testing.h"
#include "services/muted_watch_testing.h"

// What goes wrong around a bind.
namespace coppice::services::binder {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

class BinderFaults : public BinderFixture {};

TEST_F(BinderFaults, ANodeThatVanishesWhileBindingFailsTheBind) {
  Start();
  AddSharingPod("p");
  Request("p", kHalf);
  cluster.Settle(std::chrono::seconds(1));
  ASSERT_EQ(Reservations(), 1);
  ASSERT_TRUE(cluster.client().Delete(api::kNodes, {"", "n1"}));
  cluster.Settle(std::chrono::seconds(60));
  EXPECT_EQ(Phase("p"), "Failed");
  EXPECT_EQ(NodeOf("p"), "");
  EXPECT_EQ(Reservations(), 0);
  EXPECT_THAT(cluster.EventsOf("Pod", "p"), Contains(HasSubstr("BindingError")));
  EXPECT_FALSE(cluster.Get(api::kPods, "p")["metadata"]["labels"].Has("runai-gpu-group"));
}

TEST_F(BinderFaults, APodThatIsGoneFailsQuietly) {
  Start();
  Request("nobody", kWhole);
  cluster.Settle();
  EXPECT_EQ(Phase("nobody"), "Failed");
}

TEST_F(BinderFaults, ARequestForAPodThatRunsIsDone) {
  Start();
  cluster.AddPod("p", "q", 1);
  Request("p", kWhole);
  cluster.Settle();
  EXPECT_EQ(NodeOf("p"), "n1");
  ASSERT_TRUE(cluster.client().Delete(api::kBindRequests, {"default", "p"}));
  Request("p", "selectedNode: other, receivedResourceType: Regular");
  cluster.Settle();
  EXPECT_EQ(Phase("p"), "Succeeded");
  EXPECT_EQ(NodeOf("p"), "n1");
}

TEST_F(BinderFaults, ARequestThatIsBeingDeletedIsLeftAlone) {
  cluster.AddPod("p", "q", 1);
  Request("p", kWhole);
  const api::ObjectKey key{"default", "p"};
  ASSERT_TRUE(cluster.client().Patch(api::kBindRequests, key, kube::PatchType::kMerge,
                                     Doc("metadata: {finalizers: [example.com/hold]}")));
  ASSERT_TRUE(cluster.client().Delete(api::kBindRequests, key));
  Start();
  cluster.Settle(std::chrono::seconds(30));
  EXPECT_EQ(NodeOf("p"), "");
  EXPECT_EQ(Phase("p"), "");
}

// Puts another pod of the same name into the place of the one that is about to be bound.
class SwappingClient final : public kube::InterceptedClient {
 public:
  SwappingClient(kube::Client& inner, TestCluster& cluster)
      : InterceptedClient(inner), cluster_(cluster) {}

 protected:
  base::Status Before(const kube::Call& call) override {
    if (call.subresource != "binding") return {};
    COPPICE_TRY(inner().Delete(api::kPods, call.key, {.grace_period_seconds = 0}));
    cluster_.AddPod(call.key.name, "q", 1);
    return {};
  }

 private:
  TestCluster& cluster_;
};

TEST_F(BinderFaults, AnotherPodOfTheSameNameIsNotBoundByMistake) {
  cluster.AddNode("n1", 4);
  SwappingClient client(cluster.client(), cluster);
  auto manager = kube::Manager::Make(client, cluster.stepper);
  ASSERT_TRUE(AddToManager(*manager, {}));
  manager->Start();
  const std::string first(kube::Uid(cluster.AddPod("p", "q", 1)));
  Request("p", kWhole);
  cluster.Settle();
  EXPECT_NE(kube::Uid(cluster.Get(api::kPods, "p")), first);
  EXPECT_EQ(NodeOf("p"), "");
  EXPECT_EQ(Phase("p"), "Failed");
  manager->Stop();
}

// Refuses to bind one pod, and from then on no watch tells of requests.
class RefusingClient final : public MutedWatch {
 public:
  RefusingClient(kube::Client& inner, std::string pod)
      : MutedWatch(inner, api::kBindRequests), pod_(std::move(pod)) {}

 protected:
  base::Status Before(const kube::Call& call) override {
    if (call.subresource != "binding" || call.key.name != pod_) return {};
    pod_.clear();
    Mute();
    return base::Unavailable("not now");
  }

 private:
  std::string pod_;
};

TEST_F(BinderFaults, ARequestThatWasGivenUpIsNotCarriedOutLater) {
  RefusingClient client(cluster.client(), "b");
  cluster.manager = kube::Manager::Make(client, cluster.stepper);
  Start();
  for (const char* pod : {"a", "b"}) {
    AddSharingPod(pod);
    Request(pod, kHalf);
    cluster.Settle(std::chrono::seconds(1));
    ReportGpu("n1", "g1", "GPU-1");
    cluster.Settle();
  }
  ASSERT_EQ(NodeOf("a"), "n1");
  ASSERT_EQ(Phase("b"), "Failed");
  // Their reservation has changed: all that wait for it are looked at.
  ReportGpu("n1", "g1", "GPU-2");
  cluster.Settle();
  EXPECT_EQ(NodeOf("b"), "");
  cluster.manager.reset();
}

TEST_F(BinderFaults, ARequestThatAnotherBinderGaveUpIsNotCarriedOut) {
  MutedWatch late(cluster.client(), api::kBindRequests);
  cluster.manager = kube::Manager::Make(late, cluster.stepper);
  Start();
  AddSharingPod("p");
  Request("p", kHalf);
  cluster.Settle(std::chrono::seconds(1));
  late.Mute();
  const json::Value failed =
      json::Value::Object({{"status", json::Value::Object({{"phase", "Failed"}})}});
  ASSERT_TRUE(cluster.client().Patch(api::kBindRequests, {"default", "p"}, kube::PatchType::kMerge,
                                     failed, {.subresource = "status"}));
  ReportGpu("n1", "g1", "GPU-1");
  cluster.Settle(std::chrono::seconds(5));
  EXPECT_EQ(NodeOf("p"), "");
  cluster.manager.reset();
}

TEST_F(BinderFaults, TwoBindersBindOnce) {
  Start();
  auto second = kube::Manager::Make(cluster.client(), cluster.stepper);
  ASSERT_TRUE(AddToManager(*second, {}));
  second->Start();
  cluster.Settle();
  for (int i = 0; i < 4; ++i) {
    const std::string name = fmt::format("p-{}", i);
    cluster.AddPod(name, "q", 1);
    Request(name, kWhole);
  }
  AddSharingPod("shares");
  Request("shares", kHalf);
  cluster.Settle(std::chrono::seconds(2));
  ReportGpu("n1", "g1", "GPU-1");
  cluster.Settle(std::chrono::seconds(30));
  for (int i = 0; i < 4; ++i) {
    const std::string name = fmt::format("p-{}", i);
    EXPECT_EQ(NodeOf(name), "n1");
    EXPECT_EQ(Phase(name), "Succeeded") << Reason(name);
  }
  EXPECT_EQ(NodeOf("shares"), "n1");
  EXPECT_EQ(Reservations(), 1);
  second->Stop();
}

TEST_F(BinderFaults, ARequestThatIsRefusedForGoodHoldsNobodyUp) {
  Start({.workers = 1});
  for (int i = 0; i < 10; ++i) {
    const std::string name = fmt::format("bad-{}", i);
    cluster.AddPod(name, "q", 1);
    Request(name, "selectedNode: gone, receivedResourceType: Regular, backoffLimit: 100");
  }
  cluster.AddPod("good", "q", 1);
  Request("good", kWhole);
  cluster.Settle(std::chrono::seconds(2));
  EXPECT_EQ(NodeOf("good"), "n1");
  cluster.Settle(std::chrono::minutes(10));
  EXPECT_EQ(Phase("bad-3"), "Failed");
  EXPECT_GE(cluster.Get(api::kBindRequests, "bad-3")["status"]["failedAttempts"].AsInt(), 5);
}

// Throws where no part of ours does, as a defect would.
class DefectiveClient final : public kube::InterceptedClient {
 public:
  using InterceptedClient::InterceptedClient;

 protected:
  base::Status Before(const kube::Call& call) override {
    if (call.subresource == "binding" && call.key.name == "unlucky") {
      throw std::runtime_error("a defect");
    }
    return {};
  }
};

TEST_F(BinderFaults, ADefectInOneBindLeavesTheOthersAlone) {
  cluster.AddNode("n1", 4);
  DefectiveClient client(cluster.client());
  auto manager = kube::Manager::Make(client, cluster.stepper);
  ASSERT_TRUE(AddToManager(*manager, {}));
  manager->Start();
  for (const char* name : {"unlucky", "lucky"}) {
    cluster.AddPod(name, "q", 1);
    Request(name, kWhole);
  }
  cluster.Settle();
  EXPECT_EQ(Phase("unlucky"), "Failed");
  EXPECT_THAT(Reason("unlucky"), HasSubstr("Internal Error: a defect"));
  EXPECT_EQ(NodeOf("lucky"), "n1");
  manager->Stop();
}

// Carries a binding out without an answer, and cannot be asked about it at first.
class SilentClient final : public kube::InterceptedClient {
 public:
  using InterceptedClient::InterceptedClient;

 protected:
  base::Status Before(const kube::Call& call) override {
    const bool asked = call.verb == kube::Verb::kGet && call.What() == "pods";
    if (!asked || !silent_) return {};
    silent_ = false;
    return base::Unavailable("no answer");
  }
  base::Status After(const kube::Call& call, const base::Status& outcome) override {
    if (call.subresource != "binding" || !outcome) return outcome;
    silent_ = true;
    return base::Unavailable("no answer");
  }

 private:
  bool silent_ = false;
};

TEST_F(BinderFaults, ABindingWithoutAnAnswerDoesNotFail) {
  cluster.AddNode("n1", 4);
  SilentClient client(cluster.client());
  auto manager = kube::Manager::Make(client, cluster.stepper);
  ASSERT_TRUE(AddToManager(*manager, {}));
  manager->Start();
  cluster.AddPod("p", "q", 1);
  Request("p", kWhole);
  cluster.Settle();
  EXPECT_EQ(NodeOf("p"), "n1");
  EXPECT_NE(Phase("p"), "Failed") << "the pod is bound, and its room taken";
  cluster.stepper.RunFor(std::chrono::seconds(2));
  EXPECT_EQ(Phase("p"), "Succeeded");
  manager->Stop();
}

}  // namespace
}  // namespace coppice::services::binder
