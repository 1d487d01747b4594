#include "kube/process/manager.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "api/well_known.h"
#include "kube/cache/index.h"
#include "kube/client/fake_client_testing.h"
#include "kube/events/events.h"
#include "kube/executor/stepper.h"
#include "kube/executor/thread_executor.h"
#include "kube/metrics.h"
#include "kube/object.h"

namespace coppice::kube {
namespace {

using namespace std::chrono_literals;
using base::Result;
using json::Value;

class Calling final : public Reconciler {
 public:
  using Function = std::function<Result<Requeue>(const ObjectKey&)>;
  explicit Calling(Function function) : function_(std::move(function)) {}
  Result<Requeue> Reconcile(const ObjectKey& key) override { return function_(key); }

 private:
  Function function_;
};

Value ConfigMap(std::string_view name, std::string_view data = "") {
  return NewObject(api::kConfigMaps, "ns", name).Set("data", Value::Object({{"text", data}}));
}

struct ManagerTest : testing::Test {
  FakeClient client;
  Stepper stepper;
  std::unique_ptr<Manager> manager = Manager::Make(client, stepper);
  std::vector<std::string> seen;

  void AddController(Calling::Function function) {
    ControllerSpec spec{.name = "test"};
    spec.For(api::kConfigMaps);
    manager->AddController(spec, std::make_unique<Calling>(std::move(function)));
  }
  void AddRecorder() {
    AddController([this](const ObjectKey& key) {
      seen.push_back(key.name);
      return Requeue::Done();
    });
  }
};

TEST_F(ManagerTest, ReconcilesWhatExistsAndWhatChanges) {
  AddRecorder();
  ASSERT_TRUE(client.Create(api::kConfigMaps, ConfigMap("a")));
  manager->Start();
  stepper.RunUntilIdle();
  EXPECT_THAT(seen, testing::ElementsAre("a"));
  ASSERT_TRUE(client.Create(api::kConfigMaps, ConfigMap("b")));
  stepper.RunUntilIdle();
  ASSERT_TRUE(client.Update(api::kConfigMaps, ConfigMap("a", "new")));
  stepper.RunUntilIdle();
  ASSERT_TRUE(client.Delete(api::kConfigMaps, {"ns", "b"}));
  stepper.RunUntilIdle();
  EXPECT_THAT(seen, testing::ElementsAre("a", "b", "a", "b"));
}

TEST_F(ManagerTest, ControllersStartAfterCachesAndHooks) {
  client.FailNext(1, base::Unavailable("starting"));
  std::vector<std::string> order;
  AddController([&](const ObjectKey&) {
    order.push_back("reconcile");
    return Requeue::Done();
  });
  manager->OnStart([&] {
    EXPECT_TRUE(manager->Synced());
    order.push_back("hook");
  });
  ASSERT_TRUE(client.Get(api::kConfigMaps, {"ns", "x"}).Is(base::ErrorCode::kUnavailable));
  ASSERT_TRUE(client.Create(api::kConfigMaps, ConfigMap("a")));
  client.FailNext(3, base::Unavailable("starting"));
  manager->Start();
  stepper.RunUntilIdle();
  EXPECT_FALSE(manager->Synced());
  EXPECT_THAT(order, testing::IsEmpty());
  stepper.RunFor(10s);
  EXPECT_THAT(order, testing::ElementsAre("hook", "reconcile"));
}

// Controllers wait for what somebody wants; for what is optional, nobody does.
TEST_F(ManagerTest, AnOptionalResourceThatIsRefusedStopsNobody) {
  AddRecorder();
  ASSERT_TRUE(client.Create(api::kConfigMaps, ConfigMap("a")));
  Informer* optional = nullptr;
  manager->OnStart([&] {
    client.FailNext(1000, base::Error(base::ErrorCode::kForbidden, "pods is forbidden"));
    optional = &manager->runtime().cache.InformerFor(api::kPods, {.optional = true});
  });
  manager->Start();
  stepper.RunFor(10s);
  ASSERT_NE(optional, nullptr);
  EXPECT_TRUE(optional->Following().Is(base::ErrorCode::kForbidden));
  EXPECT_TRUE(manager->Synced());
  EXPECT_THAT(seen, testing::ElementsAre("a"));
  manager->runtime().cache.InformerFor(api::kPods);
  EXPECT_FALSE(manager->Synced()) << "wanted now";
  client.FailNext(0, base::Unavailable(""));
  stepper.RunFor(1min);
  EXPECT_TRUE(manager->Synced());
}

TEST_F(ManagerTest, ErrorsBackOffAndRequeuesWait) {
  std::vector<base::Time> times;
  AddController([&](const ObjectKey&) -> Result<Requeue> {
    times.push_back(stepper.Now());
    if (times.size() < 4) return base::Internal("not yet");
    if (times.size() == 4) return Requeue::After(7s);
    return Requeue::Done();
  });
  ASSERT_TRUE(client.Create(api::kConfigMaps, ConfigMap("a")));
  manager->Start();
  stepper.RunFor(1min);
  ASSERT_EQ(times.size(), 5u);
  EXPECT_EQ(times[1] - times[0], 5ms);
  EXPECT_EQ(times[2] - times[1], 10ms);
  EXPECT_EQ(times[3] - times[2], 20ms);
  EXPECT_EQ(times[4] - times[3], 7s);
  const std::string text = manager->runtime().metrics.Text();
  EXPECT_THAT(text, testing::HasSubstr(
                        R"(controller_runtime_reconcile_errors_total{controller="test"} 3)"));
}

TEST_F(ManagerTest, ServersRetryAfterIsKept) {
  std::vector<base::Time> times;
  AddController([&](const ObjectKey&) -> Result<Requeue> {
    times.push_back(stepper.Now());
    if (times.size() > 1) return Requeue::Done();
    return base::Error(base::ErrorCode::kTooManyRequests, "slow down").WithRetryAfter(3s);
  });
  ASSERT_TRUE(client.Create(api::kConfigMaps, ConfigMap("a")));
  manager->Start();
  stepper.RunFor(1min);
  ASSERT_EQ(times.size(), 2u);
  EXPECT_EQ(times[1] - times[0], 3s);
}

TEST_F(ManagerTest, OwnedObjectsWakeTheirOwner) {
  ControllerSpec spec{.name = "owner"};
  spec.Owns(api::kPods, "ConfigMap");
  manager->AddController(spec, std::make_unique<Calling>([this](const ObjectKey& key) {
                           seen.push_back(key.ToString());
                           return Requeue::Done();
                         }));
  const auto owner = client.Create(api::kConfigMaps, ConfigMap("parent"));
  ASSERT_TRUE(owner);
  Value pod = NewObject(api::kPods, "ns", "child");
  pod.Mutable("metadata").Set("ownerReferences", Value::Array({MakeControllerReference(*owner)}));
  ASSERT_TRUE(client.Create(api::kPods, pod));
  ASSERT_TRUE(client.Create(api::kPods, NewObject(api::kPods, "ns", "stranger")));
  manager->Start();
  stepper.RunUntilIdle();
  EXPECT_THAT(seen, testing::ElementsAre("ns/parent"));
}

TEST_F(ManagerTest, PredicateKeepsStatusChangesOut) {
  ControllerSpec spec{.name = "test"};
  spec.For(api::kPods, predicates::GenerationChanged);
  manager->AddController(spec, std::make_unique<Calling>([this](const ObjectKey& key) {
                           seen.push_back(key.name);
                           return Requeue::Done();
                         }));
  ASSERT_TRUE(client.Create(api::kPods, NewObject(api::kPods, "ns", "a")));
  manager->Start();
  stepper.RunUntilIdle();
  const auto patch = [&](std::string_view part) {
    const Value change = Value::Object({{part, Value::Object({{"x", 1}})}});
    ASSERT_TRUE(client.Patch(api::kPods, {"ns", "a"}, PatchType::kMerge, change));
    stepper.RunUntilIdle();
  };
  patch("status");
  EXPECT_EQ(seen.size(), 1u);
  patch("spec");
  EXPECT_EQ(seen.size(), 2u);
}

TEST_F(ManagerTest, ResyncReconcilesWhatDidNotChange) {
  manager = Manager::Make(client, stepper, {.resync = 10min});
  AddRecorder();
  ASSERT_TRUE(client.Create(api::kConfigMaps, ConfigMap("a")));
  manager->Start();
  stepper.RunFor(25min);
  EXPECT_THAT(seen, testing::ElementsAre("a", "a", "a"));
}

TEST_F(ManagerTest, EnqueueWakesByName) {
  AddRecorder();
  manager->Start();
  manager->Enqueue("test", {"ns", "outside"});
  manager->Enqueue("unknown", {"ns", "nobody"});
  stepper.RunUntilIdle();
  EXPECT_THAT(seen, testing::ElementsAre("outside"));
  EXPECT_TRUE(manager->Idle());
}

TEST_F(ManagerTest, ControllerAddedWhileRunningStarts) {
  manager->Start();
  stepper.RunUntilIdle();
  ASSERT_TRUE(client.Create(api::kConfigMaps, ConfigMap("a")));
  AddRecorder();
  stepper.RunUntilIdle();
  EXPECT_THAT(seen, testing::ElementsAre("a"));
}

TEST_F(ManagerTest, StoppedManagerDoesNothingMore) {
  AddRecorder();
  manager->Start();
  stepper.RunUntilIdle();
  ASSERT_TRUE(client.Create(api::kConfigMaps, ConfigMap("a")));
  manager->Stop();
  stepper.RunFor(1min);
  EXPECT_THAT(seen, testing::IsEmpty());
  EXPECT_EQ(client.open_watches(), 0u);
}

TEST_F(ManagerTest, DestroyedInTheMiddleOfWork) {
  AddRecorder();
  ASSERT_TRUE(client.Create(api::kConfigMaps, ConfigMap("a")));
  for (int steps = 0; steps < 12; ++steps) {
    auto another = Manager::Make(client, stepper);
    ControllerSpec spec{.name = "test"};
    spec.For(api::kConfigMaps);
    another->AddController(
        spec, std::make_unique<Calling>([](const ObjectKey&) { return Requeue::After(1s); }));
    another->runtime().events.Event(ConfigMap("a"), "Normal", "Reason", "message");
    another->Start();
    for (int i = 0; i < steps; ++i) stepper.Step();
    another.reset();
    stepper.RunFor(5s);
  }
}

TEST(ManagerThreads, StopWaitsForRunningReconciles) {
  FakeClient client;
  ThreadExecutor executor({.max_threads = 4});
  std::atomic<int> running = 0;
  std::atomic<int> begun = 0;
  std::promise<void> started;
  std::promise<void> release;
  const std::shared_future<void> released = release.get_future().share();
  auto manager = Manager::Make(client, executor);
  ControllerSpec spec{.name = "slow", .workers = 2};
  spec.For(api::kConfigMaps);
  manager->AddController(spec, std::make_unique<Calling>([&](const ObjectKey&) {
                           ++running;
                           if (++begun == 2) started.set_value();
                           released.wait();
                           --running;
                           return Requeue::Done();
                         }));
  for (const char* name : {"a", "b", "c", "d"}) {
    ASSERT_TRUE(client.Create(api::kConfigMaps, ConfigMap(name)));
  }
  manager->Start();
  started.get_future().wait();
  EXPECT_EQ(running, 2);
  std::thread stopper([&] { manager->Stop(); });
  release.set_value();
  stopper.join();
  EXPECT_EQ(running, 0);
}

TEST(ManagerThreads, ManyKeysAreAllReconciledByManyWorkers) {
  FakeClient client;
  ThreadExecutor executor({.max_threads = 8});
  std::mutex mutex;
  std::set<std::string> seen;
  std::promise<void> all;
  auto manager = Manager::Make(client, executor);
  ControllerSpec spec{.name = "many", .workers = 4};
  spec.For(api::kConfigMaps);
  manager->AddController(spec, std::make_unique<Calling>([&](const ObjectKey& key) {
                           std::lock_guard lock(mutex);
                           if (seen.insert(key.name).second && seen.size() == 200) all.set_value();
                           return Requeue::Done();
                         }));
  manager->Start();
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(client.Create(api::kConfigMaps, ConfigMap(std::to_string(i))));
  }
  all.get_future().wait();
  manager.reset();
}

}  // namespace
}  // namespace coppice::kube
