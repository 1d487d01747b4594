// The cost of sets: `./dev bench operator`, and `./dev bench real operator` on kube-apiserver. Also
// prints writes by verb and resource.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <fstream>
#include <set>

#include "api/well_known.h"
#include "json/yaml/yaml.h"
#include "kube/object.h"
#include "operator/tests/rig/rig_testing.h"

namespace coppice::operators {
namespace {

using json::Value;
using SteadyTime = std::chrono::steady_clock::time_point;

SteadyTime Now() { return std::chrono::steady_clock::now(); }
double Since(SteadyTime start) { return std::chrono::duration<double>(Now() - start).count(); }

double CpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double ResidentMegabytes() {
  std::ifstream status("/proc/self/statm");
  int64_t total = 0;
  int64_t resident = 0;
  status >> total >> resident;
  return static_cast<double>(resident) * 4096 / (1 << 20);
}

Value Set(const std::string& name, int64_t replicas, int64_t pods, const char* image = "i") {
  return *json::ParseYaml(fmt::format(
      "{{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {{name: {}, namespace: "
      "default}}, spec: {{replicas: {}, template: {{terminationDelay: 4h, cliqueStartupType: "
      "CliqueStartupTypeAnyOrder, cliques: [{{name: w, spec: {{roleName: w, replicas: {}, "
      "minAvailable: {}, podSpec: {{containers: [{{name: main, image: {}, resources: {{limits: "
      "{{nvidia.com/gpu: '1'}}}}}}]}}}}}}]}}}}}}",
      name, replicas, pods, pods, image));
}

void CountWrites(Rig& rig, size_t pods, benchmark::State& state) {
  const auto per_pod = [&](int64_t count) {
    return static_cast<double>(count) / static_cast<double>(pods);
  };
  const kube::CountingClient& counting = rig.counting();
  const int64_t events =
      counting.Count(kube::Verb::kCreate, "events") + counting.Count(kube::Verb::kPatch, "events");
  const int64_t created = counting.Count(kube::Verb::kCreate, "pods");
  state.counters["writes_per_pod_beyond_creation"] = per_pod(counting.Writes() - created - events);
  state.counters["creates_per_pod"] = per_pod(counting.Count(kube::Verb::kCreate) - created -
                                              counting.Count(kube::Verb::kCreate, "events"));
  state.counters["patches_per_pod"] = per_pod(counting.Count(kube::Verb::kPatch));
  state.counters["deletes_per_pod"] = per_pod(counting.Count(kube::Verb::kDelete));
  state.counters["events_per_pod"] = per_pod(events);
  fmt::print("writes for {} pods:\n{}", pods, counting.ToString());
}

// What was written besides the pods until the last of them existed.
void CountMeanwhile(Rig& rig, size_t pods, benchmark::State& state) {
  const kube::CountingClient& counting = rig.counting();
  const auto others = counting.Writes() - counting.Count(kube::Verb::kCreate, "pods");
  state.counters["other_writes_meanwhile"] =
      static_cast<double>(others) / static_cast<double>(pods);
  fmt::print("written when {} pods were created:\n{}", pods, counting.ToString());
}

// How long it takes until the pods of a new set are created, ungated and ready; true if they all
// are.
bool TimeArrival(Rig& rig, SteadyTime start, size_t pods, benchmark::State& state) {
  bool done = Rig::Until([&] { return rig.Pods() > 0; });
  state.counters["first_created_s"] = Since(start);
  done &= Rig::Until([&] { return rig.Pods() >= pods; });
  const double created = Since(start);
  state.SetIterationTime(created);
  state.counters["created_s"] = created;
  state.counters["created_per_s"] = static_cast<double>(pods) / created;
  CountMeanwhile(rig, pods, state);
  done &= Rig::Until([&] { return rig.UngatedPods() >= pods; });
  state.counters["ungated_s"] = Since(start);
  done &= Rig::Until([&] { return rig.ReadyPods() >= pods; });
  state.counters["ready_s"] = Since(start);
  return done;
}

void CountNoOp(Rig& rig, const std::string& set, benchmark::State& state) {
  rig.counting().Reset();
  (void)rig.client().Patch(
      api::kPodCliqueSets, {"default", set}, kube::PatchType::kMerge,
      *json::ParseYaml("{metadata: {annotations: {grove.io/reconcile-trigger: now}}}"));
  rig.Rest();
  state.counters["noop_writes"] = static_cast<double>(rig.counting().Writes());
}

// Cleans up on a server that is not ours.
void Remove(Rig& rig, const std::vector<std::string>& sets) {
  for (const std::string& set : sets)
    (void)rig.client().Delete(api::kPodCliqueSets, {"default", set});
  Rig::Until([&] {
    if (rig.Pods() != 0) return false;
    const auto left = rig.client().List(api::kPodCliqueSets, {.ns = "default"});
    return left && left->items.empty();
  });
}

// A set with range(0) replicas and one clique of range(1) pods.
void OneSet(benchmark::State& state) {
  const auto pods = static_cast<size_t>(state.range(0) * state.range(1));
  for (auto _ : state) {
    Rig rig;
    const Value set = Set("a", state.range(0), state.range(1));
    const double bare = rig.BareRate(set, static_cast<int>(pods), 1);
    state.counters["bare_loop_per_s"] = bare;
    state.counters["four_bare_loops_per_s"] = rig.BareRate(set, static_cast<int>(pods), 4);
    rig.Start();
    const double memory = ResidentMegabytes();
    const double cpu = CpuSeconds();
    const SteadyTime start = Now();
    (void)rig.client().Create(api::kPodCliqueSets, set);
    if (!TimeArrival(rig, start, pods, state)) state.SkipWithError("not ready after five minutes");
    rig.Rest();
    const double thousands = static_cast<double>(pods) / 1000;
    state.counters["of_bare_loop"] = state.counters["created_per_s"] / bare;
    state.counters["cpu_s_per_1000_pods"] = (CpuSeconds() - cpu) / thousands;
    state.counters["mb_per_1000_pods"] = (ResidentMegabytes() - memory) / thousands;
    CountWrites(rig, pods, state);
    CountNoOp(rig, "a", state);
    Remove(rig, {"a"});
  }
}

void Scaling(benchmark::State& state) {
  for (auto _ : state) {
    Rig rig;
    rig.Start();
    const SteadyTime start = Now();
    (void)rig.client().Create(api::kPodCliqueSets, Set("a", 0, 2));
    for (const int replicas : {500, 250, 0}) {
      const SteadyTime step = Now();
      (void)rig.client().Patch(api::kPodCliqueSets, {"default", "a"}, kube::PatchType::kMerge,
                               Value::Object({{"spec", Value::Object({{"replicas", replicas}})}}),
                               {.subresource = "scale"});
      const auto wanted = static_cast<size_t>(replicas) * 2;
      if (!Rig::Until([&] { return rig.ReadyPods() == wanted && rig.Pods() == wanted; })) {
        state.SkipWithError("does not arrive");
      }
      state.counters[fmt::format("to_{}_s", wanted)] = Since(step);
    }
    state.SetIterationTime(Since(start));
    Remove(rig, {"a"});
  }
}

// range(0) sets with one clique of ten pods.
void ManySets(benchmark::State& state) {
  const size_t pods = static_cast<size_t>(state.range(0)) * 10;
  for (auto _ : state) {
    Rig rig;
    rig.Start();
    std::vector<std::string> names;
    for (int64_t i = 0; i < state.range(0); ++i) names.push_back(fmt::format("s{}", i));
    const double cpu = CpuSeconds();
    const double memory = ResidentMegabytes();
    const SteadyTime start = Now();
    for (const std::string& name : names) {
      (void)rig.client().Create(api::kPodCliqueSets, Set(name, 1, 10));
    }
    if (!TimeArrival(rig, start, pods, state)) state.SkipWithError("not ready after five minutes");
    rig.Rest();
    const double thousands = static_cast<double>(pods) / 1000;
    state.counters["cpu_s_per_1000_pods"] = (CpuSeconds() - cpu) / thousands;
    state.counters["mb_per_1000_pods"] = (ResidentMegabytes() - memory) / thousands;
    CountWrites(rig, pods, state);
    CountNoOp(rig, "s0", state);
    Remove(rig, names);
  }
}

// Six changes of the template within 20 s, of which the last one stays: how many pods of the last
// template were created beyond those that the set has.
void SixChanges(benchmark::State& state) {
  constexpr size_t kPods = 40;
  for (auto _ : state) {
    Rig rig;
    rig.Start();
    (void)rig.client().Create(api::kPodCliqueSets, Set("a", 20, 2));
    if (!Rig::Until([&] { return rig.ReadyPods() == kPods; })) state.SkipWithError("never ready");
    rig.counting().Reset();
    const SteadyTime start = Now();
    std::set<std::string> made;
    const auto settled = [&] {
      size_t live = 0;
      const auto pods = rig.client().List(api::kPods, {.ns = "default"});
      if (!pods) return false;
      for (const Value& pod : pods->items) {
        if (pod["spec"]["containers"].At(0)["image"].AsString() != "i:6") continue;
        made.emplace(kube::Uid(pod));
        live += kube::ConditionIs(pod, "Ready", "True") && !kube::IsDeleting(pod);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      return live == kPods;
    };
    for (int change = 1; change <= 6; ++change) {
      const Value set = Set("a", 20, 2, fmt::format("i:{}", change).c_str());
      (void)rig.client().Patch(api::kPodCliqueSets, {"default", "a"}, kube::PatchType::kMerge,
                               Value::Object({{"spec", set["spec"]}}));
      std::this_thread::sleep_for(std::chrono::seconds(3));
    }
    if (!Rig::Until(settled)) state.SkipWithError("does not arrive");
    state.SetIterationTime(Since(start));
    state.counters["pods_recreated_needlessly"] = static_cast<double>(made.size() - kPods);
    state.counters["pods_created_in_all"] =
        static_cast<double>(rig.counting().Count(kube::Verb::kCreate, "pods"));
    Remove(rig, {"a"});
  }
}

#define COPPICE_ONCE ->Iterations(1)->UseManualTime()->Unit(benchmark::kMillisecond)
BENCHMARK(OneSet)->Args({500, 2})->Args({100, 10})->Args({1000, 10}) COPPICE_ONCE;
BENCHMARK(Scaling) COPPICE_ONCE;
BENCHMARK(ManySets)->Arg(20)->Arg(1000) COPPICE_ONCE;
BENCHMARK(SixChanges) COPPICE_ONCE;

}  // namespace
}  // namespace coppice::operators
