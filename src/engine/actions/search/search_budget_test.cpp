#include "engine/actions/search/search_budget.h"

#include <gtest/gtest.h>

#include "engine/tests/cycle_testing.h"

namespace coppice::engine {
namespace {

using namespace testing;  // NOLINT: of this folder
using std::chrono::minutes;
using std::chrono::seconds;

class BudgetTest : public ::testing::Test {
 protected:
  SearchBudget Begin(SearchBudgets budgets, const std::string& action = "reclaim") {
    cycle.configuration.budgets = std::move(budgets);
    cycle.Open([this] { return now; });
    return SearchBudget(*cycle.session, action);
  }

  OpenedCycle cycle;
  base::Instant now{std::chrono::hours(1)};
};

TEST_F(BudgetTest, DefaultsAreUpstreams) {
  const SearchBudgets budgets = SearchBudgets::Defaults();
  EXPECT_EQ(budgets.max_action.at("default"), minutes(5));
  EXPECT_EQ(budgets.max_job, minutes(4));
  EXPECT_EQ(budgets.min_job, seconds(0));
  EXPECT_EQ(budgets.max_generator.at("default"), minutes(2));
  EXPECT_EQ(budgets.max_generator.at("NodeLocalGreedy"), seconds(30));
  EXPECT_EQ(budgets.max_generator.at("MultiNodeGang"), minutes(2));
}

TEST_F(BudgetTest, ZeroIsUnlimited) {
  SearchBudgets none;
  none.max_job = {};
  SearchBudget budget = Begin(none);
  ASSERT_TRUE(budget.valid());
  ASSERT_TRUE(budget.BeginJob());
  budget.BeginGenerator("NodeLocalGreedy");
  now += std::chrono::hours(100);
  EXPECT_FALSE(budget.JobExhausted());
  EXPECT_FALSE(budget.GeneratorExhausted());
  EXPECT_TRUE(budget.BeginJob());
}

TEST_F(BudgetTest, AJobGetsItsTimeOrWhatTheActionHasLeft) {
  SearchBudget budget = Begin(SearchBudgets::Defaults());
  ASSERT_TRUE(budget.BeginJob());
  EXPECT_FALSE(budget.reduced());
  now += minutes(4);
  EXPECT_TRUE(budget.JobExhausted());
  ASSERT_TRUE(budget.BeginJob());
  EXPECT_TRUE(budget.reduced());
  now += seconds(59);
  EXPECT_FALSE(budget.JobExhausted());
  now += seconds(1);
  EXPECT_TRUE(budget.JobExhausted());
  EXPECT_FALSE(budget.BeginJob());  // The action is over.
}

TEST_F(BudgetTest, AJobGetsAtLeastItsMinimum) {
  SearchBudgets budgets = SearchBudgets::Defaults();
  budgets.min_job = minutes(2);
  SearchBudget budget = Begin(budgets);
  now += seconds(299);
  ASSERT_TRUE(budget.BeginJob());
  now += seconds(119);
  EXPECT_FALSE(budget.JobExhausted());
  now += seconds(1);
  EXPECT_TRUE(budget.JobExhausted());
}

TEST_F(BudgetTest, AGeneratorEndsBeforeItsJob) {
  SearchBudget budget = Begin(SearchBudgets::Defaults());
  ASSERT_TRUE(budget.BeginJob());
  budget.BeginGenerator("NodeLocalGreedy");
  now += seconds(30);
  EXPECT_TRUE(budget.GeneratorExhausted());
  EXPECT_FALSE(budget.JobExhausted());
  budget.BeginGenerator("MultiNodeGang");
  EXPECT_FALSE(budget.GeneratorExhausted());
}

TEST_F(BudgetTest, TheActionsOwnLimitComesBeforeTheDefault) {
  SearchBudgets budgets = SearchBudgets::Defaults();
  budgets.max_action["preempt"] = seconds(10);
  SearchBudget budget = Begin(budgets, "preempt");
  now += seconds(10);
  EXPECT_FALSE(budget.BeginJob());
}

TEST_F(BudgetTest, ContradictionsAreRefused) {
  SearchBudgets budgets = SearchBudgets::Defaults();
  budgets.min_job = budgets.max_job;
  EXPECT_FALSE(Begin(budgets).valid());
  budgets.max_job = {};
  EXPECT_TRUE(Begin(budgets).valid());
  budgets = SearchBudgets::Defaults();
  budgets.max_generator["MultiNodeGang"] = seconds(-1);
  EXPECT_FALSE(Begin(budgets).valid());
}

}  // namespace
}  // namespace coppice::engine
