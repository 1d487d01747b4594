#include <benchmark/benchmark.h>

#include "cel/device.h"
#include "cel/program.h"

namespace coppice::cel {
namespace {

constexpr std::string_view kSelector =
    "device.driver == 'gpu.example.com' && "
    "device.attributes['gpu.example.com'].model == 'h200' && "
    "device.capacity['gpu.example.com'].memory.compareTo(quantity('80Gi')) >= 0";

void BM_CompileDeviceSelector(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(DeviceSelector::Compile(kSelector));
}
BENCHMARK(BM_CompileDeviceSelector);

void BM_MatchDevice(benchmark::State& state) {
  Device device;
  device.driver = "gpu.example.com";
  device.attributes = {{"model", Value("h200")}};
  device.capacity = {{"memory", *base::Quantity::Parse("141Gi")}};
  const Value value = DeviceValue(device);
  const auto selector = DeviceSelector::Compile(kSelector);
  for (auto _ : state) benchmark::DoNotOptimize(selector->Matches(value));
}
BENCHMARK(BM_MatchDevice);

void BM_UniqueLevels(benchmark::State& state) {
  std::vector<Value> levels;
  for (int i = 0; i < 16; ++i) {
    levels.push_back(Value::MakeMap({{"nodeLabel", "level-" + std::to_string(i)}}));
  }
  const Value self = Value::MakeList(std::move(levels));
  const auto rule = Program::Compile(
      "size(self.filter(i, size(self.filter(j, j.nodeLabel == i.nodeLabel)) > 1)) == 0", {"self"});
  for (auto _ : state) benchmark::DoNotOptimize(rule->Evaluate({&self, 1}));
}
BENCHMARK(BM_UniqueLevels);

}  // namespace
}  // namespace coppice::cel
