#include "services/binder/reservation/reservation.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "kube/client/faulty_client.h"
#include "kube/client/intercepted_client.h"
#include "services/binder/fixture_testing.h"
#include "services/muted_watch_testing.h"

// Reservations come and go with their users, whatever the binder hears of them.
namespace coppice::services::binder {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

class BinderReservations : public BinderFixture {};

// The server makes the reservation and does not answer, and no watch tells of it.
class SilentAboutReservations final : public MutedWatch {
 public:
  explicit SilentAboutReservations(kube::Client& inner) : MutedWatch(inner, api::kPods) {}

 protected:
  base::Status After(const kube::Call& call, const base::Status& outcome) override {
    const bool reserves = call.verb == kube::Verb::kCreate && call.resource == api::kPods &&
                          call.key.ns == "kai-resource-reservation";
    return reserves ? base::Error(base::ErrorCode::kTimeout, "no answer") : outcome;
  }
};

TEST_F(BinderReservations, AReservationThatNobodyHeardOfIsGoneWhenItsRequestHasFailed) {
  SilentAboutReservations silent(cluster.client());
  cluster.manager = kube::Manager::Make(silent, cluster.stepper);
  Start();
  AddSharingPod("p");
  cluster.Settle();
  silent.Mute();
  Request("p", kHalf);
  cluster.Settle();
  EXPECT_EQ(Phase("p"), "Failed");
  EXPECT_EQ(Reservations(), 0);
  cluster.manager.reset();
}

// Its cache still has the request; a reservation would be made and taken away in turns.
TEST_F(BinderReservations, NothingIsReservedForARequestThatIsGone) {
  MutedWatch late(cluster.client(), api::kBindRequests);
  cluster.manager = kube::Manager::Make(late, cluster.stepper);
  Start();
  AddSharingPod("p");
  Request("p", kHalf);
  cluster.Settle(std::chrono::seconds(1));
  ASSERT_EQ(Reservations(), 1);
  late.Mute();
  ASSERT_TRUE(cluster.client().Delete(api::kBindRequests, {"default", "p"}));
  ASSERT_TRUE(cluster.client().Delete(api::kPods,
                                      {"kai-resource-reservation", ReservationPodName("n1", "g1")},
                                      {.grace_period_seconds = 0}));
  EXPECT_TRUE(cluster.stepper.RunFor(std::chrono::minutes(1)));
  EXPECT_EQ(Reservations(), 0);
  EXPECT_THAT(cluster.EventsOf("Pod", "p"), Not(Contains(HasSubstr("BindingError"))));
  cluster.manager.reset();
}

// 4 nodes of 8 groups: requests under way keep reservations whose users carry no label yet.
TEST_F(BinderReservations, ReservationsSurviveARaceAtScale) {
  Start();
  for (int node = 0; node < 4; ++node) {
    cluster.AddNode(fmt::format("big-{}", node), 8);
    for (int group = 0; group < 8; ++group) {
      const std::string name = fmt::format("p-{}-{}", node, group);
      AddSharingPod(name);
      Request(name, fmt::format("selectedNode: big-{0}, receivedResourceType: Fraction, "
                                "selectedGPUGroups: [g-{0}-{1}], receivedGPU: {{count: 1, portion: "
                                "'0.50'}}",
                                node, group));
    }
  }
  cluster.Settle(std::chrono::seconds(5));
  EXPECT_EQ(Reservations(), 32);
  for (int node = 0; node < 4; ++node) {
    for (int group = 0; group < 8; ++group) {
      ReportGpu(fmt::format("big-{}", node), fmt::format("g-{}-{}", node, group),
                fmt::format("GPU-{}-{}", node, group));
    }
  }
  cluster.Settle(std::chrono::seconds(30));
  EXPECT_EQ(Reservations(), 32);
  for (int node = 0; node < 4; ++node) {
    for (int group = 0; group < 8; ++group) {
      EXPECT_EQ(NodeOf(fmt::format("p-{}-{}", node, group)), fmt::format("big-{}", node));
    }
  }
}

TEST_F(BinderReservations, OrphansAreBroughtInOrderAtStart) {
  cluster.AddNode("n1", 4);
  // A reservation without users, one that a BindRequest is about to use, and a user that runs
  // without its reservation.
  cluster.Create(
      api::kPods,
      "{apiVersion: v1, kind: Pod, metadata: {name: r, namespace: kai-resource-reservation,"
      " labels: {runai-gpu-group: old, app: kai-resource-reservation}},"
      " spec: {nodeName: n1, containers: [{name: c, image: i}]}}");
  cluster.Create(
      api::kPods,
      "{apiVersion: v1, kind: Pod, metadata: {name: s, namespace: kai-resource-reservation,"
      " labels: {runai-gpu-group: g1, app: kai-resource-reservation}},"
      " spec: {nodeName: n1, containers: [{name: c, image: i}]}}");
  AddSharingPod("coming");
  Request("coming", kHalf);
  cluster.Create(
      api::kPods,
      "{apiVersion: v1, kind: Pod, metadata: {name: lost, namespace: default,"
      " labels: {runai-gpu-group: gone}}, spec: {schedulerName: kai-scheduler,"
      " nodeName: n1, containers: [{name: c, image: i}], terminationGracePeriodSeconds: 0}}");
  ASSERT_TRUE(cluster.client().Patch(api::kPods, {"default", "lost"}, kube::PatchType::kMerge,
                                     Doc("status: {phase: Running}"), {.subresource = "status"}));
  ASSERT_TRUE(AddToManager(*cluster.manager, {}));
  cluster.Start();
  cluster.Settle(std::chrono::seconds(1));
  EXPECT_FALSE(cluster.Exists(api::kPods, "r", "kai-resource-reservation"));
  EXPECT_TRUE(cluster.Exists(api::kPods, "s", "kai-resource-reservation"));
  EXPECT_TRUE(!cluster.Exists(api::kPods, "lost") ||
              kube::IsDeleting(cluster.Get(api::kPods, "lost")));
}

// A bind that could not be undone altogether leaves its group on the pod.
TEST_F(BinderReservations, APodThatWaitsHoldsNoReservation) {
  cluster.AddNode("n1", 4);
  cluster.Create(
      api::kPods,
      "{apiVersion: v1, kind: Pod, metadata: {name: r, namespace: kai-resource-reservation,"
      " labels: {runai-gpu-group: old, app: kai-resource-reservation}},"
      " spec: {nodeName: n1, containers: [{name: c, image: i}]}}");
  cluster.Create(api::kPods,
                 "{apiVersion: v1, kind: Pod, metadata: {name: waits, namespace: default,"
                 " labels: {runai-gpu-group: old}}, spec: {schedulerName: kai-scheduler,"
                 " containers: [{name: c, image: i}]}}");
  ASSERT_TRUE(AddToManager(*cluster.manager, {}));
  cluster.Start();
  cluster.Settle();
  EXPECT_EQ(Reservations(), 0);
}

// A binder whose watches can be made to lag.
class LaggingBinder : public BinderFixture {
 protected:
  void SetUp() override {
    cluster.AddNode("n1", 4);
    ASSERT_TRUE(AddToManager(*manager_, {}));
    manager_->Start();
    AddSharingPod("p");
    Request("p", fmt::format("{}, backoffLimit: 100", kHalf));
    cluster.Settle(std::chrono::seconds(1));
    ASSERT_EQ(Reservations(), 1);
  }
  void TearDown() override { manager_->Stop(); }
  void LagBy(base::Duration most) { client_.SetFaults({.watch_delay = most}); }

