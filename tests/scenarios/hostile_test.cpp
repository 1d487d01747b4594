// One user writes whatever the API server takes; another one's work must run all the same, and the
// components must come to rest.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "api/well_known.h"
#include "hostile_testing.h"
#include "json/yaml/yaml.h"
#include "kube/client/counting_client.h"
#include "kube/executor/stepper.h"
#include "kube/object.h"
#include "scenario/shorthand.h"
#include "stack/stack.h"

namespace coppice {
namespace {

using json::Value;

constexpr int kRounds = 3;
constexpr int kDeedsPerRound = 12;
constexpr int64_t kWritesPerBind = 20;
constexpr uint64_t kMostSteps = 300'000;  // Of a run, all components together.

Value Yaml(const std::string& text) { return *json::ParseYaml(text); }

class HostileRun {
 public:
  explicit HostileRun(uint64_t seed) : seed_(seed), stepper_(seed) {}

  base::Status Go() {
    COPPICE_TRY(Prepare());
    HostileUser mallory(stack_->client(), seed_);
    base::Status status = Work(mallory);
    if (status) return {};
    return base::Internal(fmt::format("seed {}: {}\nwarnings:\n{}what was taken:\n{}", seed_,
                                      status.error().message(), Warnings(), mallory.Taken()));
  }

 private:
  base::Status Prepare() {
    stack::StackOptions options;
    COPPICE_ASSIGN(options.shape,
                   sim::ReadClusterShape(Yaml("{topology: '2', pools: [{count: 4, gpus: 8}, "
                                              "{prefix: dra-, count: 2, devices: {count: 4}}]}")));
    COPPICE_ASSIGN(options.components, stack::ParseComponents("all"));
    options.seed = seed_;
    options.decorate = [this](kube::Client& server) {
      auto counting = std::make_unique<kube::CountingClient>(server);
      counting_ = counting.get();
      return counting;
    };
    COPPICE_ASSIGN(stack_, stack::Stack::Make(stepper_, std::move(options)));
    COPPICE_TRY(stack_->Start());
    COPPICE_TRY(
        Apply("queues: [{name: top}, {name: victim, parent: top, gpus: 16}, "
              "{name: mallory, parent: top, gpus: 4}]"));
    const Value ns = kube::NewObject(api::kNamespaces, "", HostileUser::kNamespace);
    COPPICE_TRY(stack_->client().Create(api::kNamespaces, ns));
    // A queue does not limit the number of pods, which would fill the nodes.
    const Value quota = Yaml(fmt::format(
        "{{apiVersion: v1, kind: ResourceQuota, metadata: {{name: pods, namespace: {}}}, spec: "
        "{{hard: {{pods: '200'}}}}}}",
        HostileUser::kNamespace));
    COPPICE_TRY(
        stack_->client().Create({"", "v1", "resourcequotas", "ResourceQuota", true}, quota));
    return Run(std::chrono::seconds(10));
  }

  base::Status Work(HostileUser& mallory) {
    for (int round = 0; round < kRounds; ++round) {
      for (int deed = 0; deed < kDeedsPerRound; ++deed) {
        deed % 3 == 2 ? mallory.Change() : mallory.Create();
        COPPICE_TRY(Run(std::chrono::seconds(2)));
      }
      COPPICE_TRY(Submit(round));
      COPPICE_TRY(ExpectRunning(round));
    }
    return ExpectRest();
  }

  // What the other user wants: whole GPUs as a gang, a part of one, a claim, a set, a Job.
  base::Status Submit(int round) {
    COPPICE_TRY(Apply(
        fmt::format("{{groups: [{{name: gang-{0}, queue: victim, spec: {{minMember: 2}}}}], pods: ["
                    "{{name: late-{0}, count: 2, gpus: 1, queue: victim, group: gang-{0}, labels: "
                    "{{run: r{0}}}}},"
                    "{{name: half-{0}, queue: victim, annotations: {{gpu-fraction: '0.5'}}, "
                    "labels: {{run: r{0}}}}},"
                    "{{name: claims-{0}, queue: victim, labels: {{run: r{0}}}, spec: "
                    "{{resourceClaims: [{{name: d, "
                    "resourceClaimName: claim-{0}}}]}}, container: {{resources: {{claims: [{{name: "
                    "d}}]}}}}}}]}}",
                    round)));
    COPPICE_TRY(stack_->client().Create(
        api::kResourceClaims,
        Yaml(fmt::format("{{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {{name: "
                         "claim-{}, namespace: default, labels: {{kai.scheduler/queue: victim}}}}, "
                         "spec: {{devices: {{requests: [{{name: r, "
                         "exactly: {{deviceClassName: gpu.example.com}}}}]}}}}}}",
                         round))));
    COPPICE_TRY(stack_->client().Create(
        api::kPodCliqueSets,
        Yaml(fmt::format(
            "{{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {{name: set-{0}, "
            "namespace: "
            "default, labels: {{kai.scheduler/queue: victim}}}}, spec: {{replicas: 1, template: "
            "{{cliques: [{{name: w, labels: {{run: r{0}, kai.scheduler/queue: victim}}, spec: "
            "{{roleName: w, replicas: 2, podSpec: {{containers: [{{name: c, image: "
            "i}}]}}}}}}]}}}}}}",
            round))));
    COPPICE_TRY(stack_->client().Create(
        api::kJobs,
        Yaml(fmt::format(
            "{{apiVersion: batch/v1, kind: Job, metadata: {{name: job-{0}, namespace: default, "
            "labels: "
            "{{kai.scheduler/queue: victim}}}}, spec: {{parallelism: 2, completions: 2, template: "
            "{{metadata: {{labels: {{run: r{0}}}}}, spec: {{schedulerName: kai-scheduler, "
            "restartPolicy: Never, containers: [{{name: c, image: i}}]}}}}}}}}",
            round))));
    return {};
  }

