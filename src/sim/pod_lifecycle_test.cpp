#include "sim/pod_lifecycle.h"

#include <gtest/gtest.h>

#include "json/parse.h"
#include "kube/object.h"

namespace coppice::sim {
namespace {

using namespace std::chrono_literals;
using json::Value;

class PodLifecycle : public ::testing::Test {
 protected:
  Value pod_ = *json::Parse(R"({
    "apiVersion": "v1", "kind": "Pod",
    "metadata": {"name": "a", "namespace": "d", "uid": "u"},
    "spec": {"nodeName": "n", "containers": [{"name": "c", "image": "i"}]},
    "status": {"phase": "Pending"}})");
  base::VirtualClock clock_;
  bool init_may_finish_ = true;

  PodStep Step() {
    PodStep step = AdvancePod(pod_, clock_.Now(),
                              [&](const Value&, const Value&) { return init_may_finish_; });
    if (step.status) pod_.Set("status", *step.status);
    return step;
  }
  std::string_view Phase() { return pod_["status"]["phase"].AsString(); }
  bool Ready() { return kube::ConditionIs(pod_, "Ready", "True"); }
  void Annotate(std::string_view key, std::string_view value) {
    pod_.Mutable("metadata").Mutable("annotations").Set(key, value);
  }
};

TEST_F(PodLifecycle, RunsAndIsReadyInOneStepThenChangesNothing) {
  Step();
  EXPECT_EQ(Phase(), "Running");
  EXPECT_TRUE(Ready());
  const PodStep again = Step();
  EXPECT_FALSE(again.status);
  EXPECT_FALSE(again.again);
}

TEST_F(PodLifecycle, BecomesReadyLater) {
  Annotate("sim.coppice.dev/ready-seconds", "10");
  EXPECT_EQ(Step().again, 10s);
  EXPECT_FALSE(Ready());
  clock_.Advance(10s);
  Step();
  EXPECT_TRUE(Ready());
}

TEST_F(PodLifecycle, CompletesAndFailsByExitCode) {
  Annotate("sim.coppice.dev/run-seconds", "5");
  Annotate("sim.coppice.dev/exit-code", "3");
  EXPECT_EQ(Step().again, 5s);
  clock_.Advance(5s);
  Step();
  EXPECT_EQ(Phase(), "Failed");
  EXPECT_EQ(pod_["status"]["containerStatuses"].At(0)["state"]["terminated"]["exitCode"].AsInt(),
            3);
  EXPECT_FALSE(Step().status);
}

TEST_F(PodLifecycle, SleepCommandSaysHowLong) {
  pod_.Mutable("spec")
      .Mutable("containers")
      .MutableAt(0)
      .Set("command", Value::Array({"sleep", "30"}));
  EXPECT_EQ(Step().again, 30s);
  clock_.Advance(30s);
  Step();
  EXPECT_EQ(Phase(), "Succeeded");
}

TEST_F(PodLifecycle, CommandsThatEndAtOnceDoSoUnlessThePodRestarts) {
  pod_.Mutable("spec").Mutable("containers").MutableAt(0).Set("command", Value::Array({"date"}));
  Step();
  EXPECT_EQ(Phase(), "Running");
  pod_.Mutable("spec").Set("restartPolicy", "Never");
  Step();
  EXPECT_EQ(Phase(), "Succeeded");
}

TEST_F(PodLifecycle, InitContainersRunInOrderAndMayWait) {
  pod_.Mutable("spec").Set("initContainers", *json::Parse(R"([{"name":"x"},{"name":"y"}])"));
  Annotate("sim.coppice.dev/init-seconds", "2");
  init_may_finish_ = false;
  EXPECT_EQ(Step().again, 2s);
  clock_.Advance(2s);
  Step();
  EXPECT_EQ(Phase(), "Pending");
  init_may_finish_ = true;
  EXPECT_EQ(Step().again, 2s);
  const Value& statuses = pod_["status"]["initContainerStatuses"];
  EXPECT_TRUE(statuses.At(0)["state"].Has("terminated"));
  EXPECT_TRUE(statuses.At(1)["state"].Has("running"));
  clock_.Advance(2s);
  Step();
  EXPECT_EQ(Phase(), "Running");
}

TEST_F(PodLifecycle, TerminatesWithinItsGrace) {
  Step();
  Annotate("sim.coppice.dev/terminate-seconds", "60");
  pod_.Mutable("metadata").Set("deletionGracePeriodSeconds", 30);
  pod_.Mutable("metadata").Set("deletionTimestamp", base::FormatRfc3339(clock_.Now() + 30s));
  EXPECT_EQ(Step().again, 30s);
  clock_.Advance(30s);
  EXPECT_TRUE(Step().remove);
}

}  // namespace
}  // namespace coppice::sim
