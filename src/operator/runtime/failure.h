#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/conditions.h"
#include "operator/runtime/conditions.h"
#include "operator/runtime/config.h"
#include "operator/runtime/step_outcome.h"

// Condition ReplicaFailure, named as on ReplicaSets and Deployments: something that the object
// consists of cannot be made. Grove has none of the kind, so it is not told under
// `compatibility: grove`.
namespace coppice::operators {

using api::conditions::kReplicaFailure;

struct Failure {
  std::string reason;
  std::string message;
};

// What went wrong in a pass, if anything did that users should hear of.
std::optional<Failure> FailureOf(const StepOutcome& outcome);
// What a part of the object tells of itself.
std::optional<Failure> FailureOf(std::string_view kind, const std::string& name,
                                 const std::vector<Condition>& conditions);

// Tells a failure, or that there is none any more.
void UpdateFailure(const Config& config, const std::optional<Failure>& failure, int64_t generation,
                   base::Time now, std::vector<Condition>& conditions);

}  // namespace coppice::operators
