#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "json/parse.h"
#include "json/patch/patch.h"
#include "json/write.h"
#include "json/yaml/yaml.h"

namespace coppice::json {
namespace {

// A pod as clusters have them: about 5.7 KB, half of it managedFields.
std::string PodText() {
  Value container = *Parse(R"({"name":"main","image":"registry.example/inference:1.2.3",
      "command":["/bin/server","--port=8080","--model=/models/large"],
      "resources":{"limits":{"cpu":"8","memory":"64Gi","nvidia.com/gpu":"1"},
                   "requests":{"cpu":"8","memory":"64Gi","nvidia.com/gpu":"1"}},
      "livenessProbe":{"httpGet":{"path":"/healthz","port":8080},"periodSeconds":10},
      "volumeMounts":[{"name":"models","mountPath":"/models","readOnly":true}]})");
  for (int i = 0; i < 12; ++i) {
    container.Mutable("env").Append(
        Value::Object({{"name", fmt::format("VARIABLE_{}", i)}, {"value", "some value"}}));
  }
  Value pod = *Parse(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"frontend-0-abcde",
      "namespace":"default","uid":"0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0","resourceVersion":"12345",
      "creationTimestamp":"2026-01-01T00:00:00Z","labels":{"app":"frontend","grove.io/podgang":"g"},
      "ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"frontend",
        "uid":"1f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0","controller":true}]},
      "spec":{"nodeName":"node-17","schedulerName":"default-scheduler","tolerations":[
        {"key":"nvidia.com/gpu","operator":"Exists","effect":"NoSchedule"}],
        "volumes":[{"name":"models","persistentVolumeClaim":{"claimName":"models"}}]},
      "status":{"phase":"Running","podIP":"10.1.2.3","conditions":[
        {"type":"Ready","status":"True","lastTransitionTime":"2026-01-01T00:00:10Z"}]}})");
  pod.Mutable("spec").Mutable("containers").Append(container);
  Value fields = Value::Object();
  for (int i = 0; i < 60; ++i) {
    fields.Mutable("f:spec")
        .Mutable("f:containers")
        .Set(fmt::format("f:some-field-{}", i), Value::Object());
  }
  pod.Mutable("metadata")
      .Mutable("managedFields")
      .Append(
          Value::Object({{"manager", "kubelet"}, {"operation", "Update"}, {"fieldsV1", fields}}));
  return Write(pod);
}

void BM_ParsePod(benchmark::State& state) {
  const std::string text = PodText();
  for (auto _ : state) benchmark::DoNotOptimize(Parse(text));
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * text.size()));
}
BENCHMARK(BM_ParsePod);

void BM_ParsePodWithoutManagedFields(benchmark::State& state) {
  const std::string text = PodText();
  for (auto _ : state) benchmark::DoNotOptimize(Parse(text, {.drop_managed_fields = true}));
}
BENCHMARK(BM_ParsePodWithoutManagedFields);

void BM_WritePod(benchmark::State& state) {
  const Value pod = *Parse(PodText());
  for (auto _ : state) benchmark::DoNotOptimize(Write(pod));
}
BENCHMARK(BM_WritePod);

void BM_CopyAndChangePod(benchmark::State& state) {
  const Value pod = *Parse(PodText());
  for (auto _ : state) {
    Value copy = pod;
    copy.Mutable("metadata").Mutable("labels").Set("app", "other");
    benchmark::DoNotOptimize(copy);
  }
}
BENCHMARK(BM_CopyAndChangePod);

void BM_ReadFields(benchmark::State& state) {
  const Value pod = *Parse(PodText());
  for (auto _ : state) {
    benchmark::DoNotOptimize(pod["spec"]["nodeName"].AsString());
    benchmark::DoNotOptimize(pod["metadata"]["labels"]["grove.io/podgang"].AsString());
  }
}
BENCHMARK(BM_ReadFields);

void BM_MergePatchPod(benchmark::State& state) {
  const Value pod = *Parse(PodText());
  const Value patch = *Parse(R"({"status":{"phase":"Failed","reason":"Evicted"}})");
  for (auto _ : state) benchmark::DoNotOptimize(ApplyMergePatch(pod, patch));
}
BENCHMARK(BM_MergePatchPod);

void BM_ParseYamlPod(benchmark::State& state) {
  const std::string text = WriteYaml(*Parse(PodText()));
  for (auto _ : state) benchmark::DoNotOptimize(ParseYaml(text));
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * text.size()));
}
BENCHMARK(BM_ParseYamlPod);

void BM_WriteYamlPod(benchmark::State& state) {
  const Value pod = *Parse(PodText());
  for (auto _ : state) benchmark::DoNotOptimize(WriteYaml(pod));
}
BENCHMARK(BM_WriteYamlPod);

}  // namespace
}  // namespace coppice::json
