#include "cli/why/why.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <set>

#include "api/well_known.h"
#include "cli/why/why_format.h"
#include "json/yaml/yaml.h"
#include "kube/client/intercepted_client.h"
#include "kube/executor/thread_executor.h"
#include "kube/object.h"
#include "server/api_server.h"
#include "stack/stack.h"

namespace coppice::cli {
namespace {

using json::Value;
using ::testing::HasSubstr;
using ::testing::Not;

// One clique of three pods with eight GPUs each, for which one node is too small.
constexpr std::string_view kSet = R"(
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata: {name: big, namespace: default}
spec:
  replicas: 1
  template:
    cliques:
    - name: w
      spec: {roleName: w, replicas: 3, podSpec: {schedulerName: SCHEDULER, containers: [{name: main, image: i, resources: {limits: {nvidia.com/gpu: "8"}}}]}}
)";

class Why : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    stack::StackOptions options;
    options.shape.pools = {{.count = 1, .gpus = 8}};
    options.components = *stack::ParseComponents("all");
    stack_ = *stack::Stack::Make(executor_, std::move(options));
    ASSERT_TRUE(stack_->Start());
    std::string text(kSet);
    text.replace(text.find("SCHEDULER"), 9, GetParam());
    ASSERT_TRUE(stack_->client().Create(api::kPodCliqueSets, *json::ParseYaml(text)));
  }
  void TearDown() override { stack_->Stop(); }

  // Once the gang is complete and its gates are removed.
  std::string Answer(const std::string& target, const std::string& until = "24 GPUs asked for") {
    std::string text;
    const base::Time end = executor_.Now() + std::chrono::seconds(10);
    while (text.find(until) == std::string::npos && executor_.Now() < end) {
      const auto answers = ReadWhy(stack_->client(), executor_, "default", target);
      text = answers ? FormatWhy(*answers) : answers.error().message();
    }
    return text;
  }

  kube::ThreadExecutor executor_;
  std::unique_ptr<stack::Stack> stack_;
};

TEST_P(Why, SetAndGangAreExplained) {
  EXPECT_THAT(Answer("big"), HasSubstr("24 GPUs asked for"));
  EXPECT_THAT(Answer("gang/big-0"), HasSubstr("8 GPUs in the cluster"));
  EXPECT_THAT(Answer("gang/big-0"), Not(HasSubstr("podgang/")));
  const auto nobody = ReadWhy(stack_->client(), executor_, "default", "nobody");
  ASSERT_FALSE(nobody);
  EXPECT_THAT(nobody.error().message(), HasSubstr("there is no set, gang, PodGroup, pod or"));
  const auto no_pod = ReadWhy(stack_->client(), executor_, "default", "pod/big");
  ASSERT_FALSE(no_pod);
  EXPECT_EQ(no_pod.error().message(), "there is no pod called \"big\" in namespace default");
  const auto no_kind = ReadWhy(stack_->client(), executor_, "default", "secret/big");
  ASSERT_FALSE(no_kind);
  EXPECT_THAT(no_kind.error().message(), HasSubstr("nor set/NAME, gang/NAME"));
}

