#include "backends/gangs/restarts.h"

#include <gtest/gtest.h>

#include "backends/tests/world_testing.h"

namespace coppice::backends {
namespace {

using json::Value;
using std::chrono::milliseconds;
using std::chrono::seconds;

const Value kBlocked = Yaml(
    "{metadata: {namespace: ai, name: llm-0}, status: {conditions: [{type: BackendSynced, status: "
    "'False', reason: UpdateBlocked}]}}");

Value GangPod(const std::string& name) {
  return Yaml("{apiVersion: v1, kind: Pod, metadata: {namespace: ai, name: " + name +
              ", uid: " + name + ", labels: {grove.io/podgang: llm-0}}}");
}

TEST(RestartHold, LastsWhilePodsGo) {
  Restarts restarts;
  const base::Instant start{};
  const auto holds = [&](const std::vector<Value>& pods, base::Duration after) {
    return restarts.Holds(FixedView(pods), kBlocked, start + after);
  };
  EXPECT_TRUE(holds({GangPod("b"), GangPod("c")}, seconds(0)));
  EXPECT_TRUE(holds({GangPod("c")}, milliseconds(1500)));  // Another one is gone.
  EXPECT_TRUE(holds({GangPod("c")}, milliseconds(3000)));
  EXPECT_TRUE(holds({}, milliseconds(3400)));
  EXPECT_TRUE(holds({}, seconds(60)));  // The objects are replaced first.
}

TEST(RestartHold, EndsWhenTheOthersStay) {
  Restarts restarts;
  const base::Instant start{};
  EXPECT_TRUE(restarts.Holds(FixedView({GangPod("b")}), kBlocked, start));
  EXPECT_FALSE(restarts.Holds(FixedView({GangPod("b")}), kBlocked, start + seconds(2)));
  // A new pod is no reason to wait, but its removal is.
  const FixedView both({GangPod("b"), GangPod("new")});
  EXPECT_FALSE(restarts.Holds(both, kBlocked, start + seconds(3)));
  EXPECT_TRUE(restarts.Holds(FixedView({GangPod("b")}), kBlocked, start + seconds(30)));
}

TEST(RestartHold, IsForBlockedGangsAlone) {
  Restarts restarts;
  const Value synced = Yaml("{metadata: {namespace: ai, name: llm-0}}");
  EXPECT_FALSE(restarts.Holds(FixedView({}), synced, base::Instant{}));
}

}  // namespace
}  // namespace coppice::backends
