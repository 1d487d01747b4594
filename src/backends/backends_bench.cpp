// Translation time per gang, for every backend: `backends_bench`. Writes per gang at 1,000 gangs
// and the zero writes of a second look are counted by ManyGangs tests and by `./dev bench`.
#include <benchmark/benchmark.h>

#include "backends/cache_view.h"
#include "backends/gang_builder.h"
#include "backends/registry.h"
#include "backends/render.h"
#include "backends/translate.h"
#include "json/yaml.h"

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
  const auto capabilities =
      std::make_shared<Capabilities>(OfflineCapabilities(backends, "1.36"));
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
  state.counters["writes_per_gang"] = static_cast<double>(objects) / kGangs;
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

const bool kRegistered = [] {
  for (const std::string id : {"default", "kai", "podgang", "koordinator", "volcano", "yunikorn",
                               "scheduler-plugins"}) {
    benchmark::RegisterBenchmark(("Translate1000/" + id).c_str(), &Translate, id)
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(("PreparePod/" + id).c_str(), &PreparePods, id)
        ->Unit(benchmark::kMicrosecond);
  }
  return true;
}();

}  // namespace
}  // namespace coppice::backends
