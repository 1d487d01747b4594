#include "cli/completion_names.h"

#include <gmock/gmock.h>

#include "cli/show/show_testing.h"

namespace coppice::cli {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

class CompletionNames : public ShowTest {};

TEST_F(CompletionNames, AreWhatTheClusterHas) {
  Put(api::kJobs, R"(
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: default}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}}
)");
  Put(api::kQueues, R"(
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: team}
spec: {resources: {gpu: {quota: 4, limit: -1, overQuotaWeight: 1}}}
)");
  const auto list = [&](const std::vector<std::string>& words) {
    return ListCompletions(*client_, "default", words);
  };
  EXPECT_THAT(list({"why", ""}), ElementsAre("job/train"));
  EXPECT_THAT(list({"why", "jobs/"}), ElementsAre("jobs/train"));
  EXPECT_THAT(list({"why", "job", ""}), ElementsAre("train"));
  EXPECT_THAT(list({"queue", "hold", ""}), ElementsAre("team"));
  EXPECT_THAT(list({"tree", "-n", ""}), Contains("default"));
  EXPECT_THAT(list({"why", "nokind/"}), ElementsAre());
}

}  // namespace
}  // namespace coppice::cli
