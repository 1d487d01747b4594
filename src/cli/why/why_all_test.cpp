#include "cli/why/why_all.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "api/well_known.h"
#include "json/yaml/yaml.h"
#include "kube/executor/thread_executor.h"
#include "stack/stack.h"

namespace coppice::cli {
namespace {

using json::Value;
using ::testing::HasSubstr;
using ::testing::Not;

class WhyAll : public ::testing::Test {
 protected:
  void SetUp() override {
    stack::StackOptions options;
    options.shape.pools = {{.count = 1, .gpus = 8}};
    options.components = *stack::ParseComponents("all");
    stack_ = *stack::Stack::Make(executor_, std::move(options));
    ASSERT_TRUE(stack_->Start());
  }
  void TearDown() override { stack_->Stop(); }

  void CreateJob(const std::string& name, int gpus, int pods = 1) {
    const auto made = stack_->client().Create(
        api::kJobs, *json::ParseYaml(fmt::format(R"(
apiVersion: batch/v1
kind: Job
metadata: {{name: {}, namespace: default}}
spec:
  parallelism: {}
  completions: {}
  template:
    metadata: {{labels: {{size: g{}}}}}
    spec:
      schedulerName: kai-scheduler
      restartPolicy: Never
      containers: [{{name: c, image: i, resources: {{limits: {{nvidia.com/gpu: "{}"}}}}}}]
)",
                                                 name, pods, pods, gpus, gpus)));
    ASSERT_TRUE(made) << made.error().ToString();
  }

  std::string Text(const WhyAllOptions& options, const std::string& until) {
    std::string text;
    const base::Time end = executor_.Now() + std::chrono::seconds(10);
    while (text.find(until) == std::string::npos && executor_.Now() < end) {
      const auto answers = ReadWhyAll(stack_->client(), executor_, options);
      text = answers ? FormatWhyAll(*answers, {.now = executor_.Now()}) : answers.error().message();
    }
    return text;
  }

  kube::ThreadExecutor executor_;
  std::unique_ptr<stack::Stack> stack_;
};

TEST_F(WhyAll, TheWorstComesFirstAndWhatRunsIsLeftOut) {
  EXPECT_EQ(Text({.ns = "default"}, "nothing"), "nothing waits\n");
  CreateJob("fits", 8);
  EXPECT_THAT(Text({.ns = "default"}, "nothing waits"), HasSubstr("nothing waits"));
  CreateJob("queued", 8);
  CreateJob("huge", 9);
  const std::string never = "PodTooLarge: 1 can never run here\n  job/huge";
  EXPECT_THAT(Text({.ns = "default"}, never), HasSubstr(never));
  const std::string waits = ": 1 waits, and will run by itself\n  job/queued";
  const std::string text = Text({.ns = "default"}, waits);
  EXPECT_THAT(text, HasSubstr(waits));
  EXPECT_THAT(text, Not(HasSubstr("  job/fits")));
  EXPECT_LT(text.find("job/huge"), text.find("job/queued")) << text;
}

TEST_F(WhyAll, ASelectorChoosesByTheLabelsOfPods) {
  CreateJob("huge", 9);
  CreateJob("more", 10);
  EXPECT_THAT(Text({.ns = "default", .selector = "size=g9"}, "job/huge"), Not(HasSubstr("more")));
  const auto bad = ReadWhyAll(stack_->client(), executor_, {.ns = "default", .selector = "=,"});
  EXPECT_FALSE(bad);
}

TEST_F(WhyAll, ADocumentHasWhatOtherCommandsTake) {
  CreateJob("huge", 9, 3);
  ASSERT_THAT(Text({}, "job/huge"), HasSubstr("job/huge"));
  Value answers;
  const base::Time end = executor_.Now() + std::chrono::seconds(10);
  do {
    answers = *ReadWhyAll(stack_->client(), executor_, {});
  } while (executor_.Now() < end &&
           (answers.At(0)["pods"].AsInt() != 3 || answers.At(0)["queue"].ToString().empty()));
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(NamesOfWaiting(answers), std::vector<std::string>{"job/huge"});
  EXPECT_EQ(answers.At(0)["namespace"].ToString(), "default");
  EXPECT_EQ(answers.At(0)["queue"].ToString(), "default-queue");
  EXPECT_EQ(answers.At(0)["pods"].AsInt(), 3);
  EXPECT_FALSE(answers.At(0)["since"].ToString().empty());
}

TEST(FormatWhyAllTest, LinesFitTheTerminal) {
  const Value answers = *json::ParseYaml(
      "[{name: job/a, namespace: x, verdict: Never, reason: PodTooLarge, summary: far too large, "
      "changes: [{text: ask for less}]}, {name: job/b, namespace: z, verdict: Waits, reason: "
      "Resources, summary: full}]");
  EXPECT_EQ(FormatWhyAll(answers, {.terminal = {.width = 30}}),
            "PodTooLarge: 1 can never run here\n"
            "  x  job/a    far too large →…\n"
            "Resources: 1 waits, and will run by itself\n"
            "  z  job/b    full\n");
}

}  // namespace
}  // namespace coppice::cli
