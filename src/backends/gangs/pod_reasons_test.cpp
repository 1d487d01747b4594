#include "backends/gangs/pod_reasons.h"

#include <gtest/gtest.h>

#include "backends/tests/world_testing.h"

namespace coppice::backends {
namespace {

using json::Value;

constexpr char kFull[] = "0/2 nodes are available: 2 Insufficient nvidia.com/gpu.";

Value RefusedPod(const std::string& message, const std::string& reason = "Unschedulable") {
  return Yaml("{status: {conditions: [{type: PodScheduled, status: 'False', reason: " + reason +
              ", message: '" + message + "'}]}}");
}

std::string MainMessage(const std::vector<Value>& pods) {
  const auto main = MainReason(pods);
  return main ? main->message : "";
}

TEST(PodReasons, MostPodsDecide) {
  EXPECT_EQ(MainMessage({RefusedPod("a"), RefusedPod("b"), RefusedPod("b")}), "b");
  EXPECT_EQ(MainMessage({RefusedPod("b"), RefusedPod("a")}), "a");
  EXPECT_EQ(MainMessage({RefusedPod("gated", "SchedulingGated")}), "");
}

// Volcano says of pods that fit which node they would get.
TEST(PodReasons, PodsThatFitDoNotCount) {
  const Value fits = RefusedPod("Pod ai/a can possibly be assigned to n1", "Schedulable");
  EXPECT_EQ(MainMessage({fits, fits, RefusedPod(kFull)}), kFull);
}

TEST(PodReasons, TheCauseCountsMoreThanItsEchoes) {
  for (const std::string echo :
       {"optimistic rejection in PostFilter", "rejection in Unreserve",
        "Gang \"ai/llm-0\" gets rejected due to Pod \"a\" in Unreserve",
        "GangGroup \"ai/llm-0\" gets rejected due to member Pod \"ai/c\" is unschedulable",
        "rejected due to timeout after waiting 1m0s at plugin Coscheduling"}) {
    const Value pod = RefusedPod("0/1 nodes are available: 1 " + echo + ".");
    EXPECT_EQ(MainMessage({pod, pod, RefusedPod(kFull)}), kFull) << echo;
    EXPECT_EQ(MainMessage({pod, pod}), "0/1 nodes are available: 1 " + echo + ".");
  }
}

// The pod without a node also names its group.
TEST(PodReasons, ACauseMayMentionTheGroup) {
  const std::string cause = std::string(kFull) +
                            " PodGroup ai/llm-0 gets rejected due to Pod c is unschedulable even "
                            "after PostFilter";
  const Value pod = RefusedPod("0/1 nodes are available: 1 optimistic rejection in PostFilter.");
  EXPECT_EQ(MainMessage({pod, RefusedPod(cause)}), cause);
}

}  // namespace
}  // namespace coppice::backends
