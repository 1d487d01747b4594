#include "engine/actions/search/search_budget.h"

#include <algorithm>

namespace coppice::engine {
namespace {

base::Duration LimitOf(const std::map<std::string, base::Duration>& limits,
                       const std::string& key) {
  auto found = limits.find(key);
  if (found == limits.end()) found = limits.find("default");
  return found == limits.end() ? base::Duration{} : found->second;
}

}  // namespace

SearchBudget::SearchBudget(const Session& session, const std::string& action) : session_(session) {
  const SearchBudgets& budgets = session.config.budgets;
  const base::Duration limit = LimitOf(budgets.max_action, action);
  bool negative = limit.count() < 0 || budgets.max_job.count() < 0 || budgets.min_job.count() < 0;
  for (const auto& [name, duration] : budgets.max_generator) negative |= duration.count() < 0;
  const bool contradiction = budgets.max_job.count() > 0 && budgets.min_job >= budgets.max_job;
  valid_ = !negative && !contradiction;
  if (session_.stopwatch && limit.count() > 0) action_end_ = Now() + limit;
}

base::Instant SearchBudget::Now() const { return session_.stopwatch(); }

bool SearchBudget::BeginJob() {
  job_end_.reset();
  generator_end_.reset();
  reduced_ = false;
  if (!session_.stopwatch) return true;
  const SearchBudgets& budgets = session_.config.budgets;
  const base::Instant now = Now();
  if (action_end_ && now >= *action_end_) return false;
  if (budgets.max_job.count() > 0) job_end_ = now + budgets.max_job;
  reduced_ = job_end_ && action_end_ && *action_end_ < *job_end_;
  if (action_end_) job_end_ = std::min(job_end_.value_or(*action_end_), *action_end_);
  if (job_end_) job_end_ = std::max(*job_end_, now + budgets.min_job);
  return true;
}

void SearchBudget::BeginGenerator(const std::string& generator) {
  generator_end_.reset();
  if (!session_.stopwatch) return;
  const base::Duration limit = LimitOf(session_.config.budgets.max_generator, generator);
  if (limit.count() > 0) generator_end_ = Now() + limit;
}

bool SearchBudget::ActionExhausted() const { return action_end_ && Now() >= *action_end_; }

bool SearchBudget::JobExhausted() const { return job_end_ && Now() >= *job_end_; }

bool SearchBudget::GeneratorExhausted() const { return generator_end_ && Now() >= *generator_end_; }

}  // namespace coppice::engine
