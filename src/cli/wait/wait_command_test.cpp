#include "cli/wait/wait_command.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "api/well_known.h"
#include "cli/common/find_object.h"
#include "json/yaml/yaml.h"
#include "kube/executor/thread_executor.h"
#include "stack/stack.h"

namespace coppice::cli {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

class WaitCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    stack::StackOptions options;
    options.shape.pools = {{.count = 1, .gpus = 8}};
    options.components = *stack::ParseComponents("all");
    stack_ = *stack::Stack::Make(executor_, std::move(options));
    ASSERT_TRUE(stack_->Start());
  }
  void TearDown() override { stack_->Stop(); }

  void CreateSet(const std::string& name, int gpus) {
    const auto made =
        stack_->client().Create(api::kPodCliqueSets, *json::ParseYaml(fmt::format(R"(
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata: {{name: {}, namespace: default}}
spec:
  replicas: 1
  template:
    cliques:
    - name: w
      spec: {{roleName: w, replicas: 2, podSpec: {{schedulerName: kai-scheduler, containers: [{{name: main, image: i, resources: {{limits: {{nvidia.com/gpu: "{}"}}}}}}]}}}}
)",
                                                                                  name, gpus)));
    ASSERT_TRUE(made) << made.error().ToString();
  }

  int Wait(const std::string& target, WaitGoal what, base::Duration timeout = 20s) {
    return WaitOn(stack_->client(), executor_, "default", target, what, timeout);
  }

  kube::ThreadExecutor executor_;
  std::unique_ptr<stack::Stack> stack_;
};

TEST_F(WaitCommand, EndsWhenASetIsScheduledReadyAndDeleted) {
  CreateSet("app", 1);
  EXPECT_EQ(Wait("app", WaitGoal::kScheduled), 0);
  EXPECT_EQ(Wait("pcs/app", WaitGoal::kReady), 0);
  EXPECT_EQ(Wait("gang/app-0", WaitGoal::kReady), 0);
  ASSERT_TRUE(stack_->client().Delete(api::kPodCliqueSets, {"default", "app"}));
  EXPECT_EQ(Wait("set/app", WaitGoal::kDeleted), 0);
  EXPECT_EQ(Wait("set/app", WaitGoal::kDeleted), 0) << "what is not there is deleted";
  EXPECT_EQ(Wait("set/app", WaitGoal::kReady), 1) << "what is not there never becomes ready";
}

TEST_F(WaitCommand, TimesOutWithACodeOfItsOwn) {
  CreateSet("large", 9);
  EXPECT_EQ(Wait("large", WaitGoal::kScheduled, 300ms), kWaitTimedOut);
  EXPECT_EQ(Wait("large", WaitGoal::kDeleted, base::Duration::zero()), kWaitTimedOut);
}

TEST_F(WaitCommand, AJobThatFailedNeverBecomesReady) {
  ASSERT_TRUE(stack_->client().Create(api::kJobs, *json::ParseYaml(R"(
apiVersion: batch/v1
kind: Job
metadata: {name: late, namespace: default}
spec:
  activeDeadlineSeconds: 1
  template:
    spec: {schedulerName: kai-scheduler, restartPolicy: Never, containers: [{name: c, image: i, resources: {limits: {nvidia.com/gpu: "9"}}}]}
)")));
  EXPECT_EQ(Wait("job/late", WaitGoal::kReady), kWaitImpossible);
  EXPECT_EQ(Wait("job/late", WaitGoal::kComplete), kWaitImpossible);
}

TEST_F(WaitCommand, ANameOfTwoKindsIsAsked) {
  CreateSet("twin", 1);
  ASSERT_TRUE(stack_->client().Create(
      api::kPods, *json::ParseYaml("{apiVersion: v1, kind: Pod, metadata: {name: twin, namespace: "
                                   "default}, spec: {containers: "
                                   "[{name: c, image: i}]}}")));
  const auto found = FindObject(stack_->client(), "default", "twin");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message(),
            "\"twin\" has more than one meaning; say set/twin or pod/twin");
  EXPECT_THAT(FindObject(stack_->client(), "default", "nobody").error().message(),
              HasSubstr("nothing is called \"nobody\" in namespace default"));
  EXPECT_THAT(FindObject(stack_->client(), "default", "secret/a").error().message(),
              HasSubstr("\"secret\" is no kind that this command knows"));
}

TEST(WaitGoalTest, IsParsedAsKubectlWritesIt) {
  EXPECT_EQ(*ParseWaitGoal("ready"), WaitGoal::kReady);
  EXPECT_EQ(*ParseWaitGoal("condition=Ready"), WaitGoal::kReady);
  EXPECT_EQ(*ParseWaitGoal("delete"), WaitGoal::kDeleted);
  EXPECT_EQ(ParseWaitGoal("happy").error().message(),
            "--for \"happy\" is unknown; use ready, scheduled, complete or deleted");
}

}  // namespace
}  // namespace coppice::cli
