#include "cli/demo.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <optional>

#include "api/grove/pod_gang.h"
#include "api/labels.h"
#include "api/view/answers.h"
#include "api/view/core.h"
#include "api/view/grove.h"
#include "api/well_known.h"
#include "cli/common/wait.h"
#include "cli/demo_objects.h"
#include "cli/show/queue_view.h"
#include "cli/show/tree_view.h"
#include "cli/text/terminal.h"
#include "cli/why/why.h"
#include "cli/why/why_format.h"
#include "cli/why/why_picture.h"
#include "json/yaml/yaml.h"
#include "kube/executor/thread_executor.h"
#include "kube/object.h"
#include "scenario/shorthand.h"
#include "server/front/http_front.h"
#include "services/common/names.h"
#include "stack/components.h"
#include "stack/stack.h"

namespace coppice::cli {
namespace {

using json::Value;

constexpr base::Duration kPatience = std::chrono::seconds(20);

// Eight nodes with eight GPUs each, two nodes per rack, two racks per block.
sim::ClusterShape Shape() {
  sim::ClusterShape shape;
  shape.levels = *sim::ParseTopology("2x2");
  shape.pools = {{.count = 8, .gpus = 8}};
  return shape;
}

class Demo {
 public:
  explicit Demo(const DemoOptions& options) : options_(options) {}

  int Run() {
    BlockSignals();
    if (const base::Status started = Start(); !started) {
      fmt::print(stderr, "demo: {}\n", started.error().message());
      return 1;
    }
    const bool ok = Show();
    if (!options_.exit) Linger();
    stack_->Stop();
    return ok ? 0 : 1;
  }

 private:
  base::Status Start() {
    stack::StackOptions stack;
    stack.shape = Shape();
    COPPICE_ASSIGN(stack.components, stack::ParseComponents("all"));
    COPPICE_ASSIGN(stack_, stack::Stack::Make(executor_, std::move(stack)));
    COPPICE_TRY(stack_->Start());
    COPPICE_TRY(CreateQueues());
    fmt::print(
        "{}\n\n",
        WrapText("8 simulated nodes × 8 GPUs, two nodes to a rack; queues serving (quota 32), "
                 "training (quota 32), research (quota 0)",
                 StandardOutput().width, 0));
    return {};
  }

  bool Show() {
    bool ok = Act(
        "1. A disaggregated inference set, every role group within one rack", demo::kInference,
        [this] { return ReadyPods("chat") == 10 && Available("chat"); }, "");
    ok &= Act("2. Research fills what is idle, over its quota", demo::kResearch,
              [this] { return GroupPods("research") == 42; });
    ok &= Act(
        "3. A training gang takes its quota back from research",
        demo::TrainingGang({.name = "pretrain", .workers = 4, .priority = "build"}),
        [this] { return ReadyPods("pretrain") == 4 && Available("pretrain"); }, "");
    ok &= PrintQueues();
    ok &= Act(
        "4. A gang that no rack can hold, and why",
        demo::TrainingGang({.name = "too-big", .workers = 3, .one_rack = true}),
        [this] { return ReasonFor("too-big-0").find(sim::kRackLabel) != std::string::npos; },
        "too-big");
    ok &= ExplainImpossible();
    std::fflush(stdout);
    return ok;
  }

  bool ExplainImpossible() {
    const auto answer = ReadWhy(stack_->client(), executor_, "default", "set/too-big");
    if (!answer || answer->empty()) return false;
    fmt::print("{}\n", FormatWhy(*answer, StandardOutput().width));
    return view::answers::Explanation(answer->At(0)).verdict() == "Never";
  }

  // Then shows the tree of one set, or of all with "".
  bool Act(std::string_view title, std::string_view yaml, std::function<bool()> done,
           std::optional<std::string> shown = {}) {
    fmt::print("{}\n", title);
    const base::Instant begun = executor_.Elapsed();
    if (const base::Status status = Submit(yaml); !status) {
      fmt::print("   refused: {}\n\n", status.error().message());
      return false;
    }
    const bool ok = WaitUntil(executor_, kPatience, std::move(done));
    const auto took =
        std::chrono::duration_cast<std::chrono::milliseconds>(executor_.Elapsed() - begun);
    fmt::print("   {} after {} ms\n\n", ok ? "done" : "NOT DONE", took.count());
    if (shown || !ok) PrintTree(shown.value_or(""));
    return ok;
  }

