#pragma once

#include <optional>
#include <string>

#include "engine/session/session.h"

namespace coppice::engine {

// The remaining time of a search, for the action, the job and the generator
// (docs/behaviour/engine.md S-57). Without a stopwatch the time never runs out.
class SearchBudget {
 public:
  SearchBudget(const Session& session, const std::string& action);

  // False if a configured limit is negative or the limits contradict each other.
  bool valid() const { return valid_; }
  // False if the action has no time left for another job.
  bool BeginJob();
  // Whether the current job gets less than the maximum per job, because the action is short of
  // time.
  bool reduced() const { return reduced_; }
  void BeginGenerator(const std::string& generator);
  bool ActionExhausted() const;
  bool JobExhausted() const;
  bool GeneratorExhausted() const;

 private:
  base::Instant Now() const;

  const Session& session_;
  bool valid_ = true;
  bool reduced_ = false;
  std::optional<base::Instant> action_end_;
  std::optional<base::Instant> job_end_;
  std::optional<base::Instant> generator_end_;
};

}  // namespace coppice::engine
