#include "api/view/answers.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "api/well_known.h"
#include "cli/answers/eta.h"
#include "cli/answers/replay.h"
#include "cli/answers/what_if.h"
#include "cli/common/wait.h"
#include "json/yaml/yaml.h"
#include "kube/executor/thread_executor.h"
#include "services/scheduler/service.h"
#include "stack/stack.h"

namespace coppice::cli {
namespace {

using json::Value;
using ::testing::HasSubstr;

// A Job of `pods` pods with eight GPUs each.
std::string JobOf(const std::string& name, int pods) {
  return fmt::format(R"(
apiVersion: batch/v1
kind: Job
metadata: {{name: {0}, namespace: default, labels: {{kai.scheduler/queue: default-queue}}, annotations: {{kai.scheduler/expected-runtime: 2h, kai.scheduler/batch-min-member: "{1}"}}}}
spec:
  parallelism: {1}
  completions: {1}
  template:
    metadata: {{labels: {{kai.scheduler/queue: default-queue}}}}
    spec:
      restartPolicy: Never
      schedulerName: kai-scheduler
      containers: [{{name: main, image: i, resources: {{limits: {{nvidia.com/gpu: "8"}}}}}}]
)",
                     name, pods);
}

constexpr std::string_view kAskedSet = R"(
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata: {name: asked, namespace: default}
spec:
  replicas: 1
  template:
    cliques:
    - name: w
      spec: {roleName: w, replicas: 2, podSpec: {schedulerName: kai-scheduler, containers: [{name: main, image: i, resources: {limits: {nvidia.com/gpu: "8"}}}]}}
)";

// Two simulated nodes with eight GPUs each.
class AnswersTest : public ::testing::Test {
 protected:
  void SetUp() override {
    stack::StackOptions options;
    options.shape.pools = {{.count = 2, .gpus = 8}};
    options.components = *stack::ParseComponents("all");
    stack_ = *stack::Stack::Make(executor_, std::move(options));
    ASSERT_TRUE(stack_->Start());
  }
  void TearDown() override { stack_->Stop(); }

  std::unique_ptr<AskedCluster> Read() {
    auto cluster = AskedCluster::FromClient(
        stack_->client(), executor_, {}, [this](const std::function<bool()>& done) {
          return WaitUntil(executor_, std::chrono::seconds(20), done);
        });
    EXPECT_TRUE(cluster) << cluster.error().message();
    return cluster ? *std::move(cluster) : nullptr;
  }
  std::string File(std::string_view text) {
    const std::string path = ::testing::TempDir() + "/asked.yaml";
    std::ofstream(path) << text;
    return path;
  }
  Value Ask(const WhatIfOptions& options) {
    const auto cluster = Read();
    const auto answer = ReadWhatIfAnswer(*cluster, options);
    EXPECT_TRUE(answer) << answer.error().message();
    return answer ? *answer : Value();
  }
  // Submits a Job and waits until so many of its pods run.
  void RunJob(const std::string& name, int pods, size_t running) {
    ASSERT_TRUE(stack_->client().Create(api::kJobs, *json::ParseYaml(JobOf(name, pods))));
    EXPECT_TRUE(WaitUntil(executor_, std::chrono::seconds(20), [&] {
      size_t count = 0, all = 0;
      const auto list = stack_->client().List(api::kPods, {.ns = "default"});
      for (const Value& pod : list ? list->items : std::vector<Value>{}) {
        const bool own = pod["metadata"]["name"].ToString().starts_with(name + "-");
        all += own && pod["metadata"]["annotations"].Has("pod-group-name");
        count += own && pod["status"]["phase"].AsString() == "Running";
      }
      return count == running && all == static_cast<size_t>(pods);
    }));
  }

  kube::ThreadExecutor executor_;
  std::unique_ptr<stack::Stack> stack_;
};