TEST(WhyOthers, AGangOfAnotherSchedulerSaysWhatItsBackendSaid) {
  kube::ThreadExecutor executor;
  stack::StackOptions options;
  options.components = *stack::ParseComponents("none");
  auto stack = *stack::Stack::Make(executor, std::move(options));
  ASSERT_TRUE(stack->Start());
  Value gang = *json::ParseYaml(R"(
apiVersion: scheduler.grove.io/v1alpha1
kind: PodGang
metadata: {name: g, namespace: default, labels: {grove.io/scheduler-backend: volcano}}
spec: {podgroups: [{name: w, minReplicas: 1, podReferences: []}]}
)");
  ASSERT_TRUE(stack->client().Create(api::kPodGangs, gang));
  const auto says = [&](std::string_view conditions) {
    EXPECT_TRUE(
        stack->client().Patch(api::kPodGangs, {"default", "g"}, kube::PatchType::kMerge,
                              *json::ParseYaml(fmt::format(
                                  "{{status: {{phase: Pending, conditions: [{}]}}}}", conditions)),
                              {.subresource = "status"}));
    return FormatWhy(*ReadWhy(stack->client(), executor, "default", "gang/g"));
  };
  EXPECT_EQ(
      says(""),
      "gang/g: waits for a person\n"
      "  reason    WaitingForBackend: the backend volcano has not taken it up\n"
      "  change    enable the backend `volcano` in the operator's configuration, or start its "
      "process\n");
  const std::string waits =
      "{type: Scheduled, status: 'False', reason: WaitingForScheduler, message: '', "
      "lastTransitionTime: '2026-01-01T00:00:00Z'}";
  EXPECT_EQ(
      says(waits),
      "gang/g: waits, and will run by itself\n"
      "  reason    WaitingForScheduler: the backend volcano leaves it to its scheduler, which "
      "has not said\n");
  EXPECT_EQ(says(waits + ", {type: BackendSynced, status: 'False', reason: BackendUnavailable, "
                         "message: no CRD, lastTransitionTime: '2026-01-01T00:00:00Z'}"),
            "gang/g: waits for a person\n"
            "  reason    BackendUnavailable: no CRD\n"
            "  change    give backend `volcano` what it says it lacks; `coppice doctor` checks all "
            "of it\n");
  stack->Stop();
}

// On any cluster: one that serves none of our kinds still has pods.
TEST(WhyOthers, AClusterWithoutOurKinds) {
  kube::ThreadExecutor executor;
  const auto server = *server::ApiServer::Make({.clock = &executor.clock(), .seed = 1});
  const auto client = server->NewClient(executor);
  const auto nobody = ReadWhy(*client, executor, "default", "nobody");
  ASSERT_FALSE(nobody);
  EXPECT_THAT(nobody.error().message(), HasSubstr("there is no set, gang, PodGroup, pod or owner"));
  ASSERT_TRUE(client->Create(
      api::kPods, *json::ParseYaml("{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: "
                                   "default}, spec: {containers: [{name: c, image: i}]}}")));
  const auto pod = ReadWhy(*client, executor, "default", "p");
  ASSERT_TRUE(pod) << pod.error().message();
  EXPECT_THAT(FormatWhy(*pod), HasSubstr("pod/p: waits"));
}

// For pods that the scheduler does not know, their own status is used.
class WhyOfPods : public ::testing::Test {
 protected:
  void SetUp() override {
    stack::StackOptions options;
    options.shape.pools = {{.count = 1, .gpus = 8}};
    options.components = *stack::ParseComponents("all");
    stack_ = *stack::Stack::Make(executor_, std::move(options));
    ASSERT_TRUE(stack_->Start());
  }
  void TearDown() override { stack_->Stop(); }

  void Create(const std::string& metadata, const std::string& spec) {
    const Value pod = *json::ParseYaml(fmt::format(
        "{{apiVersion: v1, kind: Pod, metadata: {{namespace: default, {}}}, spec: {{{}}}}}",
        metadata, spec));
    ASSERT_TRUE(stack_->client().Create(api::kPods, pod));
  }

  std::string Answer(const std::string& target, const std::string& until) {
    std::string text;
    const base::Time end = executor_.Now() + std::chrono::seconds(10);
    while (text.find(until) == std::string::npos && executor_.Now() < end) {
      text = FormatWhy(*ReadWhy(stack_->client(), executor_, "default", target));
    }
    return text;
  }

  kube::ThreadExecutor executor_;
  std::unique_ptr<stack::Stack> stack_;
};

TEST_F(WhyOfPods, TheDefaultSchedulersPods) {
  Create("name: small", "containers: [{name: c, image: i}]");
  EXPECT_EQ(Answer("small", "1 pod runs"), "pod/small: runs\n  reason    Scheduled: 1 pod runs\n");
  Create("name: large",
         "containers: [{name: c, image: i, resources: {limits: {nvidia.com/gpu: '9'}}}]");
  EXPECT_THAT(Answer("large", "topped at 8"), HasSubstr("can never run here"));
}