  base::Status CreateQueues() {
    COPPICE_ASSIGN(const Value document, json::ParseYaml(demo::kQueues));
    COPPICE_ASSIGN(const auto queues, scenario::ExpandObjects(document));
    for (const Value& queue : queues) COPPICE_TRY(stack_->client().Create(api::kQueues, queue));
    return {};
  }

  base::Status Submit(std::string_view yaml) {
    COPPICE_ASSIGN(const auto documents, json::ParseYamlDocuments(yaml));
    for (const Value& object : documents) {
      const auto resource = api::FindResource(kube::Kind(object), kube::ApiVersion(object));
      COPPICE_TRY(stack_->client().Create(*resource, object));
    }
    return {};
  }

  std::vector<Value> PodsWith(std::string_view label, const std::string& value) {
    auto list = stack_->client().List(
        api::kPods, {.ns = "default", .label_selector = fmt::format("{}={}", label, value)});
    return list ? std::move(list->items) : std::vector<Value>();
  }

  int ReadyPods(const std::string& set) {
    int ready = 0;
    for (const Value& pod : PodsWith(api::labels::kPartOf, set)) {
      ready += kube::ConditionIs(pod, "Ready", "True") ? 1 : 0;
    }
    return ready;
  }

  int GroupPods(const std::string& queue) {
    int running = 0;
    for (const Value& pod : PodsWith(services::names::kQueueLabel, queue)) {
      running += view::core::Pod(pod).status().phase() == "Running" ? 1 : 0;
    }
    return running;
  }

  std::string ReasonFor(const std::string& gang) {
    const auto object = stack_->client().Get(api::kPodGangs, {"default", gang});
    if (!object) return "";
    const view::meta::Condition scheduled(kube::Condition(*object, api::grove::kGangScheduled));
    return std::string(scheduled.status() == "False" ? scheduled.message() : "");
  }

  bool Available(const std::string& set) {
    const auto object = stack_->client().Get(api::kPodCliqueSets, {"default", set});
    return object && view::grove::PodCliqueSet(*object).status().availableReplicas() > 0;
  }

  void PrintTree(const std::string& set) {
    const auto tree = ReadTree(stack_->client(), {.ns = "default", .name = set});
    if (tree)
      fmt::print("{}\n", FormatTree(*tree, {.terminal = StandardOutput(), .now = executor_.Now()}));
  }

  // The status of queues is written a moment after the pods run.
  bool HoldsGpus(std::string_view queue, double gpus) {
    const auto queues = ReadQueues(stack_->client());
    if (!queues) return false;
    for (const Value& each : queues->Items()) {
      const view::answers::Queue shown(each);
      if (shown.name() == queue) return shown.gpu().allocated() == gpus;
    }
    return false;
  }

  // After the reclaim: training has its quota, and research holds what is left over.
  bool PrintQueues() {
    constexpr double kTrainingGpus = 32, kLeftForResearch = 10, kAllGpus = 64;
    WaitUntil(executor_, kPatience, [this] {
      return HoldsGpus("training", kTrainingGpus) && HoldsGpus("research", kLeftForResearch) &&
             HoldsGpus("company", kAllGpus);
    });
    Pictures pictures(stack_->client(), executor_, [this](const std::function<bool()>& done) {
      return WaitUntil(executor_, kPatience, done);
    });
    const auto queues = ReadQueues(stack_->client(),
                                   [&](const std::string& pool) { return pictures.Shares(pool); });
    if (queues) fmt::print("{}\n", FormatQueues(*queues, {.terminal = StandardOutput()}));
    return queues.ok();
  }

  // Serves the API until Ctrl-C, so that users can look around.
  void Linger() {
    const auto front = server::HttpFront::Start(stack_->server(), executor_, {});
    if (front && (*front)->WriteKubeconfig(options_.kubeconfig)) {
      (*front)->SetReady(true);
      fmt::print("Look around, in another terminal:\n");
      fmt::print("  export KUBECONFIG={}\n",
                 std::filesystem::absolute(options_.kubeconfig).string());
      fmt::print("  kubectl get podcliquesets,podgangs,podgroups,pods -o wide\n");
      fmt::print(
          "  coppice tree    coppice queues    coppice top    coppice why    coppice why "
          "too-big\n");
    }
    fmt::print("Ctrl-C ends it.\n");
    std::fflush(stdout);
    WaitForSignal();
    if (front) (*front)->Stop();
  }

  DemoOptions options_;
  kube::ThreadExecutor executor_{stack::StackThreads()};
  std::unique_ptr<stack::Stack> stack_;
};

}  // namespace

int RunDemo(const DemoOptions& options) { return Demo(options).Run(); }

}  // namespace coppice::cli
