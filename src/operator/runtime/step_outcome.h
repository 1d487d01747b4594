#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace coppice::operators {

// The requeue delay if no event tells us when to check again.
inline constexpr base::Duration kPollInterval = std::chrono::seconds(5);

// A step's error, with the code that users find in status.lastErrors.
struct StepError {
  std::string code;
  std::string operation;
  base::Error error;
};

// The result of a reconcile step. "Not yet" and "failed" are different: a waiting step stops the
// later steps (or lets them run) without an error.
class StepOutcome {
 public:
  enum class Kind {
    kDone,
    kContinueAndRequeue,  // Later steps run; requeue after a while.
    kRequeue,             // Later steps wait; requeue after a while.
    kFailed,
  };

  static StepOutcome Done() { return StepOutcome(Kind::kDone); }
  // `reason` is for the log.
  static StepOutcome ContinueAndRequeue(std::string reason, base::Duration after = kPollInterval);
  static StepOutcome RequeueAfter(std::string reason, base::Duration after = kPollInterval);
  static StepOutcome Failed(std::string_view code, std::string_view operation, base::Error error);

  Kind kind() const { return kind_; }
  bool done() const { return kind_ == Kind::kDone; }
  // True if the next step may run.
  bool proceeds() const { return kind_ == Kind::kDone || kind_ == Kind::kContinueAndRequeue; }
  const std::string& reason() const { return reason_; }
  std::optional<base::Duration> after() const { return after_; }
  const std::vector<StepError>& errors() const { return errors_; }

  // Merges the outcome of a parallel step: waiting beats failing beats proceeding; keeps errors and
  // the shortest delay.
  void Merge(const StepOutcome& other);

 private:
  explicit StepOutcome(Kind kind) : kind_(kind) {}

  Kind kind_;
  std::string reason_;
  std::optional<base::Duration> after_;
  std::vector<StepError> errors_;
};

// Errors that mean "your copy is stale": retry immediately, do not report to users.
bool IsStaleWrite(const base::Error& error);

}  // namespace coppice::operators

// Returns StepOutcome::Failed from the enclosing function if `expression` (a Result) failed.
#define OPERATOR_TRY(code, operation, expression)                                    \
  do {                                                                               \
    auto&& operator_try_result = (expression);                                       \
    if (!operator_try_result) {                                                      \
      return ::coppice::operators::StepOutcome::Failed(code, operation,              \
                                                       operator_try_result.error()); \
    }                                                                                \
  } while (false)