TEST_F(WhyOfPods, PodsThatCannotBeGrouped) {
  const char* spec = "schedulerName: kai-scheduler, containers: [{name: c, image: i}]";
  Create("name: odd, ownerReferences: [{apiVersion: no.such/v1, kind: Nope, name: nope, uid: u}]",
         spec);
  EXPECT_THAT(Answer("odd", "Nope"), HasSubstr("PodGrouperWarning: failed to find Nope"));
  EXPECT_THAT(Answer("nope", "Nope"), HasSubstr("pod/odd: waits"));
  Create("name: lone, annotations: {pod-group-name: ghost}", spec);
  EXPECT_THAT(Answer("lone", "ghost"),
              HasSubstr("PodGroupNotFound: its PodGroup \"ghost\" is not there"));
}

TEST_F(WhyOfPods, AllThatShareANameAreExplained) {
  const char* spec =
      "schedulerName: kai-scheduler, restartPolicy: Never, containers: [{name: c, image: i, "
      "resources: {limits: {nvidia.com/gpu: '9'}}}]";
  Create("name: twin", spec);
  ASSERT_TRUE(stack_->client().Create(
      api::kJobs, *json::ParseYaml(fmt::format(
                      "{{apiVersion: batch/v1, kind: Job, metadata: {{name: twin, namespace: "
                      "default}}, spec: {{template: {{spec: {{{}}}}}}}}}",
                      spec))));
  // Once both are grouped; before that, the pod is its own target.
  std::set<std::string> groups;
  const base::Time end = executor_.Now() + std::chrono::seconds(10);
  while ((groups.size() < 2 || groups.contains("default/twin")) && executor_.Now() < end) {
    const auto answers = ReadWhy(stack_->client(), executor_, "default", "twin");
    ASSERT_TRUE(answers) << answers.error().ToString();
    groups.clear();
    for (const Value& answer : answers->Items()) groups.insert(answer["group"].ToString());
    // Before it has a pod, the Job appears under its own name too.
    const bool grouped = !groups.contains("default/twin");
    ASSERT_TRUE(!grouped || groups.size() == answers->size()) << "each is told once";
  }
  EXPECT_THAT(groups, testing::SizeIs(2));
  EXPECT_THAT(groups, testing::Each(testing::StartsWith("default/pg-twin-")));
}

// Forbids reading one kind, as for a user who may not read the whole cluster.
class Without final : public kube::InterceptedClient {
 public:
  Without(kube::Client& inner, api::Resource hidden)
      : InterceptedClient(inner), hidden_(std::move(hidden)) {}

 protected:
  base::Status Before(const kube::Call& call) override {
    if (call.resource != hidden_) return {};
    return base::Error(base::ErrorCode::kForbidden, hidden_.plural + " is forbidden");
  }

 private:
  const api::Resource hidden_;
};

TEST_F(WhyOfPods, ThoseWhoMayNotSeeAllAreToldWhatStandsWritten) {
  Create("name: large",
         "schedulerName: kai-scheduler, containers: [{name: c, image: i, resources: {limits: "
         "{nvidia.com/gpu: '9'}}}]");
  EXPECT_THAT(Answer("large", "can never run"), HasSubstr("topped at 8"));
  const std::string group(
      kube::Annotation(*stack_->client().Get(api::kPods, {"default", "large"}), "pod-group-name"));
  for (const api::Resource& hidden : {api::kNodes, api::kQueues}) {
    Without client(stack_->client(), hidden);
    for (const std::string& target : {std::string("large"), "group/" + group}) {
      std::string text;
      const base::Time end = executor_.Now() + std::chrono::seconds(10);
      while (text.find("topped at 8") == std::string::npos && executor_.Now() < end) {
        const auto answers = ReadWhy(client, executor_, "default", target);
        ASSERT_TRUE(answers) << answers.error().message();
        text = FormatWhy(*answers);
      }
      EXPECT_THAT(text, HasSubstr("waits")) << hidden.plural << " " << target;
      EXPECT_THAT(text, HasSubstr("topped at 8"));
    }
  }
}