  static constexpr size_t kPodsPerRound = 8;

  base::Status ExpectRunning(int round) {
    std::string missing;
    for (int i = 0; i < 60; ++i) {
      COPPICE_TRY(Run(std::chrono::seconds(5)));
      COPPICE_ASSIGN(missing, Missing(round));
      if (missing.empty()) return {};
    }
    return base::Internal(fmt::format("round {}: {}", round, missing));
  }

  base::Result<std::string> Missing(int round) {
    COPPICE_ASSIGN(
        const kube::ObjectList pods,
        stack_->client().List(api::kPods,
                              {.ns = "default", .label_selector = fmt::format("run=r{}", round)}));
    std::string out;
    if (pods.items.size() != kPodsPerRound) {
      out = fmt::format("{} pods instead of {};", pods.items.size(), kPodsPerRound);
    }
    for (const Value& pod : pods.items) {
      const std::string_view phase = pod["status"]["phase"].AsString();
      if (phase == "Running" || phase == "Succeeded") continue;
      out += fmt::format(" {} is {} on '{}'", kube::Name(pod), phase,
                         pod["spec"]["nodeName"].AsString());
      for (const Value& condition : pod["status"]["conditions"].Items()) {
        out +=
            fmt::format(" {}: {}", condition["type"].AsString(), condition["message"].AsString());
      }
    }
    return out;
  }

  // Nothing is written any more, but for binds that fail and pods that admission refuses to a
  // controller: each is tried again once a minute.
  base::Status ExpectRest() {
    COPPICE_TRY(Run(std::chrono::hours(1)));
    counting_->Reset();
    COPPICE_TRY(Run(std::chrono::hours(1)));
    COPPICE_ASSIGN(const int64_t failing, Failing());
    if (counting_->Writes() <= 61 * kWritesPerBind * failing) return {};
    return base::Internal("written although nothing changes:\n" + counting_->ToString());
  }

  base::Result<int64_t> Failing() {
    COPPICE_ASSIGN(const kube::ObjectList events, stack_->client().List(api::kEvents, {}));
    std::set<std::string, std::less<>> objects;
    for (const Value& event : events.items) {
      const std::string_view reason = event["reason"].AsString();
      if (reason == "BindingError" || reason == "FailedCreate") {
        objects.insert(event["involvedObject"]["uid"].ToString());
      }
    }
    // Without a pod there is nothing to write an event about.
    COPPICE_ASSIGN(const kube::ObjectList requests, stack_->client().List(api::kBindRequests, {}));
    for (const Value& request : requests.items) {
      if (request["status"]["phase"].AsString() == "Failed") objects.emplace(kube::Uid(request));
    }
    return static_cast<int64_t>(objects.size());
  }

  std::string Warnings() {
    std::string out;
    const auto events = stack_->client().List(api::kEvents, {});
    for (const Value& event : events ? events->items : std::vector<Value>()) {
      if (event["type"].AsString() != "Warning") continue;
      out += fmt::format("{} {}: {}\n", event["involvedObject"]["name"].AsString(),
                         event["reason"].AsString(), event["message"].AsString().substr(0, 300));
    }
    return out;
  }

  base::Status Apply(const std::string& step) {
    COPPICE_ASSIGN(const std::vector<Value> objects, scenario::ExpandObjects(Yaml(step)));
    for (const Value& object : objects) {
      const auto resource =
          api::FindResource(object["kind"].AsString(), object["apiVersion"].AsString());
      COPPICE_TRY(stack_->client().Create(*resource, object));
    }
    return {};
  }

  base::Status Run(base::Duration time) {
    if (!stepper_.RunFor(time)) return base::Internal("the components never come to rest");
    if (stepper_.steps() < kMostSteps) return {};
    return base::Internal(fmt::format("{} steps and no end", stepper_.steps()));
  }

  const uint64_t seed_;
  kube::Stepper stepper_;
  kube::CountingClient* counting_ = nullptr;  // Of the stack.
  std::unique_ptr<stack::Stack> stack_;
};

// COPPICE_HOSTILE_SEEDS=1-500 looks at more, 317-317 at one again.
std::pair<uint64_t, uint64_t> HostileSeeds() {
  const char* wanted = std::getenv("COPPICE_HOSTILE_SEEDS");
  if (wanted == nullptr) return {1, 8};
  char* end = nullptr;
  const uint64_t first = std::strtoull(wanted, &end, 10);
  return {first, *end == '-' ? std::strtoull(end + 1, nullptr, 10) : first};
}

TEST(HostileUsers, LetOthersWork) {
  const auto [first, last] = HostileSeeds();
  for (uint64_t seed = first; seed <= last; ++seed) {
    SCOPED_TRACE(seed);
    const base::Status status = HostileRun(seed).Go();
    EXPECT_TRUE(status.ok()) << status.error().message();
  }
}

}  // namespace
}  // namespace coppice
