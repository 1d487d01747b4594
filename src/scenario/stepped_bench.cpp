// The whole product on one thread and a virtual clock: its instructions repeat from run to run.
// docs/notes/benchmarks.md shows how to count them.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "api/well_known.h"
#include "base/log.h"
#include "json/yaml/yaml.h"
#include "kube/executor/stepper.h"
#include "scenario/shorthand.h"
#include "server/core/core.h"
#include "stack/stack.h"

namespace coppice::scenario {
namespace {

using json::Value;

// Everything runs, and nothing has arrived yet.
class SteppedStack {
 public:
  explicit SteppedStack(int nodes) {
    base::SetLogLevel(base::LogLevel::kError);
    stack::StackOptions options;
    options.shape.pools = {{.count = nodes, .gpus = 8}};
    options.components = *stack::ParseComponents("all");
    options.seed = 7;
    stack_ = *stack::Stack::Make(stepper_, std::move(options));
    const auto queues =
        ExpandObjects(*json::ParseYaml("{queues: [{name: top}, {name: high, parent: top}]}"));
    for (const Value& queue : *queues) {
      (void)client().Create(*api::FindResource(queue["kind"].AsString(), ""), queue);
    }
    stack_->Start().ok();
    stepper_.RunFor(std::chrono::seconds(30));
  }
  ~SteppedStack() { stack_->Stop(); }

  kube::Client& client() { return stack_->client(); }
  kube::Stepper& stepper() { return stepper_; }
  int64_t revision() { return stack_->server().core().store().revision(); }

  size_t Bound() {
    size_t bound = 0;
    const auto pods = client().List(api::kPods);
    for (const Value& pod : pods->items) {
      bound += !pod["spec"]["nodeName"].AsString().empty();
    }
    return bound;
  }

 private:
  kube::Stepper stepper_{0};
  std::unique_ptr<stack::Stack> stack_;
};

// Until every status and event is written. Callgrind counts what happens in here.
[[gnu::noinline]] void CountedWork(SteppedStack& stack, const std::vector<Value>& objects) {
  for (const Value& object : objects) {
    (void)stack.client().Create(*api::FindResource(object["kind"].AsString(), ""), object);
  }
  stack.stepper().RunFor(std::chrono::seconds(60));
}

void Measure(benchmark::State& state, SteppedStack& stack, const std::vector<Value>& objects) {
  const int64_t before = stack.revision();
  CountedWork(stack, objects);
  state.counters["writes"] = static_cast<double>(stack.revision() - before);
  state.counters["bound"] = static_cast<double>(stack.Bound());
}

// range(0) nodes of eight GPUs, filled by one-GPU Jobs.
void SteppedJobs(benchmark::State& state) {
  for (auto _ : state) {
    SteppedStack stack(static_cast<int>(state.range(0)));
    std::vector<Value> jobs;
    for (int64_t i = 0; i < state.range(0) * 8; ++i) {
      jobs.push_back(*json::ParseYaml(fmt::format(
          R"({{apiVersion: batch/v1, kind: Job, metadata: {{name: job-{}, namespace: default, labels: {{kai.scheduler/queue: high}}}},
              spec: {{parallelism: 1, completions: 1, template: {{metadata: {{labels: {{kai.scheduler/queue: high}}}},
                spec: {{schedulerName: kai-scheduler, restartPolicy: Never, containers: [{{name: main, image: i,
                  resources: {{limits: {{nvidia.com/gpu: "1"}}}}}}]}}}}}}}})",
          i)));
    }
    Measure(state, stack, jobs);
  }
}
BENCHMARK(SteppedJobs)->Arg(50)->Iterations(1)->Unit(benchmark::kMillisecond);

// A PodCliqueSet whose one clique has range(0) pods, all or nothing.
void SteppedGang(benchmark::State& state) {
  for (auto _ : state) {
    SteppedStack stack(static_cast<int>(state.range(0) / 8));
    Measure(state, stack,
            {*json::ParseYaml(fmt::format(R"(
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata: {{name: gang, namespace: default, labels: {{kai.scheduler/queue: high}}}}
spec:
  replicas: 1
  template:
    cliques:
    - name: worker
      spec: {{roleName: worker, replicas: {0}, minAvailable: {0}, podSpec: {{schedulerName: kai-scheduler, containers: [{{name: main, image: i, resources: {{limits: {{nvidia.com/gpu: "1"}}}}}}]}}}}
)",
                                          state.range(0)))});
  }
}
BENCHMARK(SteppedGang)->Arg(512)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace coppice::scenario
