#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/engine.h"
#include "engine/tests/cluster_testing.h"
#include "engine/tests/compatibility_testing.h"

// Quirks of searches that run out of time, in both forms.

namespace coppice::engine {
namespace {

using namespace testing;  // NOLINT: of this folder
using ::testing::ElementsAre;
using ::testing::IsEmpty;

int64_t SearchesOf(const CycleResult& result, const std::string& action) {
  int64_t sum = 0;
  for (const auto& [name, count] : result.actions.at(action).search_results) sum += count;
  return sum;
}

// Two jobs, each of which takes longer than the limit per job; the action has no limit.
CycleResult RunOutOfTime(const Configuration& given) {
  Configuration configuration = given;
  configuration.use_scheduling_signatures = false;
  configuration.budgets.max_action.clear();
  configuration.budgets.max_job = std::chrono::seconds(1);
  Engine engine(configuration);
  PutOneVictimAndTwoWaiting(engine);
  base::Instant time;
  engine.SetStopwatch([&] { return time += std::chrono::seconds(10); });
  return engine.RunCycle(kNow);
}

TEST(CompatibilitySwitches, Deadlines) {
  const auto run = [](bool kept) {
    return SearchesOf(RunOutOfTime(With(Quirk::kDeadlines, kept, {"preempt"})), "preempt");
  };
  EXPECT_EQ(run(true), 1);
  EXPECT_EQ(run(false), 2);
}

TEST(CompatibilitySwitches, SilentDeadlines) {
  const auto reasons = [](bool kept) {
    std::vector<std::string> out;
    const CycleResult result = RunOutOfTime(With(Quirk::kSilentDeadlines, kept, {"preempt"}));
    for (const auto& group : result.groups) {
      for (const auto& error : group.errors) out.push_back(error.reason);
    }
    return out;
  };
  EXPECT_THAT(reasons(true), IsEmpty());
  EXPECT_THAT(reasons(false), ElementsAre("ScenarioSearchUnresolved"));
}

}  // namespace
}  // namespace coppice::engine
