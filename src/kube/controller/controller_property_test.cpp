// A controller that is wrong only for a while: under errors, conflicts, lost answers, stale reads,
// broken watches and crashes it still brings every object to its desired state, and then writes
// nothing more.
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <random>
#include <thread>

#include "api/well_known.h"
#include "kube/cache/apply.h"
#include "kube/cache/index.h"
#include "kube/client/counting_client.h"
#include "kube/client/faulty_client.h"
#include "kube/events/events.h"
#include "kube/executor/thread_executor.h"
#include "kube/object.h"
#include "kube/process/embedded_testing.h"
#include "kube/process/manager.h"

namespace coppice::kube {
namespace {

using namespace std::chrono_literals;
using base::Result;
using json::Value;

// Every ConfigMap labelled "source" gets a copy named "<name>-copy" that it owns, with the same
// data; copies without a source go.
class Copier final : public Reconciler {
 public:
  explicit Copier(Runtime runtime) : runtime_(runtime) {}

  Result<Requeue> Reconcile(const ObjectKey& key) override {
    Informer& maps = runtime_.cache.InformerFor(api::kConfigMaps);
    const auto source = maps.Get(key);
    const ObjectKey copy_key{key.ns, key.name + "-copy"};
    if (!source) {
      if (const auto copy = maps.Get(copy_key)) {
        COPPICE_TRY(DeleteObject(runtime_.client, api::kConfigMaps, *copy));
      }
      return Requeue::Done();
    }
    if (Label(*source, "source").empty()) return Requeue::Done();
    const auto fill = [&](Value& copy) -> base::Status {
      copy.Set("data", (*source)["data"]);
      copy.Mutable("metadata")
          .Set("ownerReferences", Value::Array({MakeControllerReference(*source)}));
      return {};
    };
    COPPICE_TRY(CreateOrPatch(runtime_.client, api::kConfigMaps, copy_key, &maps, fill));
    runtime_.events.Event(*source, "Normal", "Copied", "copied");
    return Requeue::Done();
  }

 private:
  Runtime runtime_;
};

std::unique_ptr<Manager> StartCopier(Client& client, Executor& executor) {
  auto manager = Manager::Make(client, executor);
  ControllerSpec spec{.name = "copier", .workers = 2};
  spec.For(api::kConfigMaps).Owns(api::kConfigMaps, "ConfigMap");
  manager->AddController(spec, std::make_unique<Copier>(manager->runtime()));
  manager->Start();
  return manager;
}

void WriteSource(Client& client, std::mt19937_64& random) {
  Value source = NewObject(api::kConfigMaps, "default", "s" + std::to_string(random() % 5));
  source.Mutable("metadata").Set("labels", Value::Object({{"source", "yes"}}));
  source.Set("data", Value::Object({{"n", std::to_string(random() % 100)}}));
  if (random() % 5 == 0) {
    (void)client.Delete(api::kConfigMaps, KeyOf(source));
  } else if (!client.Create(api::kConfigMaps, source)) {
    (void)client.Update(api::kConfigMaps, source);
  }
}

void ExpectCopiesMatch(Client& client) {
  std::map<std::string, Value> sources;
  std::map<std::string, Value> copies;
  const auto maps = client.List(api::kConfigMaps, {.ns = "default"});
  for (const Value& map : maps.value().items) {
    const std::string name(Name(map));
    if (name.ends_with("-copy")) {
      copies[name.substr(0, name.size() - 5)] = map["data"];
    } else if (!Label(map, "source").empty()) {
      sources[name] = map["data"];
    }
  }
  EXPECT_EQ(copies, sources);
}

void RunSeed(uint64_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  Embedded plane(seed);
  CountingClient counting(*plane.client);
  const Faults faults{.error = 0.1,
                      .conflict = 0.1,
                      .error_after_write = 0.1,
                      .stale_read = 0.1,
                      .watch_cut = 0.1,
                      .watch_expired = 0.05,
                      .watch_delay = 2s};
  auto faulty = std::make_unique<FaultyClient>(counting, plane.stepper, faults, seed);
  auto manager = StartCopier(*faulty, plane.stepper);
  std::mt19937_64 random(seed);
  int crashes = 0;
  faulty->CrashAfterWrites(static_cast<int64_t>(random() % 10));
  for (int i = 0; i < 40; ++i) {
    WriteSource(*plane.client, random);
    plane.stepper.RunFor(std::chrono::milliseconds(random() % 700));
    if (!faulty->crashed()) continue;
    ++crashes;
    manager.reset();
    faulty = std::make_unique<FaultyClient>(counting, plane.stepper, faults, seed + random());
    faulty->CrashAfterWrites(static_cast<int64_t>(random() % 10));
    manager = StartCopier(*faulty, plane.stepper);
  }
  faulty->SetFaults({});
  faulty->CrashAfterWrites(1'000'000);
  if (faulty->crashed()) {
    manager.reset();
    faulty = std::make_unique<FaultyClient>(counting, plane.stepper, Faults{}, seed);
    manager = StartCopier(*faulty, plane.stepper);
  }
  plane.stepper.RunFor(20min);
  ExpectCopiesMatch(*plane.client);
  EXPECT_GT(crashes, 0);
  counting.Reset();
  plane.stepper.RunFor(1h);
  EXPECT_EQ(counting.Writes(), 0) << counting.ToString();
}

TEST(ControllerProperty, ConvergesUnderFaultsAndCrashesThenRests) {
  for (uint64_t seed = 1; seed <= 40; ++seed) RunSeed(seed);
}

TEST(ControllerThreads, ManyWritersOneManagerStoppedInTheMiddle) {
  ThreadExecutor executor({.max_threads = 8});
  auto made = server::ApiServer::Make({.clock = &executor.clock()});
  ASSERT_TRUE(made);
  const auto client = (*made)->NewClient(executor);
  auto manager = StartCopier(*client, executor);
  std::atomic<int> copies = 0;
  std::promise<void> enough;
  manager->runtime().cache.InformerFor(api::kConfigMaps).AddHandler([&](const Change& change) {
    const bool copy = Name(change.object).ends_with("-copy");
    if (copy && change.type == ChangeType::kAdded && ++copies == 4) enough.set_value();
  });
  std::atomic<bool> stopped = false;
  std::vector<std::thread> writers;
  for (uint64_t writer = 1; writer <= 3; ++writer) {
    writers.emplace_back([&client, &stopped, writer] {
      std::mt19937_64 random(writer);
      while (!stopped) WriteSource(*client, random);
    });
  }
  enough.get_future().wait();
  manager.reset();
  stopped = true;
  for (std::thread& writer : writers) writer.join();
  executor.Stop();
}

}  // namespace
}  // namespace coppice::kube
