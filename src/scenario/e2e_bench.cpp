// The whole product on the embedded server, in one process: what it takes from a workload's
// creation until its pods are bound. Run with ./dev bench e2e.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <ctime>
#include <fstream>
#include <map>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "api/well_known.h"
#include "base/log.h"
#include "json/yaml/yaml.h"
#include "kube/client/counting_client.h"
#include "kube/executor/thread_executor.h"
#include "kube/object.h"
#include "scenario/shorthand.h"
#include "stack/stack.h"

namespace coppice::scenario {
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

double ResidentMegabytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::stod(line.substr(6)) / 1024;
  }
  return 0;
}

// Notes when each pod of one app was first seen bound, with the Job it belongs to or its own name.
class BoundTimes final : public kube::WatchSink {
 public:
  struct Bound {
    std::string workload;
    TimePoint time;
  };

  BoundTimes(kube::Client& client, const std::string& app) {
    const auto list = client.List(api::kNodes);
    watch_ = *client.StartWatch(
        api::kPods, {.label_selector = "app=" + app, .resource_version = list->resource_version},
        *this);
  }
  ~BoundTimes() override { watch_.reset(); }

  bool WaitFor(size_t bound) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kLimit, [&] { return bound_.size() >= bound; });
  }
  std::unordered_map<std::string, Bound> Take() {
    std::lock_guard lock(mutex_);
    return std::exchange(bound_, {});
  }

  void OnEvent(kube::WatchEvent event) override {
    if (event.object["spec"]["nodeName"].AsString().empty()) return;
    const std::string name(kube::Name(event.object));
    const Value& owner = kube::ControllerOwner(event.object);
    const bool job = owner["kind"].AsString() == "Job";
    std::lock_guard lock(mutex_);
    bound_.try_emplace(name, Bound{job ? owner["name"].ToString() : name, SteadyClock::now()});
    changed_.notify_all();
  }
  void OnEnd(base::Error reason) override {
    base::LogError("the watch of the benchmark ended", {{"error", reason.message()}});
  }

 private:
  std::mutex mutex_;  // Guards bound_.
  std::condition_variable changed_;
  std::unordered_map<std::string, Bound> bound_;
  std::unique_ptr<kube::Watch> watch_;
};

// A cluster of equal nodes with everything running, and two queues: `low` with no quota of its own,
// and `high` which may have it all.
class Cluster {
 public:
  Cluster(int nodes, int gpus) {
    base::SetLogLevel(base::LogLevel::kError);
    stack::StackOptions options;
    options.shape.pools = {{.count = nodes, .gpus = gpus}};
    options.components = *stack::ParseComponents("all");
    options.decorate = [this](kube::Client& server) {
      auto counting = std::make_unique<kube::CountingClient>(server);
      calls_ = counting.get();
      return counting;
    };
    stack_ = *stack::Stack::Make(executor_, std::move(options));
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
  kube::ThreadExecutor executor_{stack::StackThreads()};
  kube::CountingClient* calls_ = nullptr;
  std::unique_ptr<stack::Stack> stack_;
};

// Processor time and writes count until the last status and event is written, too: they wait up to
// two seconds longer than what was urgent.
void WaitForQuiet(Cluster& cluster) {
  for (int64_t writes = -1; writes != cluster.calls().Writes();) {
    writes = cluster.calls().Writes();
    std::this_thread::sleep_for(std::chrono::milliseconds(2500));
  }
}

// From its construction on: what all parts of the product took together to bind some pods. On a
// machine that others use too, processor time and writes tell more than time.
class Measurement {
 public:
  explicit Measurement(Cluster& cluster)
      : cluster_(cluster), processor_(ProcessorSeconds()), begin_(SteadyClock::now()) {
    cluster_.calls().Reset();
  }

  // `created` is when each workload was; what is not in it was created at the beginning.
  void Report(benchmark::State& state, int pods, BoundTimes& bound,
              const std::map<std::string, TimePoint>& created = {}) const {
    const double seconds = Seconds(SteadyClock::now() - begin_);
    state.SetIterationTime(seconds);
    state.counters["pods/s"] = pods / seconds;
    WaitForQuiet(cluster_);
    state.counters["cpu_ms/pod"] = (ProcessorSeconds() - processor_) * 1000 / pods;
    state.counters["writes/pod"] = static_cast<double>(cluster_.calls().Writes()) / pods;
    state.counters["resident_MB"] = ResidentMegabytes();
    std::vector<double> latencies;
    for (const auto& [name, pod] : bound.Take()) {
      const auto begun = created.find(pod.workload);
      latencies.push_back(Seconds(pod.time - (begun == created.end() ? begin_ : begun->second)));
    }
    std::sort(latencies.begin(), latencies.end());
    if (!latencies.empty()) {
      state.counters["p50_s"] = latencies[latencies.size() / 2];
      state.counters["p99_s"] = latencies[latencies.size() * 99 / 100];
    }
    if (std::getenv("COPPICE_BENCH_CALLS")) fmt::print("{}", cluster_.calls().ToString());
  }

 private:
  Cluster& cluster_;
  const double processor_;
  const TimePoint begin_;
};

// Nodes of `gpus` GPUs, filled by one-GPU pods in jobs of `pods_per_job`.
void Fill(benchmark::State& state, int nodes, int gpus, int pods_per_job) {
  const int pods = nodes * gpus;
  for (auto _ : state) {
    Cluster cluster(nodes, gpus);
    BoundTimes bound(cluster.client(), "fill");
    const Measurement measurement(cluster);
    const auto created = cluster.CreateJobs("fill", pods / pods_per_job, pods_per_job, "high");
    if (!bound.WaitFor(pods)) state.SkipWithError("not all pods were bound");
    measurement.Report(state, pods, bound, created);
  }
}

void FillCluster(benchmark::State& state) { Fill(state, static_cast<int>(state.range(0)), 8, 1); }
// The small one is for counting instructions: valgrind --tool=callgrind.
BENCHMARK(FillCluster)->Arg(50)->Arg(500)->Iterations(1)->UseManualTime()->Unit(benchmark::kSecond);

void FillLargeCluster(benchmark::State& state) {
  Fill(state, static_cast<int>(state.range(0)), 10, 10);
}
BENCHMARK(FillLargeCluster)->Arg(5000)->Iterations(1)->UseManualTime()->Unit(benchmark::kSecond);

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
    const Measurement measurement(cluster);
    if (const auto made = cluster.client().Create(api::kPodCliqueSets, set); !made) {
      state.SkipWithError(made.error().message().c_str());
    }
    if (!bound.WaitFor(512)) state.SkipWithError("the gang was not bound");
    measurement.Report(state, 512, bound);
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
    WaitForQuiet(cluster);
    BoundTimes back(cluster.client(), "back");
    const Measurement measurement(cluster);
    const auto created = cluster.CreateJobs("back", pods, 1, "high");
    if (!back.WaitFor(pods)) state.SkipWithError("not everything was reclaimed");
    measurement.Report(state, pods, back, created);
  }
}
BENCHMARK(ReclaimAll)->Arg(500)->Iterations(1)->UseManualTime()->Unit(benchmark::kSecond);

}  // namespace
}  // namespace coppice::scenario