TEST_F(AnswersTest, WhatIfAJobOrASetWereSubmitted) {
  Value answer = Ask({.files = {File(JobOf("train", 2))}});
  EXPECT_TRUE(view::answers::WhatIf(answer).runs());
  EXPECT_THAT(FormatWhatIf(answer), HasSubstr("would run now: 2 pods on node-"));
  EXPECT_THAT(FormatWhatIf(answer), HasSubstr("nothing else changes"));
  answer = Ask({.files = {File(JobOf("large", 3))}});
  EXPECT_FALSE(view::answers::WhatIf(answer).runs());
  EXPECT_THAT(FormatWhatIf(answer), HasSubstr("would not run"));
  EXPECT_THAT(FormatWhatIf(answer), HasSubstr("16 GPUs in the cluster"));
  answer = Ask({.files = {File(kAskedSet)}});
  EXPECT_TRUE(view::answers::WhatIf(answer).runs());
  EXPECT_THAT(FormatWhatIf(answer), HasSubstr("would run now: 2 pods on node-0, node-1"));
  // Nothing was created.
  EXPECT_TRUE(stack_->client().List(api::kPods, {.ns = "default"})->items.empty());
}

TEST_F(AnswersTest, WhatIfNodesChanged) {
  RunJob("train", 2, 2);
  Value answer = Ask({.request = {.drain = {"node-0"}}});
  EXPECT_THAT(FormatWhatIf(answer), HasSubstr("from node-0, then waits: node node-0 is drained"));
  EXPECT_THAT(FormatWhatIf(answer), HasSubstr("delayed   job/train"));
  answer = Ask({.files = {File(JobOf("more", 1))}});
  EXPECT_FALSE(view::answers::WhatIf(answer).runs());
  answer = Ask({.files = {File(JobOf("more", 1))}, .request = {.add_nodes = 1, .like = "node-0"}});
  EXPECT_THAT(FormatWhatIf(answer), HasSubstr("would run now: 1 pod on node-0-new-0"));
}

TEST_F(AnswersTest, WhatIfNamesWhatIsWrong) {
  const auto cluster = Read();
  const auto error = [&](const WhatIfOptions& options) {
    const auto answer = ReadWhatIfAnswer(*cluster, options);
    return answer ? std::string() : answer.error().message();
  };
  EXPECT_THAT(error({}), HasSubstr("nothing is asked"));
  EXPECT_THAT(error({.files = {"/nonexistent.yaml"}}), HasSubstr("/nonexistent.yaml"));
  EXPECT_THAT(error({.files = {File("{a: 1}")}}), HasSubstr("has no kind"));
  EXPECT_THAT(
      error({.files = {File("{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: "
                            "{schedulerName: other, containers: [{name: c, image: i}]}}")}}),
      HasSubstr("only kai-scheduler can be asked"));
  EXPECT_THAT(error({.files = {File("{apiVersion: v1, kind: Pod, metadata: {name: p}}")}}),
              HasSubstr("Pod p"));
}

TEST_F(AnswersTest, EtaSaysWhenAndWhy) {
  RunJob("first", 2, 2);
  RunJob("second", 1, 0);
  auto cluster = Read();
  const auto find = [&](const std::string& target) {
    const auto groups = FindAskedGroups(*cluster, "", target);
    return groups ? *ReadEta(*cluster, *groups) : Value();
  };
  const Value answer = find("job/second");
  const view::answers::Eta eta(answer.At(0));
  EXPECT_EQ(eta.state(), "Waits");
  EXPECT_EQ(eta.position(), 1);
  EXPECT_EQ(eta.restsOn().size(), 1u);
  const std::string text = FormatEta(answer, cluster->now());
  EXPECT_THAT(text, HasSubstr("job/second: should start "));
  EXPECT_THAT(text, HasSubstr("(in 1h 59m)"));
  EXPECT_THAT(text, HasSubstr("1 of 1 in queue default-queue"));
  EXPECT_THAT(text, HasSubstr("rests on  job/first ends "));
  EXPECT_THAT(text, HasSubstr("expected-runtime"));
  EXPECT_EQ(FormatEta(find("first"), cluster->now()), "job/first: runs\n");
  EXPECT_THAT(FindAskedGroups(*cluster, "", "nobody").error().message(), HasSubstr("nobody"));
}

}  // namespace
}  // namespace coppice::cli
