#include <benchmark/benchmark.h>

#include "api/schema/builtin.h"
#include "api/schema/decode.h"
#include "api/schema/model/schema_document.h"
#include "api/schema/prune.h"
#include "api/schema/publish.h"
#include "api/schema/validate/validate.h"
#include "json/parse.h"

namespace coppice::api {
namespace {

json::Value Pod() {
  return *json::Parse(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"b",
      "labels":{"app":"a"}},"spec":{"containers":[{"name":"c","image":"i","env":[{"name":"A",
      "value":"1"},{"name":"B","value":"2"}],"resources":{"limits":{"cpu":"8","memory":"64Gi",
      "nvidia.com/gpu":1}}}],"tolerations":[{"operator":"Exists"}],"nodeSelector":{"zone":"a"}}})");
}

void BM_DecodePod(benchmark::State& state) {
  const Schema* schema = BuiltinTypes::For(35).FindKind("v1", "Pod");
  const json::Value pod = Pod();
  for (auto _ : state) benchmark::DoNotOptimize(DecodeBuiltin(*schema, pod));
}
BENCHMARK(BM_DecodePod);

// A custom resource that embeds a pod spec: pruned, defaulted and validated, as on every write.
void BM_WriteCustomObject(benchmark::State& state) {
  json::Value openapi = *json::Parse(R"({"type":"object","properties":{}})");
  openapi.Mutable("properties").Set("spec", BuiltinSchema("core/v1 PodSpec"));
  const auto document = SchemaDocument::Parse(openapi);
  const Schema& schema = (*document)->root();
  const json::Value object = Pod();
  for (auto _ : state) {
    const json::Value prepared = ApplyDefaults(schema, Prune(schema, object));
    benchmark::DoNotOptimize(ValidateObject(schema, prepared));
  }
}
BENCHMARK(BM_WriteCustomObject);

void BM_ParseSchema(benchmark::State& state) {
  json::Value openapi = *json::Parse(R"({"type":"object","properties":{}})");
  openapi.Mutable("properties").Set("spec", BuiltinSchema("core/v1 PodSpec"));
  for (auto _ : state) benchmark::DoNotOptimize(SchemaDocument::Parse(openapi));
}
BENCHMARK(BM_ParseSchema);

void BM_PublishOpenApi(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(OpenApiComponents(BuiltinTypes::For(35), "v1"));
}
BENCHMARK(BM_PublishOpenApi);

}  // namespace
}  // namespace coppice::api
