#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/conditions.h"
#include "operator/runtime/conditions.h"
#include "operator/runtime/config.h"
#include "operator/runtime/step_outcome.h"

// The ReplicaFailure condition, named as on ReplicaSets and Deployments: a child of the object
// cannot be created. Grove has no such condition, so it is not set under `compatibility: grove`.
namespace coppice::operators {

using api::conditions::kReplicaFailure;

struct Failure {
  std::string reason;
  std::string message;
};

// What failed in a reconcile, if users should know about it.
std::optional<Failure> FailureOf(const StepOutcome& outcome);
// What a child reports about itself.
std::optional<Failure> FailureOf(std::string_view kind, const std::string& name,
                                 const std::vector<Condition>& conditions);

// Sets or clears the condition.
void UpdateFailure(const Config& config, const std::optional<Failure>& failure, int64_t generation,
                   base::Time now, std::vector<Condition>& conditions);

}  // namespace coppice::operators
