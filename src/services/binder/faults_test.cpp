#include <fmt/format.h>
#include <gmock/gmock.h>

#include <set>

#include "kube/faulty_client.h"
#include "kube/intercepted_client.h"
#include "services/binder/fixture_testing.h"
#include "services/muted_watch_testing.h"

// What goes wrong around a bind.
namespace coppice::services::binder {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

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

TEST_F(BinderFaults, AReservationThatNobodyHeardOfIsGoneWhenItsRequestHasFailed) {
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

// Its cache still has the request; a reservation would be made and taken away in turns.
TEST_F(BinderFaults, NothingIsReservedForARequestThatIsGone) {
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

// 4 nodes of 8 groups: requests under way keep reservations whose users carry no label yet.
TEST_F(BinderFaults, ReservationsSurviveARaceAtScale) {
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

TEST_F(BinderFaults, OrphansAreBroughtInOrderAtStart) {
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
TEST_F(BinderFaults, APodThatWaitsHoldsNoReservation) {
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

TEST_F(BinderFaults, SeveralDevicesHaveALabelEach) {
  Start();
  AddSharingPod("p", ", gpu-fraction-num-devices: '2'");
  Request("p",
          "selectedNode: n1, receivedResourceType: Fraction, selectedGPUGroups: [g1, g2],"
          " receivedGPU: {count: 2, portion: '0.50'}");
  cluster.Settle(std::chrono::seconds(1));
  ReportGpu("n1", "g1", "GPU-1");
  cluster.Settle(std::chrono::seconds(1));
  ReportGpu("n1", "g2", "GPU-2");
  cluster.Settle();
  const json::Value pod = cluster.Get(api::kPods, "p");
  EXPECT_EQ(pod["spec"]["nodeName"].AsString(), "n1");
  EXPECT_EQ(kube::Label(pod, "runai-gpu-group/g1"), "g1");
  EXPECT_EQ(kube::Label(pod, "runai-gpu-group/g2"), "g2");
  const json::Value map = cluster.Get(api::kConfigMaps, "p-x-shared-gpu-0-evar");
  EXPECT_EQ(map["data"]["NVIDIA_VISIBLE_DEVICES"].AsString(), "GPU-1,GPU-2");
  // Without a plain label the groups are found all the same.
  ASSERT_TRUE(cluster.client().Delete(api::kPods, {"default", "p"}, {.grace_period_seconds = 0}));
  cluster.Settle();
  EXPECT_EQ(Reservations(), 0);
}

TEST_F(BinderFaults, CdiNamesAndHamiLimits) {
  const auto plugins = MergePluginConfigs(
      R"({"gpusharing":{"arguments":{"cdiEnabled":"true"}},"hamicore":{"enabled":true}})");
  ASSERT_TRUE(plugins);
  Start({.plugins = *plugins});
  AddSharingPod("p");
  Request("p", kHalf);
  cluster.Settle(std::chrono::seconds(1));
  ReportGpu("n1", "g1", "GPU-1");
  cluster.Settle();
  EXPECT_EQ(cluster.Get(api::kConfigMaps, "p-x-shared-gpu-0-evar")["data"]["NVIDIA_VISIBLE_DEVICES"]
                .AsString(),
            "k8s.device-plugin.nvidia.com/gpu=GPU-1");
  EXPECT_EQ(cluster.Get(api::kConfigMaps, "p-x-shared-gpu-0")["data"]["CUDA_DEVICE_MEMORY_LIMIT"]
                .AsString(),
            "40960m");
}

TEST_F(BinderFaults, FakeGpuNodesGetSleepers) {
  Start({.fake_gpu_nodes = true});
  AddSharingPod("p");
  Request("p", kHalf);
  cluster.Settle(std::chrono::seconds(1));
  const json::Value pod = cluster.List(api::kPods, "kai-resource-reservation").at(0);
  const json::Value& container = pod["spec"]["containers"].At(0);
  EXPECT_EQ(container["image"].AsString(), "ubuntu");
  EXPECT_EQ(container["args"], Doc("[sleep, infinity]"));
}

TEST_F(BinderFaults, ReservationPodsAreMadeAsAsked) {
  cluster.Create(
      api::kRuntimeClasses,
      "{apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: nvidia}, handler: x}");
  Start({.reservation_resources = Doc("{requests: {cpu: 1m, nvidia.com/gpu: '3'}}"),
         .reservation_pod_security_context = Doc("{runAsUser: 7}"),
         .reservation_container_security_context = Doc("{readOnlyRootFilesystem: true}"),
         .runtime_class_name = "nvidia"});
  AddSharingPod("p");
  ASSERT_TRUE(cluster.client().Patch(
      api::kPods, {"default", "p"}, kube::PatchType::kMerge,
      Doc("spec: {tolerations: [{key: gpu, operator: Exists, effect: NoSchedule}]}")));
  Request("p", kHalf);
  cluster.Settle(std::chrono::seconds(1));
  const json::Value pod = cluster.List(api::kPods, "kai-resource-reservation").at(0);
  EXPECT_EQ(kube::Name(pod), "gpu-reservation-bb8a26907a9bbf15");  // `echo -n n1/g1 | sha256sum`.
  EXPECT_EQ(kube::Label(pod, "app"), "kai-resource-reservation");
  EXPECT_EQ(kube::Label(pod, "runai-gpu-group"), "g1");
  EXPECT_EQ(kube::Annotation(pod, "karpenter.sh/do-not-disrupt"), "true");
  EXPECT_EQ(pod["spec"]["nodeName"].AsString(), "n1");
  EXPECT_EQ(pod["spec"]["runtimeClassName"].AsString(), "nvidia");
  EXPECT_EQ(pod["spec"]["serviceAccountName"].AsString(), "kai-resource-reservation");
  EXPECT_EQ(pod["spec"]["tolerations"].At(0)["key"].AsString(), "gpu");
  EXPECT_EQ(pod["spec"]["securityContext"]["runAsUser"].AsInt(), 7);
  const json::Value& resources = pod["spec"]["containers"].At(0)["resources"];
  EXPECT_EQ(resources["requests"], Doc("{cpu: 1m, nvidia.com/gpu: '1'}"));
  EXPECT_EQ(resources["limits"]["nvidia.com/gpu"].AsString(), "1");
  const json::Value& container = pod["spec"]["containers"].At(0);
  EXPECT_EQ(container["name"].AsString(), "resource-reservation");
  EXPECT_EQ(container["imagePullPolicy"].AsString(), "IfNotPresent");
  EXPECT_TRUE(container["securityContext"]["readOnlyRootFilesystem"].AsBool());
  std::set<std::string> variables;
  for (const json::Value& variable : container["env"].Items()) {
    variables.insert(variable["name"].ToString());
  }
  EXPECT_EQ(variables, (std::set<std::string>{"POD_NAME", "POD_NAMESPACE"}));
}

TEST_F(BinderFaults, AReservationThatIsThereAlreadyIsUsed) {
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

TEST_F(BinderFaults, AReservationThatSomebodyElseMadeIsUsed) {
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
