// Every backend with 1,000 gangs: the time to translate them, to prepare a pod, and to hand them
// all to a server with the scheduler's real CRDs; API writes per gang, and on a second reconcile.
#include <benchmark/benchmark.h>

#include "backends/framework/registry.h"
#include "backends/gangs/cache_view.h"
#include "backends/gangs/gang_builder.h"
#include "backends/gangs/translate.h"
#include "backends/tests/world_testing.h"
#include "backends/tools/render.h"
#include "json/yaml/yaml.h"

namespace coppice::backends {
namespace {

using json::Value;

constexpr int kGangs = 1000;

Value Set() {
  return *json::ParseYaml(R"(
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata: {name: llm, namespace: ai, labels: {kai.scheduler/queue: team-a}}
spec:
  replicas: 1000
  template:
    cliques:
    - {name: fe, spec: {roleName: fe, replicas: 3, minAvailable: 2, podSpec: {containers: [{name: main, image: f, resources: {requests: {cpu: "2", memory: 4Gi}}}]}}}
    - {name: wk, spec: {roleName: wk, replicas: 4, podSpec: {containers: [{name: main, image: w, resources: {requests: {cpu: "8", memory: 64Gi}}}]}}}
    podCliqueScalingGroups: [{name: pf, cliqueNames: [wk], replicas: 1}]
)");
}

std::vector<GangInput> Inputs(const BackendSet& backends, const Profile& profile) {
  std::vector<GangInput> inputs;
  const auto capabilities = std::make_shared<Capabilities>(OfflineCapabilities(backends, "1.36"));
  const auto view = std::make_shared<FixedView>(std::vector<Value>{});
  const Value set = Set();
  for (PodGangInfo& gang : BuildGangs(set, {})) {
    gang.uid = "11111111-1111-4111-8111-111111111111";
    GangInput input;
    input.gang = std::move(gang);
    input.set = set;
    input.capabilities = capabilities;
    input.cluster = view;
    input.profile = profile;
    inputs.push_back(std::move(input));
  }
  return inputs;
}

void Translate(benchmark::State& state, const std::string& id) {
  const auto backends = *BackendSet::Make(AllBackends());
  const BackendInstance* instance = backends->ByName(id);
  const std::vector<GangInput> inputs = Inputs(*backends, instance->profile);
  size_t objects = 0;
  for (auto _ : state) {
    objects = 0;
    for (const GangInput& input : inputs) {
      objects += TranslateGang(*instance->backend, input).objects.size();
    }
  }
  state.SetItemsProcessed(state.iterations() * kGangs);
  state.counters["objects_per_gang"] = static_cast<double>(objects) / kGangs;
}

void PreparePods(benchmark::State& state, const std::string& id) {
  const auto backends = *BackendSet::Make(AllBackends());
  const BackendInstance* instance = backends->ByName(id);
  const GangInput input = Inputs(*backends, instance->profile).front();
  const Value pod = *json::ParseYaml("{spec: {containers: [{name: main, image: w}]}}");
  for (auto _ : state) {
    Value prepared = pod;
    benchmark::DoNotOptimize(
        PrepareGangPod(*instance->backend, input, {input.gang.pod_groups[0].name, 0}, prepared));
  }
}

struct Target {
  std::string name;
  std::string scheduler;
  std::vector<std::string> projects;
  std::string options = "";
  std::string kubernetes = "1.35";
};

std::string ConfigOf(const Target& target) {
  return "{scheduler: {profiles: [{name: " + target.scheduler + ", config: {" + target.options +
         "}}]}}";
}

void OpenDefaultQueue(World& world) {
  world.Create(
      Yaml("{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: default}}"));
  world.SetStatus({"scheduling.volcano.sh", "v1beta1", "queues", "Queue", false}, "", "default",
                  Yaml("{state: Open}"));
  world.Settle();
}

void CreateGangs(World& world, const Target& target) {
  for (int i = 0; i < kGangs; ++i) {
    const std::string name = "g-" + std::to_string(i);
    Value gang = ExampleGang(target.scheduler);
    gang.Mutable("metadata").Set("name", name);
    gang.Mutable("metadata").Mutable("labels").Set("kueue.x-k8s.io/queue-name", "team-a");
    gang.Mutable("metadata").Mutable("annotations").Set("kai.scheduler/skip-podgrouper", "true");
    gang.Mutable("spec").Erase("topologyConstraint");
    gang.Mutable("spec").Mutable("podgroups").MutableAt(1).Erase("topologyConstraint");
    world.CreateGang(gang);
    world.Initialize("ai", name);
  }
}

// The work of the backend's controller for all gangs, including the server's: everything runs on
// this thread, and nothing runs before the clock starts.
void HandOver(benchmark::State& state, const Target& target) {
  std::vector<std::string> projects = {"grove"};
  projects.insert(projects.end(), target.projects.begin(), target.projects.end());
  for (auto _ : state) {
    state.PauseTiming();
    World world({.kubernetes_version = target.kubernetes,
                 .projects = projects,
                 .config = ConfigOf(target)});
    if (target.scheduler == "volcano") OpenDefaultQueue(world);
    CreateGangs(world, target);
    const int64_t before = world.writes();
    state.ResumeTiming();
    world.RunFor(std::chrono::seconds(10));
    state.PauseTiming();
    const int64_t after = world.writes();
    const std::string id(world.backends->current()->instances().front().backend->name());
    for (int i = 0; i < kGangs; ++i) {
      world.manager->Enqueue("backend-" + id, {"ai", "g-" + std::to_string(i)});
    }
    world.RunFor(std::chrono::minutes(1));
    state.counters["writes_per_gang"] = static_cast<double>(after - before) / kGangs;
    state.counters["noop_writes"] = static_cast<double>(world.writes() - after);
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * kGangs);
}

const std::vector<Target> kTargets = {
    {"default-1.35", "default-scheduler", {}},
    {"default-1.36", "default-scheduler", {}, "", "1.36"},
    {"default-1.37", "default-scheduler", {}, "", "1.37"},
    {"kai", "kai-scheduler", {"kai"}},
    {"podgang", "grove-scheduler", {}},
    {"koordinator", "koord-scheduler", {"koordinator"}},
    {"volcano", "volcano", {"volcano"}},
    {"yunikorn", "yunikorn", {}},
    {"scheduler-plugins", "scheduler-plugins-scheduler", {"scheduler-plugins"}},
    {"kai+kueue", "kai-scheduler", {"kai", "kueue"}, "admission: kueue"}};

const bool kRegistered = [] {
  for (const Target& target : kTargets) {
    benchmark::RegisterBenchmark(("HandOver1000/" + target.name).c_str(), &HandOver, target)
        ->Unit(benchmark::kMillisecond)
        ->Iterations(1);
  }
  for (const std::string id :
       {"default", "kai", "podgang", "koordinator", "volcano", "yunikorn", "scheduler-plugins"}) {
    benchmark::RegisterBenchmark(("Translate1000/" + id).c_str(), &Translate, id)
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(("PreparePod/" + id).c_str(), &PreparePods, id)
        ->Unit(benchmark::kMicrosecond);
  }
  return true;
}();

}  // namespace
}  // namespace coppice::backends