TEST_F(WhyOfPods, AQueueOnHoldIsToBeResumed) {
  ASSERT_TRUE(stack_->client().Create(api::kQueues, *json::ParseYaml(R"(
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: held, annotations: {coppice.dev/limits-before-hold: "{}"}}
spec: {parentQueue: default-parent-queue, resources: {gpu: {quota: 4, limit: 0, overQuotaWeight: 1}}}
)")));
  Create("name: one, labels: {kai.scheduler/queue: held}",
         "schedulerName: kai-scheduler, containers: [{name: c, image: i, resources: {limits: "
         "{nvidia.com/gpu: '1'}}}]");
  EXPECT_THAT(Answer("one", "QueueOnHold"),
              HasSubstr("change    resume the queue: coppice queue resume held"));
}

// The scheduler of a node pool only knows its own nodes, queues and groups.
TEST_F(WhyOfPods, PodsOfANodePool) {
  Create("name: away, labels: {kai.scheduler/node-pool: far}",
         "schedulerName: kai-scheduler, containers: [{name: c, image: i}]");
  EXPECT_THAT(Answer("away", "default-queue"), HasSubstr("Queue 'default-queue' does not exist"));
}

// The API server rejects its pods, so no scheduler ever sees them.
TEST_P(Why, PodsThatCannotBeMadeAreExplained) {
  std::string text(kSet);
  text.replace(text.find("name: big"), 9, "name: odd");
  text.replace(text.find("SCHEDULER"), 9, GetParam() + ", priorityClassName: nobodys");
  ASSERT_TRUE(stack_->client().Create(api::kPodCliqueSets, *json::ParseYaml(text)));
  const std::string answer = Answer("odd", "nobodys");
  EXPECT_THAT(
      answer,
      HasSubstr("podclique/odd-0-w: waits for a person\n  reason    PriorityClassNotFound: "));
  EXPECT_THAT(answer, HasSubstr("no PriorityClass with name nobodys was found"));
  EXPECT_THAT(answer, Not(HasSubstr("will run in the next")));
}

// Its pods would fit, but their gates stay.
TEST_P(Why, AGangThatIsNotHandedOverIsExplained) {
  ASSERT_TRUE(stack_->client().Create(api::kClusterTopologyBindings, *json::ParseYaml(R"(
apiVersion: grove.io/v1alpha1
kind: ClusterTopologyBinding
metadata: {name: lost}
spec: {levels: [{domain: zone, key: topo/nowhere}]}
)")));
  ASSERT_TRUE(stack_->client().Create(api::kPodCliqueSets,
                                      *json::ParseYaml(R"(
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata: {name: lost, namespace: default}
spec:
  replicas: 1
  template:
    topologyConstraint: {topologyName: lost, pack: {required: zone}}
    cliques:
    - name: w
      spec: {roleName: w, replicas: 1, podSpec: {schedulerName: )" +
                                                       GetParam() +
                                                       R"(, containers: [{name: c, image: i}]}}
)")));
  const std::string text = Answer("lost", "TopologyUnresolved");
  EXPECT_THAT(text, HasSubstr("no schedulable node carries the label \"topo/nowhere\""));
  EXPECT_THAT(text, Not(HasSubstr("will run in the next")));
}

// Users name the Job: its PodGroup has a generated name.
TEST_P(Why, OwnersOfPodGroupsAreExplained) {
  ASSERT_TRUE(stack_->client().Create(api::kJobs, *json::ParseYaml(R"(
apiVersion: batch/v1
kind: Job
metadata: {name: sweep, namespace: default}
spec:
  parallelism: 3
  completions: 3
  template:
    spec: {schedulerName: kai-scheduler, restartPolicy: Never, containers: [{name: main, image: i, resources: {limits: {nvidia.com/gpu: "8"}}}]}
)")));
  EXPECT_THAT(Answer("sweep", "job/sweep: "), HasSubstr("job/sweep: "));
  EXPECT_THAT(Answer("jobs.batch/sweep", "job/sweep: "), HasSubstr("job/sweep: "));
}

TEST(FormatWhyTest, LinesOfAMessageStandBelowEachOther) {
  const auto answers = json::ParseYaml(
      "[{group: default/g, verdict: Never, reason: PodTooLarge, message: "
      "\"first:\\nsecond.\\n.\"}]");
  EXPECT_EQ(FormatWhy(*answers),
            "default/g: can never run here\n"
            "  reason    PodTooLarge: first:\n"
            "            second.\n");
}

TEST(FormatWhyTest, TheLargestDomainIsEvidence) {
  const auto answers = json::ParseYaml(
      "[{group: default/g, verdict: Never, reason: Topology, message: too small, largestDomain: "
      "b1.r2, evidence: {largestDomainGpus: 12, largestDomainPods: 3, pods: 4}}]");
  EXPECT_THAT(FormatWhy(*answers), HasSubstr("  evidence  12 GPUs in the largest domain\n"));
  EXPECT_THAT(FormatWhy(*answers), HasSubstr("  evidence  3 pods that fit there\n"));
}

TEST(FormatWhyTest, SeveralChangesAreNeededTogether) {
  const auto answers = json::ParseYaml(
      "[{group: g, verdict: Waits, reason: r, summary: m, changes: [{kind: freeGpus, where: a, "
      "text: free 1 GPU on a}, {kind: freeGpus, where: b, text: free 2 GPUs on b}]}]");
  EXPECT_EQ(FormatWhy(*answers),
            "g: will run when 1 GPU on a comes free and 2 GPUs on b come free\n"
            "  reason    r: m\n"
            "  change    all of these together:\n"
            "            - free 1 GPU on a\n"
            "            - free 2 GPUs on b\n");
}

TEST(FormatWhyTest, AnAlternativeDoesAsWell) {
  const auto answers = json::ParseYaml(
      "[{group: default/pg-g, object: job/g, verdict: Waits, reason: r, summary: m, changes: "
      "[{text: free 1 GPU on a}], alternative: [{text: uncordon b}]}]");
  EXPECT_EQ(FormatWhy(*answers),
            "job/g: will run when 1 GPU on a comes free\n"
            "  reason    r: m\n"
            "  change    free 1 GPU on a\n"
            "  or        uncordon b\n");
}

TEST(FormatWhyTest, TheSameAnswerIsGivenOnce) {
  const auto answers = json::ParseYaml(
      "[{object: 'deployment/web, pod a', verdict: Never, reason: r, summary: m}, "
      "{object: 'deployment/web, pod b', verdict: Never, reason: r, summary: m}]");
  EXPECT_EQ(FormatWhy(*answers),
            "deployment/web, pod a: can never run here\n"
            "  reason    r: m\n"
            "  also      1 more like it\n");
}

TEST(FormatWhyTest, WhatAPersonWouldDoComesInsteadOfGpusToAdd) {
  const auto answers = json::ParseYaml(
      "[{object: set/a, verdict: Never, reason: Topology, summary: m, changes: [{text: add 16 GPUs "
      "to node-0}], alternative: [{kind: widenDomain, text: relax rack to block}]}]");
  EXPECT_EQ(FormatWhy(*answers),
            "set/a: can never run here\n"
            "  reason    Topology: m\n"
            "  change    relax rack to block\n");
}

TEST(FormatWhyTest, LinesAreBrokenToTheWidth) {
  const auto answers = json::ParseYaml(
      "[{object: job/a, verdict: Never, reason: r, summary: one two three four five six}]");
  EXPECT_EQ(FormatWhy(*answers, 30),
            "job/a: can never run here\n"
            "  reason    r: one two three\n"
            "            four five six\n");
}

TEST(FormatWhyTest, AReasonIsSaidOnce) {
  const auto answers = json::ParseYaml(
      "[{group: default/g, verdict: Waits, reason: QueueDoesNotExist, message: "
      "\"QueueDoesNotExist: Queue 'q' does not exist.\"}]");
  EXPECT_EQ(FormatWhy(*answers),
            "default/g: waits, and will run by itself\n"
            "  reason    QueueDoesNotExist: Queue 'q' does not exist.\n");
}

INSTANTIATE_TEST_SUITE_P(Schedulers, Why, ::testing::Values("kai-scheduler", "grove-scheduler"),
                         [](const auto& scheduler) {
                           return scheduler.param.substr(0, scheduler.param.find('-'));
                         });

}  // namespace
}  // namespace coppice::cli
