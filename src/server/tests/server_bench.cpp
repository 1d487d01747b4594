#include <benchmark/benchmark.h>

#include <atomic>
#include <filesystem>

#include "api/well_known.h"
#include "json/parse.h"
#include "kube/executor/thread_executor.h"
#include "kube/object.h"
#include "server/api_server.h"

// The server without HTTP: what storage, validation and watches cost. Durable runs use a data
// folder under the working directory, so that they measure its disk.
namespace coppice::server {
namespace {

json::Value Pod(std::string_view name) {
  json::Value pod = *json::Parse(R"({"apiVersion":"v1","kind":"Pod","spec":{"containers":[
    {"name":"main","image":"registry.example.com/team/app:1.2.3","command":["run","--all"],
     "env":[{"name":"A","value":"1"},{"name":"B","value":"2"}],
     "resources":{"requests":{"cpu":"4","memory":"16Gi","nvidia.com/gpu":"1"},
                  "limits":{"nvidia.com/gpu":"1"}}}]}})");
  pod.Mutable("metadata").Set("name", name).Set("namespace", "default");
  pod.Mutable("metadata").Mutable("labels").Set("app", "bench");
  pod.Mutable("metadata").Mutable("annotations").Set("notes", std::string(1500, 'x'));
  return pod;
}

struct World {
  explicit World(bool durable) {
    if (durable) {
      dir = std::filesystem::absolute("bench-data-" + std::to_string(getpid()));
      std::filesystem::remove_all(dir);
    }
    server = *ApiServer::Make({.clock = &executor.clock(), .data_dir = dir.string(), .seed = 7});
    client = server->NewClient(executor);
  }
  ~World() {
    client.reset();
    executor.Stop();
    server.reset();
    if (!dir.empty()) std::filesystem::remove_all(dir);
  }

  std::filesystem::path dir;
  kube::ThreadExecutor executor;
  std::unique_ptr<ApiServer> server;
  std::unique_ptr<kube::Client> client;
  std::atomic<int64_t> next{0};
};

World* world = nullptr;

void SetUp(const benchmark::State& state, bool durable) {
  if (state.thread_index() == 0) world = new World(durable);
}
void TearDown(const benchmark::State& state) {
  if (state.thread_index() != 0) return;
  delete world;
  world = nullptr;
}

void Creates(benchmark::State& state, bool durable) {
  SetUp(state, durable);
  for (auto _ : state) {
    const std::string name = "p" + std::to_string(world->next++);
    if (!world->client->Create(api::kPods, Pod(name))) state.SkipWithError("create failed");
  }
  state.SetItemsProcessed(state.iterations());
  TearDown(state);
}
BENCHMARK_CAPTURE(Creates, memory, false)->Threads(1)->Threads(32)->UseRealTime();
BENCHMARK_CAPTURE(Creates, durable, true)->Threads(1)->Threads(32)->UseRealTime();

void Binds(benchmark::State& state) {
  World here(true);
  int64_t n = 0;
  for (auto _ : state) {
    state.PauseTiming();
    const std::string name = "p" + std::to_string(n++);
    benchmark::DoNotOptimize(here.client->Create(api::kPods, Pod(name)));
    json::Value binding = kube::NewObject({"", "v1", "bindings", "Binding", true}, "default", name);
    binding.Mutable("target").Set("kind", "Node").Set("name", "n1");
    state.ResumeTiming();
    if (!here.client->Create(api::kPods, binding, {.subresource = "binding"})) {
      state.SkipWithError("bind failed");
    }
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(Binds)->UseRealTime();

void Gets(benchmark::State& state) {
  World here(false);
  benchmark::DoNotOptimize(here.client->Create(api::kPods, Pod("a")));
  for (auto _ : state) benchmark::DoNotOptimize(here.client->Get(api::kPods, {"default", "a"}));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(Gets);

void ListTenThousand(benchmark::State& state) {
  World here(false);
  for (int i = 0; i < 10000; ++i) {
    benchmark::DoNotOptimize(here.client->Create(api::kPods, Pod("p" + std::to_string(i))));
  }
  for (auto _ : state) benchmark::DoNotOptimize(here.client->List(api::kPods));
  state.SetItemsProcessed(state.iterations() * 10000);
}
BENCHMARK(ListTenThousand)->Unit(benchmark::kMillisecond);

class Counter : public kube::WatchSink {
 public:
  explicit Counter(std::atomic<int64_t>& seen) : seen_(seen) {}
  void OnEvent(kube::WatchEvent) override { ++seen_; }
  void OnEnd(base::Error) override {}

 private:
  std::atomic<int64_t>& seen_;
};

// From a write to its arrival at every one of a thousand watchers.
void FanOut(benchmark::State& state) {
  World here(false);
  std::atomic<int64_t> seen{0};
  std::vector<std::unique_ptr<Counter>> sinks;
  std::vector<std::unique_ptr<kube::Watch>> watches;
  const std::string from = here.client->List(api::kPods)->resource_version;
  for (int i = 0; i < 1000; ++i) {
    sinks.push_back(std::make_unique<Counter>(seen));
    watches.push_back(*here.client->StartWatch(
        api::kPods, {.resource_version = from, .allow_bookmarks = false}, *sinks.back()));
  }
  int64_t n = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(here.client->Create(api::kPods, Pod("p" + std::to_string(n++))));
    while (seen < n * 1000) std::this_thread::yield();
  }
  watches.clear();
  state.SetItemsProcessed(state.iterations() * 1000);
}
BENCHMARK(FanOut)->UseRealTime();

}  // namespace
}  // namespace coppice::server
