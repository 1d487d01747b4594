#include "operator/runtime/failure.h"

#include <fmt/format.h>

namespace coppice::operators {

std::optional<Failure> FailureOf(const StepOutcome& outcome) {
  for (const StepError& error : outcome.errors()) {
    if (IsStaleWrite(error.error)) continue;
    const bool creating = error.code.starts_with("ERR_CREATE_");
    return Failure{creating ? "FailedCreate" : "FailedSync", error.error.message()};
  }
  return std::nullopt;
}

std::optional<Failure> FailureOf(std::string_view kind, const std::string& name,
                                 const std::vector<Condition>& conditions) {
  const Condition* told = FindCondition(conditions, kReplicaFailure);
  if (told == nullptr || told->status != "True") return std::nullopt;
  // The message of a nested child already names it.
  const bool nested = told->message.starts_with("PodClique ");
  return Failure{told->reason,
                 nested ? told->message : fmt::format("{} {}: {}", kind, name, told->message)};
}

void UpdateFailure(const Config& config, const std::optional<Failure>& failure, int64_t generation,
                   base::Time now, std::vector<Condition>& conditions) {
  if (!failure || !config.policy().ReportsReplicaFailure()) {
    RemoveCondition(conditions, kReplicaFailure);
    return;
  }
  SetCondition(conditions,
               {.type = std::string(kReplicaFailure),
                .status = "True",
                .observedGeneration = generation,
                .lastTransitionTime = "",
                .reason = failure->reason,
                .message = failure->message},
               now);
}

}  // namespace coppice::operators
