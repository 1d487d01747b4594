#include "cli/why.h"

#include <gmock/gmock.h>

#include <thread>

#include "api/well_known.h"
#include "json/yaml.h"
#include "kube/thread_executor.h"
#include "sim/stack.h"

namespace coppice::cli {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

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
    sim::StackOptions options;
    options.shape.pools = {{.count = 1, .gpus = 8}};
    options.components = *sim::ParseComponents("all");
    stack_ = *sim::Stack::Make(executor_, std::move(options));
    ASSERT_TRUE(stack_->Start());
    std::string text(kSet);
    text.replace(text.find("SCHEDULER"), 9, GetParam());
    ASSERT_TRUE(stack_->client().Create(api::kPodCliqueSets, *json::ParseYaml(text)));
  }
  void TearDown() override { stack_->Stop(); }

  // Once the gang is complete and its gates are open.
  std::string Answer(const std::string& target) {
    std::string text;
    for (int i = 0; i < 100; ++i) {
      const auto answers = ReadWhy(stack_->client(), executor_, "default", target);
      text = answers ? FormatWhy(*answers) : answers.error().message();
      if (text.find("requestedGpus 24") != std::string::npos) break;
      std::this_thread::sleep_for(100ms);
    }
    return text;
  }

  kube::ThreadExecutor executor_;
  std::unique_ptr<sim::Stack> stack_;
};

TEST_P(Why, SetAndGangAreExplained) {
  EXPECT_THAT(Answer("big"), HasSubstr("requestedGpus 24"));
  EXPECT_THAT(Answer("gang/big-0"), HasSubstr("totalGpus 8"));
  const auto nobody = ReadWhy(stack_->client(), executor_, "default", "nobody");
  ASSERT_FALSE(nobody);
  EXPECT_THAT(nobody.error().message(), HasSubstr("there is no set, gang, PodGroup or pod"));
}

TEST(FormatWhyTest, LinesOfAMessageStandBelowEachOther) {
  const auto answers = json::ParseYaml(
      "[{group: default/g, verdict: Never, reason: PodTooLarge, message: "
      "\"first:\\nsecond.\\n.\"}]");
  EXPECT_EQ(FormatWhy(*answers),
            "default/g: can never run on this cluster\n"
            "  reason    PodTooLarge: first:\n"
            "            second.\n");
}

INSTANTIATE_TEST_SUITE_P(Schedulers, Why, ::testing::Values("kai-scheduler", "grove-scheduler"),
                         [](const auto& scheduler) {
                           return scheduler.param.substr(0, scheduler.param.find('-'));
                         });

}  // namespace
}  // namespace coppice::cli
