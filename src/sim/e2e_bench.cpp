// The whole product on the embedded server, in one process: what it takes from a workload's
// creation until its pods are bound. Run with ./dev bench e2e.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <ctime>
#include <map>
#include <mutex>

#include "api/well_known.h"
#include "base/log.h"
#include "json/yaml.h"
#include "kube/counting_client.h"
#include "kube/object.h"
#include "kube/thread_executor.h"
#include "sim/shorthand.h"
#include "sim/stack.h"

namespace coppice::sim {
namespace {

using json::Value;
using SteadyClock = std::chrono::steady_clock;
using TimePoint = SteadyClock::time_point;

constexpr std::chrono::seconds kLimit(900);

double ProcessorSeconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

double Seconds(SteadyClock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

// Notes when each pod of one app was first seen bound, by the name of its owner or its own.
class BoundTimes final : public kube::WatchSink {
 public:
  BoundTimes(kube::Client& client, const std::string& app) {
    const auto list = client.List(api::kPods);
    watch_ = *client.StartWatch(
        api::kPods, {.label_selector = "app=" + app, .resource_version = list->resource_version},
        *this);
  }
  ~BoundTimes() override { watch_.reset(); }

  bool WaitFor(size_t bound) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kLimit, [&] { return bound_.size() >= bound; });
  }
  std::map<std::string, TimePoint> Take() {
    std::lock_guard lock(mutex_);
    return std::exchange(bound_, {});
  }

  void OnEvent(kube::WatchEvent event) override {
    if (event.object["spec"]["nodeName"].AsString().empty()) return;
    const Value& owner = kube::ControllerOwner(event.object);
    const bool job = owner["kind"].AsString() == "Job";
    std::lock_guard lock(mutex_);
    bound_.try_emplace(job ? owner["name"].ToString() : std::string(kube::Name(event.object)),
                       SteadyClock::now());
    changed_.notify_all();
  }
  void OnEnd(base::Error reason) override {
    base::LogError("the watch of the benchmark ended", {{"error", reason.message()}});
  }

 private:
  std::mutex mutex_;  // Guards bound_.
  std::condition_variable changed_;
  std::map<std::string, TimePoint> bound_;
  std::unique_ptr<kube::Watch> watch_;
};

// A cluster of equal nodes with everything running, and two queues: `low` with no quota of its own,
// and `high` which may have it all.
class Cluster {
 public:
  Cluster(int nodes, int gpus) {
    base::SetLogLevel(base::LogLevel::kError);
    StackOptions options;
    options.shape.pools = {{.count = nodes, .gpus = gpus}};
    options.components = *ParseComponents("all");
    options.decorate = [this](kube::Client& server) {
      auto counting = std::make_unique<kube::CountingClient>(server);
      calls_ = counting.get();
      return counting;
    };
    stack_ = *Stack::Make(executor_, std::move(options));
    Create(R"({queues: [{name: top}, {name: low, parent: top, gpus: 0}, )"
           R"({name: high, parent: top}]})");
    stack_->Start().ok();
    while (!stack_->manager().Synced()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  ~Cluster() { stack_->Stop(); }

  kube::Client& client() { return stack_->client(); }
  kube::CountingClient& calls() { return *calls_; }

  void Create(const std::string& shorthand) {
    const auto objects = ExpandObjects(*json::ParseYaml(shorthand));
    for (const Value& object : *objects) {
      const auto resource = api::FindResource(object["kind"].AsString(), "");
      if (const auto made = client().Create(*resource, object); !made) {
        base::LogError("cannot create", {{"error", made.error().message()}});
      }
    }
  }

  // Jobs of `pods` one-GPU pods each; returns when each was created.
  std::map<std::string, TimePoint> CreateJobs(const std::string& app, int jobs, int pods,
                                              const std::string& queue) {
    Value job = *json::ParseYaml(fmt::format(
        R"({{apiVersion: batch/v1, kind: Job, metadata: {{namespace: default, labels: {{kai.scheduler/queue: {1}}}}},
            spec: {{parallelism: {2}, completions: {2}, template: {{metadata: {{labels: {{app: {0}, kai.scheduler/queue: {1}}}}},
              spec: {{schedulerName: kai-scheduler, restartPolicy: Never, containers: [{{name: main, image: i,
                resources: {{limits: {{nvidia.com/gpu: "1"}}}}}}]}}}}}}}})",
        app, queue, pods));
    std::map<std::string, TimePoint> created;
    for (int i = 0; i < jobs; ++i) {
      const std::string name = fmt::format("{}-{}", app, i);
      job.Mutable("metadata").Set("name", name);
      created.emplace(name, SteadyClock::now());
      if (const auto made = client().Create(api::kJobs, job); !made) {
        base::LogError("cannot create", {{"error", made.error().message()}});
      }
    }
    return created;
  }

 private:
  kube::ThreadExecutor executor_;
  kube::CountingClient* calls_ = nullptr;
  std::unique_ptr<Stack> stack_;
};

void ReportLatencies(benchmark::State& state, const std::map<std::string, TimePoint>& created,
                     const std::map<std::string, TimePoint>& bound) {
  std::vector<double> all;
  for (const auto& [name, when] : bound) {
    if (const auto begun = created.find(name); begun != created.end()) {
      all.push_back(Seconds(when - begun->second));
    }
  }
  if (all.empty()) return;
  std::sort(all.begin(), all.end());
  state.counters["p50_s"] = all[all.size() / 2];
  state.counters["p99_s"] = all[all.size() * 99 / 100];
}

