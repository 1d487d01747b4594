// What all services cost in a process of their own, against a server in another: memory at rest
// with many pods, and processor time while nothing happens. Run with ./dev bench e2e.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <functional>
#include <thread>

#include "api/grove/crds.h"
#include "api/kai/crds.h"
#include "api/well_known.h"
#include "base/log.h"
#include "json/yaml/yaml.h"
#include "kube/config/kubeconfig.h"
#include "kube/executor/thread_executor.h"
#include "kube/object.h"
#include "kube/transport/http_client.h"
#include "server/front/http_front.h"
#include "stack/bootstrap.h"
#include "stack/components.h"
#include "stack/stack.h"

namespace coppice::scenario {
namespace {

using json::Value;
using namespace std::chrono_literals;

constexpr int kNodes = 5000;
constexpr std::string_view kServices =
    "operator,admission,grouper,podgroups,queues,scheduler,binder";
// How the process of the services is told its server, and where to report.
constexpr const char* kServerVariable = "COPPICE_BENCH_SERVER";
constexpr const char* kReportVariable = "COPPICE_BENCH_REPORT_TO";

double ResidentMegabytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::stod(line.substr(6)) / 1024;
  }
  return 0;
}

int FromEnvironment(const char* name, int fallback) {
  const char* text = std::getenv(name);
  return text ? std::atoi(text) : fallback;
}

double ProcessorSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return t.tv_sec + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

Value RunningPod(int i, int gangs) {
  Value pod = *json::ParseYaml(R"({apiVersion: v1, kind: Pod, metadata: {namespace: default},
    spec: {schedulerName: kai-scheduler, containers: [{name: main, image: registry.example.com/train:1,
      args: [--workers, "8"], resources: {limits: {nvidia.com/gpu: "1", cpu: "2", memory: 4Gi},
        requests: {nvidia.com/gpu: "1", cpu: "2", memory: 4Gi}}}]},
    status: {phase: Running, conditions: [{type: Ready, status: "True"}]}})");
  pod.Mutable("metadata").Set("name", fmt::format("pod-{}", i));
  Value& metadata = pod.Mutable("metadata");
  metadata.Mutable("labels").Set("app", fmt::format("job-{}", i % gangs));
  metadata.Mutable("annotations").Set("pod-group-name", fmt::format("group-{}", i % gangs));
  metadata.Mutable("annotations").Set("received-resource-type", "Regular");
  pod.Mutable("spec").Set("nodeName", fmt::format("node-{}", i % kNodes));
  return pod;
}

base::Status Load(kube::Client& client, int pods) {
  const int gangs = std::max(1, pods / 100);
  for (int i = 0; i < gangs; ++i) {
    Value group = kube::NewObject(api::kPodGroups, "default", fmt::format("group-{}", i));
    group.Mutable("spec").Set("minMember", 1).Set("queue", "default-queue");
    COPPICE_TRY(client.Create(api::kPodGroups, group));
  }
  for (int i = 0; i < pods; ++i) {
    const Value pod = RunningPod(i, gangs);
    COPPICE_TRY(client.Create(api::kPods, pod));
    COPPICE_TRY(client.Patch(api::kPods, kube::KeyOf(pod), kube::PatchType::kMerge,
                             Value::Object({{"status", pod["status"]}}),
                             {.subresource = "status"}));
  }
  return {};
}

// The server's process: never returns.
[[noreturn]] void Serve(int pods, const std::string& kubeconfig, int ready) {
  kube::ThreadExecutor executor;
  stack::StackOptions options;
  options.shape.pools = {{.count = kNodes, .gpus = 32, .cpu = "512", .memory = "4Ti"}};
  auto stack = stack::Stack::Make(executor, std::move(options));
  base::Status status = stack ? Load((*stack)->client(), pods) : base::Status(stack.error());
  auto front = status ? server::HttpFront::Start((*stack)->server(), executor, {}) : status.error();
  if (status && front) status = (*front)->WriteKubeconfig(kubeconfig);
  if (!status || !front) {
    fmt::print(stderr, "server: {}\n", status ? front.error().message() : status.error().message());
    _exit(1);
  }
  (*front)->SetReady(true);
  [[maybe_unused]] const auto written = write(ready, "r", 1);
  for (;;) pause();
}

