#include "operator/runtime/step_outcome.h"

#include <algorithm>
#include <utility>

namespace coppice::operators {
namespace {

int Severity(StepOutcome::Kind kind) {
  switch (kind) {
    case StepOutcome::Kind::kDone:
      return 0;
    case StepOutcome::Kind::kContinueAndRequeue:
      return 1;
    case StepOutcome::Kind::kFailed:
      return 2;
    case StepOutcome::Kind::kRequeue:
      return 3;
  }
  return 0;
}

}  // namespace

StepOutcome StepOutcome::ContinueAndRequeue(std::string reason, base::Duration after) {
  StepOutcome outcome(Kind::kContinueAndRequeue);
  outcome.reason_ = std::move(reason);
  outcome.after_ = after;
  return outcome;
}

StepOutcome StepOutcome::RequeueAfter(std::string reason, base::Duration after) {
  StepOutcome outcome(Kind::kRequeue);
  outcome.reason_ = std::move(reason);
  outcome.after_ = after;
  return outcome;
}

StepOutcome StepOutcome::Failed(std::string_view code, std::string_view operation,
                                base::Error error) {
  StepOutcome outcome(Kind::kFailed);
  outcome.reason_ = error.message();
  outcome.errors_.push_back({std::string(code), std::string(operation), std::move(error)});
  return outcome;
}

void StepOutcome::Merge(const StepOutcome& other) {
  if (Severity(other.kind_) > Severity(kind_)) {
    kind_ = other.kind_;
    reason_ = other.reason_;
  }
  if (other.after_) after_ = after_ ? std::min(*after_, *other.after_) : *other.after_;
  errors_.insert(errors_.end(), other.errors_.begin(), other.errors_.end());
}

bool IsStaleWrite(const base::Error& error) {
  return error.Is(base::ErrorCode::kConflict) || error.Is(base::ErrorCode::kAlreadyExists) ||
         error.Is(base::ErrorCode::kNotFound);
}

}  // namespace coppice::operators
