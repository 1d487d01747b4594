// What a set costs on the embedded server: `./dev bench operator`. Somebody who binds every pod
// without gates and makes it ready stands in for scheduler and kubelets; its writes do not count.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <iostream>
#include <thread>

#include "api/grove/crds.h"
#include "api/well_known.h"
#include "json/yaml.h"
#include "kube/counting_client.h"
#include "kube/object.h"
#include "kube/thread_executor.h"
#include "operator/operator.h"
#include "operator/webhooks/admission.h"
#include "server/api_server.h"

namespace coppice::operators {
namespace {

using json::Value;
using SteadyTime = std::chrono::steady_clock::time_point;

double Since(SteadyTime start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double CpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double ResidentMegabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

Value Set(const std::string& name, int replicas, int pods) {
  return *json::ParseYaml(fmt::format(
      "{{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {{name: {}, namespace: "
      "default}}, spec: {{replicas: {}, template: {{terminationDelay: 4h, cliqueStartupType: "
      "CliqueStartupTypeAnyOrder, cliques: [{{name: w, spec: {{roleName: w, replicas: {}, "
      "minAvailable: {}, podSpec: {{containers: [{{name: main, image: i, resources: {{limits: "
      "{{nvidia.com/gpu: '1'}}}}}}]}}}}}}]}}}}}}",
      name, replicas, pods, pods));
}

// Binds pods without gates and makes them ready, as they change.
class Kubelets {
 public:
  Kubelets(kube::Client& client, kube::Manager& manager) : client_(client) {
    kube::Executor& executor = manager.runtime().executor;
    manager.runtime()
        .cache.InformerFor(api::kPods)
        .AddHandler([this, &executor](const kube::Change& change) {
          if (change.type == kube::ChangeType::kDeleted) return;
          executor.Post([this, pod = change.object] { See(pod); });
        });
  }

 private:
  void See(const Value& pod) {
    const api::ObjectKey key = kube::KeyOf(pod);
    if (kube::IsDeleting(pod)) {
      (void)client_.Delete(api::kPods, key, {.grace_period_seconds = 0});
    } else if (!pod["spec"]["schedulingGates"].empty()) {
      return;
    } else if (pod["spec"]["nodeName"].IsNull()) {
      Value binding = Value::Object({{"apiVersion", "v1"}, {"kind", "Binding"}});
      binding.Mutable("metadata").Set("name", key.name).Set("namespace", key.ns);
      binding.Set("target", Value::Object({{"kind", "Node"}, {"name", "n"}}));
      (void)client_.Create(api::kPods, binding, {.subresource = "binding"});
    } else if (!kube::ConditionIs(pod, "Ready", "True")) {
      const auto condition = [](const char* type) {
        return Value::Object({{"type", type}, {"status", "True"}});
      };
      const Value status = Value::Object(
          {{"phase", "Running"},
           {"conditions", Value::Array({condition("PodScheduled"), condition("Ready")})}});
      (void)client_.Patch(api::kPods, key, kube::PatchType::kMerge,
                          Value::Object({{"status", status}}), {.subresource = "status"});
    }
  }

  kube::Client& client_;
};

struct Rig {
  Rig() {
    server = *server::ApiServer::Make({.clock = &executor.clock(), .seed = 7});
    client = server->NewClient(executor);
    for (const Value& crd : api::grove::Crds()) (void)server->InstallCrd(crd);
    server->StartControllers(executor);
    (void)client->Create(api::kNodes, *json::ParseYaml("{apiVersion: v1, kind: Node, metadata: "
                                                       "{name: n}}"));
    counting = std::make_unique<kube::CountingClient>(*client);
    manager = kube::Manager::Make(*counting, executor);
    Config config;
    config.backends.profiles = {{.name = "default-scheduler", .backend = "default"}};
    if (!AddToManager(*manager, config)) std::abort();
    manager->Start();
    others = kube::Manager::Make(*client, executor);
    kubelets = std::make_unique<Kubelets>(*client, *others);
    pods = &others->runtime().cache.InformerFor(api::kPods);
    others->Start();
  }
  ~Rig() {
    manager->Stop();
    others->Stop();
    executor.Stop();
  }

  // Waits until `done`; false after five minutes.
  template <typename Done>
  static bool Until(const Done& done) {
    const SteadyTime start = std::chrono::steady_clock::now();
    while (!done()) {
      if (Since(start) > 300) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return true;
  }
  template <typename Test>
  size_t Count(const Test& test) const {
    size_t count = 0;
    for (const Value& pod : pods->List()) count += !kube::IsDeleting(pod) && test(pod);
    return count;
  }
  // Until the operator has written nothing for a while.
  void Rest() const {
    for (int64_t before = -1; before != counting->Writes();) {
      before = counting->Writes();
      std::this_thread::sleep_for(std::chrono::milliseconds(700));
    }
  }

  kube::ThreadExecutor executor;
  std::unique_ptr<server::ApiServer> server;
  std::unique_ptr<kube::Client> client;
  std::unique_ptr<kube::CountingClient> counting;
  std::unique_ptr<kube::Manager> manager;
  std::unique_ptr<kube::Manager> others;
  std::unique_ptr<Kubelets> kubelets;
  kube::Informer* pods = nullptr;
};

bool Any(const Value&) { return true; }
bool Ungated(const Value& pod) { return pod["spec"]["schedulingGates"].empty(); }
bool Ready(const Value& pod) { return kube::ConditionIs(pod, "Ready", "True"); }

// Pods per second of a loop that does nothing but create the same pods.
double BareRate(size_t count) {
  kube::ThreadExecutor executor;
  auto server = *server::ApiServer::Make({.clock = &executor.clock(), .seed = 7});
  auto client = server->NewClient(executor);
  Value pod = *json::ParseYaml(
      "{apiVersion: v1, kind: Pod, metadata: {generateName: a-0-w-, namespace: default, labels: "
      "{app.kubernetes.io/managed-by: grove-operator, app.kubernetes.io/part-of: a, "
      "grove.io/podclique: a-0-w, grove.io/podgang: a-0, grove.io/pod-template-hash: x}}, spec: "
      "{hostname: a-0-w-0, subdomain: a-0, schedulingGates: [{name: g}], containers: [{name: main, "
      "image: i, env: [{name: A, value: b}, {name: B, value: c}, {name: C, value: d}], resources: "
      "{limits: {nvidia.com/gpu: '1'}}}]}}");
  const SteadyTime start = std::chrono::steady_clock::now();
  for (size_t i = 0; i < count; ++i) (void)client->Create(api::kPods, pod);
  const double rate = static_cast<double>(count) / Since(start);
  client.reset();
  executor.Stop();
  return rate;
}

void CountWrites(const Rig& rig, double pods, benchmark::State& state) {
  const auto created = static_cast<double>(rig.counting->Count(kube::Verb::kCreate, "pods"));
  const auto events = static_cast<double>(rig.counting->Count(kube::Verb::kCreate, "events") +
                                          rig.counting->Count(kube::Verb::kPatch, "events"));
  const auto writes = static_cast<double>(rig.counting->Writes());
  state.counters["writes_per_pod_beyond_creation"] = (writes - created - events) / pods;
  state.counters["events_per_pod"] = events / pods;
}

void OneSet(benchmark::State& state) {
  constexpr size_t kPods = 1000;
  const double bare = BareRate(kPods);
  for (auto _ : state) {
    Rig rig;
    const double cpu = CpuSeconds();
    const SteadyTime start = std::chrono::steady_clock::now();
    (void)rig.client->Create(api::kPodCliqueSets, Set("a", 500, 2));
    bool done = Rig::Until([&] { return rig.Count(Any) == kPods; });
    const double created = Since(start);
    done &= Rig::Until([&] { return rig.Count(Ungated) == kPods; });
    state.counters["ungated_s"] = Since(start);
    done &= Rig::Until([&] { return rig.Count(Ready) == kPods; });
    state.counters["ready_s"] = Since(start);
    if (!done) state.SkipWithError("not all pods are ready after five minutes");
    rig.Rest();
    state.SetIterationTime(created);
    state.counters["created_per_s"] = kPods / created;
    state.counters["of_bare_loop"] = kPods / created / bare;
    state.counters["cpu_s"] = CpuSeconds() - cpu;
    state.counters["rss_mb"] = ResidentMegabytes();
    CountWrites(rig, kPods, state);
    if (state.iterations() == 0 && std::getenv("COPPICE_BENCH_VERBS") != nullptr) {
      std::cerr << rig.counting->ToString();
    }
    rig.counting->Reset();
    (void)rig.client->Patch(api::kPodCliqueSets, {"default", "a"}, kube::PatchType::kMerge,
                            *json::ParseYaml("{metadata: {annotations: "
                                             "{grove.io/reconcile-trigger: now}}}"));
    rig.Rest();
    state.counters["noop_writes"] = static_cast<double>(rig.counting->Writes());
  }
}

void Scaling(benchmark::State& state) {
  for (auto _ : state) {
    Rig rig;
    const SteadyTime start = std::chrono::steady_clock::now();
    (void)rig.client->Create(api::kPodCliqueSets, Set("a", 0, 2));
    for (const int replicas : {500, 250, 0}) {
      const SteadyTime step = std::chrono::steady_clock::now();
      (void)rig.client->Patch(api::kPodCliqueSets, {"default", "a"}, kube::PatchType::kMerge,
                              Value::Object({{"spec", Value::Object({{"replicas", replicas}})}}),
                              {.subresource = "scale"});
      const auto wanted = static_cast<size_t>(replicas) * 2;
      if (!Rig::Until([&] { return rig.Count(Ready) == wanted && rig.Count(Any) == wanted; })) {
        state.SkipWithError("does not arrive");
      }
      state.counters[fmt::format("to_{}_s", wanted)] = Since(step);
    }
    state.SetIterationTime(Since(start));
  }
}

void ManySets(benchmark::State& state) {
  const auto sets = static_cast<size_t>(state.range(0));
  for (auto _ : state) {
    Rig rig;
    const SteadyTime start = std::chrono::steady_clock::now();
    for (size_t i = 0; i < sets; ++i) {
      (void)rig.client->Create(api::kPodCliqueSets, Set(fmt::format("s{}", i), 1, 10));
    }
    if (!Rig::Until([&] { return rig.Count(Ready) == sets * 10; })) {
      state.SkipWithError("not all pods are ready after five minutes");
    }
    state.SetIterationTime(Since(start));
    state.counters["pods_per_s"] = static_cast<double>(sets) * 10 / Since(start);
    state.counters["rss_mb"] = ResidentMegabytes();
    rig.Rest();
    CountWrites(rig, static_cast<double>(sets) * 10, state);
  }
}

BENCHMARK(OneSet)->Iterations(1)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(Scaling)->Iterations(1)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(ManySets)->Arg(1000)->Iterations(1)->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace coppice::operators