// One-GPU jobs fill every GPU.
void FillCluster(benchmark::State& state) {
  const int nodes = static_cast<int>(state.range(0)), pods = nodes * 8;
  for (auto _ : state) {
    Cluster cluster(nodes, 8);
    BoundTimes bound(cluster.client(), "fill");
    cluster.calls().Reset();
    const double processor = ProcessorSeconds();
    const TimePoint begin = SteadyClock::now();
    const auto created = cluster.CreateJobs("fill", pods, 1, "high");
    if (!bound.WaitFor(pods)) state.SkipWithError("not all pods were bound");
    const double seconds = Seconds(SteadyClock::now() - begin);
    state.SetIterationTime(seconds);
    state.counters["pods/s"] = pods / seconds;
    // On a machine that others use too this tells more than the time.
    state.counters["cpu_ms/pod"] = (ProcessorSeconds() - processor) * 1000 / pods;
    state.counters["writes/pod"] = static_cast<double>(cluster.calls().Writes()) / pods;
    ReportLatencies(state, created, bound.Take());
    if (std::getenv("COPPICE_BENCH_CALLS")) fmt::print("{}", cluster.calls().ToString());
  }
}
BENCHMARK(FillCluster)->Arg(500)->Iterations(1)->UseManualTime()->Unit(benchmark::kSecond);

// 5,000 nodes, 50,000 pods in jobs of ten.
void FillLargeCluster(benchmark::State& state) {
  constexpr int kNodes = 5000, kJobs = 5000, kPods = 10;
  for (auto _ : state) {
    Cluster cluster(kNodes, kPods);
    BoundTimes bound(cluster.client(), "fill");
    const TimePoint begin = SteadyClock::now();
    cluster.CreateJobs("fill", kJobs, kPods, "high");
    if (!bound.WaitFor(kJobs)) state.SkipWithError("not all jobs began");
    // Jobs are counted above; the last pod is bound when nothing waits any more.
    while (cluster.client().List(api::kPods, {.field_selector = "spec.nodeName="})->items.size() >
           0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    const double seconds = Seconds(SteadyClock::now() - begin);
    state.SetIterationTime(seconds);
    state.counters["pods/s"] = kJobs * kPods / seconds;
  }
}
BENCHMARK(FillLargeCluster)->Iterations(1)->UseManualTime()->Unit(benchmark::kSecond);

// A PodCliqueSet whose one clique has 512 pods, all or nothing.
void GangOf512(benchmark::State& state) {
  for (auto _ : state) {
    Cluster cluster(500, 8);
    const Value set = *json::ParseYaml(R"(
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata: {name: gang, namespace: default, labels: {kai.scheduler/queue: high}}
spec:
  replicas: 1
  template:
    cliques:
    - name: worker
      labels: {app: gang}
      spec: {roleName: worker, replicas: 512, minAvailable: 512, podSpec: {schedulerName: kai-scheduler, containers: [{name: main, image: i, resources: {limits: {nvidia.com/gpu: "1"}}}]}}
)");
    BoundTimes bound(cluster.client(), "gang");
    cluster.calls().Reset();
    const TimePoint begin = SteadyClock::now();
    if (const auto made = cluster.client().Create(api::kPodCliqueSets, set); !made) {
      state.SkipWithError(made.error().message().c_str());
    }
    if (!bound.WaitFor(512)) state.SkipWithError("the gang was not bound");
    state.SetIterationTime(Seconds(SteadyClock::now() - begin));
    state.counters["writes/pod"] = static_cast<double>(cluster.calls().Writes()) / 512;
    if (std::getenv("COPPICE_BENCH_CALLS")) fmt::print("{}", cluster.calls().ToString());
  }
}
BENCHMARK(GangOf512)->Iterations(1)->UseManualTime()->Unit(benchmark::kSecond);

// Every GPU is lent to a queue without quota, and taken back by the one that owns it.
void ReclaimAll(benchmark::State& state) {
  const int nodes = static_cast<int>(state.range(0)), pods = nodes * 8;
  for (auto _ : state) {
    Cluster cluster(nodes, 8);
    BoundTimes lent(cluster.client(), "lent");
    cluster.CreateJobs("lent", pods, 1, "low");
    if (!lent.WaitFor(pods)) state.SkipWithError("the cluster was not filled");
    BoundTimes back(cluster.client(), "back");
    cluster.calls().Reset();
    const double processor = ProcessorSeconds();
    const TimePoint begin = SteadyClock::now();
    const auto created = cluster.CreateJobs("back", pods, 1, "high");
    if (!back.WaitFor(pods)) state.SkipWithError("not everything was reclaimed");
    const double seconds = Seconds(SteadyClock::now() - begin);
    state.SetIterationTime(seconds);
    state.counters["pods/s"] = pods / seconds;
    state.counters["cpu_ms/pod"] = (ProcessorSeconds() - processor) * 1000 / pods;
    state.counters["writes/pod"] = static_cast<double>(cluster.calls().Writes()) / pods;
    ReportLatencies(state, created, back.Take());
    if (std::getenv("COPPICE_BENCH_CALLS")) fmt::print("{}", cluster.calls().ToString());
  }
}
BENCHMARK(ReclaimAll)->Arg(500)->Iterations(1)->UseManualTime()->Unit(benchmark::kSecond);

}  // namespace
}  // namespace coppice::sim