// A child that ends with this object. `run` gets the end of a pipe to write to.
class Process {
 public:
  explicit Process(const std::function<void(int write_to)>& run) {
    int ends[2];
    if (pipe(ends) != 0) return;
    child_ = fork();
    if (child_ == 0) {
      close(ends[0]);
      run(ends[1]);
      _exit(1);
    }
    close(ends[1]);
    read_from_ = ends[0];
  }
  ~Process() {
    if (child_ <= 0) return;
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
    close(read_from_);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // True when the child wrote as much before it ended.
  bool Read(void* bytes, size_t count) const {
    return child_ > 0 && read(read_from_, bytes, count) == static_cast<ssize_t>(count);
  }

 private:
  pid_t child_ = -1;
  int read_from_ = -1;
};

// What the process of the services is found to take.
struct Footprint {
  double resident_megabytes = 0;
  double idle_percent = 0;
};

base::Result<Footprint> MeasureServices(const std::string& kubeconfig) {
  kube::ThreadExecutor executor;
  COPPICE_ASSIGN(auto config, kube::LoadClusterConfig({.path = kubeconfig}, executor.clock()));
  COPPICE_ASSIGN(const auto client,
                 kube::MakeHttpClient(std::move(config), executor,
                                      {.drop_managed_fields = true, .share_equal_parts = true}));
  const auto manager = kube::Manager::Make(*client, executor, {.share_equal_parts = true});
  stack::ComponentContext context{.manager = *manager,
                                  .operator_config = stack::DefaultOperatorConfig()};
  const char* services = std::getenv("COPPICE_BENCH_SERVICES");
  COPPICE_ASSIGN(const auto components, stack::ParseComponents(services ? services : kServices));
  COPPICE_TRY(stack::AddComponents(components, context));
  manager->Start();
  while (!manager->Synced() || !manager->Idle()) std::this_thread::sleep_for(100ms);
  std::this_thread::sleep_for(10s);
  Footprint footprint{.resident_megabytes = ResidentMegabytes()};
  const std::chrono::seconds idle(FromEnvironment("COPPICE_BENCH_IDLE_SECONDS", 60));
  const double before = ProcessorSeconds();
  std::this_thread::sleep_for(idle);
  footprint.idle_percent = (ProcessorSeconds() - before) / static_cast<double>(idle.count()) * 100;
  manager->Stop();
  return footprint;
}

// This program once more, from its beginning: what an earlier benchmark left in this process' heap
// is not the services'.
void ExecServices(const std::string& kubeconfig, int write_to) {
  setenv(kServerVariable, kubeconfig.c_str(), 1);
  setenv(kReportVariable, std::to_string(write_to).c_str(), 1);
  // What a benchmark prints is the parent's to say.
  if (std::freopen("/dev/null", "w", stdout) == nullptr) return;
  execl("/proc/self/exe", "services", "--benchmark_filter=AllServices", "--benchmark_format=json",
        nullptr);
}

// In the process that ExecServices starts.
[[noreturn]] void RunServices(const std::string& kubeconfig) {
  const auto footprint = MeasureServices(kubeconfig);
  if (!footprint) {
    fmt::print(stderr, "services: {}\n", footprint.error().message());
    _exit(1);
  }
  const auto written = write(FromEnvironment(kReportVariable, -1), &*footprint, sizeof *footprint);
  _exit(written == sizeof *footprint ? 0 : 1);
}

void AllServices(benchmark::State& state) {
  base::SetLogLevel(base::LogLevel::kError);
  if (const char* kubeconfig = std::getenv(kServerVariable)) RunServices(kubeconfig);
  const std::string kubeconfig = fmt::format("/tmp/coppice-bench-{}.kubeconfig", getpid());
  const int pods = FromEnvironment("COPPICE_BENCH_PODS", static_cast<int>(state.range(0)));
  for (auto _ : state) {
    const Process server([&](int ready) { Serve(pods, kubeconfig, ready); });
    char ready = 0;
    if (!server.Read(&ready, 1)) return state.SkipWithError("the server did not start");
    const Process services([&](int write_to) { ExecServices(kubeconfig, write_to); });
    Footprint footprint;
    if (!services.Read(&footprint, sizeof footprint)) state.SkipWithError("the services failed");
    state.counters["resident_MB"] = footprint.resident_megabytes;
    state.counters["idle_cpu_%"] = footprint.idle_percent;
    unlink(kubeconfig.c_str());
  }
}
BENCHMARK(AllServices)->Arg(100000)->Iterations(1)->UseRealTime()->Unit(benchmark::kSecond);

}  // namespace
}  // namespace coppice::scenario
