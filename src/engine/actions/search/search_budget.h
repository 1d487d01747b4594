#pragma once

#include <optional>
#include <string>

#include "engine/framework/session.h"

namespace coppice::engine {

// How long a search may still go on: for the action, the job and the generator at once
// (docs/behaviour/engine.md S-57). Without a stopwatch nothing ever runs out.
class SearchBudget {
 public:
  SearchBudget(const Session& session, const std::string& action);

  // False when a configured limit is negative or the limits contradict each other.
  bool valid() const { return valid_; }
  // False when the action has no time left for another job.
  bool BeginJob();
  // Whether the job that has begun gets less than a job may take, for the action's sake.
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
