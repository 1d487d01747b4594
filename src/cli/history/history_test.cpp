#include "cli/history/history.h"

#include <gmock/gmock.h>

#include "cli/show/show_testing.h"

namespace coppice::cli {
namespace {

using json::Value;
using ::testing::HasSubstr;
using ::testing::Not;

class History : public ShowTest {};

TEST_F(History, TellsOfPlacementEvictionAndRestarts) {
  Put(api::kJobs, R"(
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: default}
spec: {template: {spec: {restartPolicy: OnFailure, containers: [{name: c, image: i}]}}}
)");
  const std::string uid(kube::Uid(*client_->Get(api::kJobs, {"default", "train"})));
  Put(api::kPods, fmt::format(R"(
apiVersion: v1
kind: Pod
metadata:
  name: train-new
  namespace: default
  annotations: {{pod-group-name: pg-train}}
  ownerReferences: [{{apiVersion: batch/v1, kind: Job, name: train, uid: "{}"}}]
spec: {{nodeName: n1, containers: [{{name: c, image: i}}]}}
status:
  phase: Running
  conditions: [{{type: PodScheduled, status: "True", lastTransitionTime: "2026-01-01T03:00:00Z"}}]
  containerStatuses:
  - {{name: c, image: i, imageID: x, ready: true, restartCount: 2, lastState: {{terminated: {{exitCode: 137, reason: OOMKilled, finishedAt: "2026-01-01T04:00:00Z"}}}}}}
)",
                              uid));
  Put(api::kPodGroups, R"(
apiVersion: scheduling.run.ai/v2alpha2
kind: PodGroup
metadata: {name: pg-train, namespace: default}
spec: {queue: q, minMember: 1}
)");
  const std::string group(kube::Uid(*client_->Get(api::kPodGroups, {"default", "pg-train"})));
  Put(api::kEvents, fmt::format(R"(
apiVersion: v1
kind: Event
metadata: {{name: e1, namespace: default, annotations: {{evictor-action-type: reclaim, evictor-pod-group-name: pg-other, evictor-pod-group-namespace: team-b}}}}
involvedObject: {{apiVersion: scheduling.run.ai/v2alpha2, kind: PodGroup, name: pg-train, namespace: default, uid: "{}"}}
reason: Evict
type: Normal
message: over its quota
lastTimestamp: "2026-01-01T02:00:00Z"
)",
                                group));
  // A pod that is gone, and one of another Job.
  for (const char* pod : {"train-old", "other-pod"}) {
    Put(api::kEvents, fmt::format(R"(
apiVersion: v1
kind: Event
metadata: {{name: e-{0}, namespace: default}}
involvedObject: {{apiVersion: v1, kind: Pod, name: {0}, namespace: default, uid: "{0}"}}
reason: Killing
type: Warning
message: stopping
lastTimestamp: "2026-01-01T02:00:01Z"
)",
                                  pod));
  }
  const auto history = ReadHistory(*client_, "default", "job/train");
  ASSERT_TRUE(history) << history.error().message();
  const std::string text = FormatHistory(*history, {.wide = true});
  EXPECT_THAT(text, HasSubstr("reclaim for team-b/pg-other: over its quota"));
  EXPECT_THAT(text, HasSubstr("pod/train-old"));
  EXPECT_THAT(text, HasSubstr("placed on n1"));
  EXPECT_THAT(text, HasSubstr("container c ended with exit code 137 (2 restarts so far)"));
  EXPECT_THAT(text, Not(HasSubstr("other-pod")));
  EXPECT_LT(text.find("reclaim for"), text.find("placed on n1")) << "oldest first";
}

TEST_F(History, ANameThatNothingHasIsSaid) {
  EXPECT_THAT(ReadHistory(*client_, "default", "nobody").error().message(),
              HasSubstr("nothing is called \"nobody\""));
}

}  // namespace
}  // namespace coppice::cli