 private:
  kube::FaultyClient client_{cluster.client(), cluster.stepper, {}, /*seed=*/1};
  std::unique_ptr<kube::Manager> manager_ = kube::Manager::Make(client_, cluster.stepper);
};

TEST_F(LaggingBinder, AReservationThatHasReportedIsNotGivenUp) {
  LagBy(std::chrono::hours(10));
  ReportGpu("n1", "g1", "GPU-1");
  cluster.Settle(std::chrono::seconds(60));
  EXPECT_EQ(NodeOf("p"), "n1");
  EXPECT_EQ(Reservations(), 1);
}

TEST_F(LaggingBinder, NoPodIsBoundToAReservationThatIsGone) {
  LagBy(std::chrono::seconds(20));
  ReportGpu("n1", "g1", "GPU-1");
  ASSERT_TRUE(cluster.client().Delete(api::kPods,
                                      {"kai-resource-reservation", ReservationPodName("n1", "g1")},
                                      {.grace_period_seconds = 0}));
  cluster.Settle(std::chrono::seconds(30));
  EXPECT_EQ(NodeOf("p"), "");
  EXPECT_EQ(Reservations(), 1) << "another one";
  ReportGpu("n1", "g1", "GPU-2");
  cluster.Settle(std::chrono::seconds(60));
  EXPECT_EQ(NodeOf("p"), "n1");
}

TEST_F(BinderReservations, AReservationThatIsThereAlreadyIsUsed) {
  Start();
  AddSharingPod("p");
  Request("p", kHalf);
  cluster.Settle(std::chrono::seconds(1));
  const json::Value first = cluster.List(api::kPods, "kai-resource-reservation").at(0);
  AddSharingPod("q");
  Request("q", kHalf);
  ReportGpu("n1", "g1", "GPU-1");
  cluster.Settle(std::chrono::seconds(5));
  EXPECT_EQ(NodeOf("p"), "n1");
  EXPECT_EQ(NodeOf("q"), "n1");
  const std::vector<json::Value> reservations =
      cluster.List(api::kPods, "kai-resource-reservation");
  ASSERT_EQ(reservations.size(), 1u);
  EXPECT_EQ(kube::Uid(reservations[0]), kube::Uid(first));
}

// Somebody else makes the reservation between our look and our create.
class OvertakenClient final : public kube::InterceptedClient {
 public:
  using InterceptedClient::InterceptedClient;

 protected:
  base::Status Before(const kube::Call& call) override {
    const bool reserves = call.verb == kube::Verb::kCreate && call.resource == api::kPods &&
                          call.key.ns == "kai-resource-reservation";
    if (!reserves) return {};
    const json::Value consumer = *inner().Get(api::kPods, {"default", "p"});
    const auto made = inner().Create(api::kPods, MakeReservationPod({}, consumer, "n1", "g1"));
    return made ? base::Status() : made.error();
  }
};

TEST_F(BinderReservations, AReservationThatSomebodyElseMadeIsUsed) {
  cluster.AddNode("n1", 4);
  OvertakenClient client(cluster.client());
  auto manager = kube::Manager::Make(client, cluster.stepper);
  ASSERT_TRUE(AddToManager(*manager, {}));
  manager->Start();
  AddSharingPod("p");
  Request("p", kHalf);
  cluster.Settle(std::chrono::seconds(1));
  ASSERT_EQ(Reservations(), 1u);
  ReportGpu("n1", "g1", "GPU-1");
  cluster.Settle(std::chrono::seconds(5));
  EXPECT_EQ(NodeOf("p"), "n1");
  EXPECT_EQ(Phase("p"), "Succeeded") << Reason("p");
  EXPECT_EQ(Reservations(), 1u);
  manager->Stop();
}

}  // namespace
}  // namespace coppice::services::binder
