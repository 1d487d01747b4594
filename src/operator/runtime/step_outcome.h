#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace coppice::operators {

// How long to wait where nothing tells when to look again.
inline constexpr base::Duration kPollInterval = std::chrono::seconds(5);

// What went wrong in a step, with the code that users find in status.lastErrors.
struct StepError {
  std::string code;
  std::string operation;
  base::Error error;
};

// How a step of a reconcile ended. "Not yet" and "failed" are different things: a step that waits
// stops the flow (or lets it go on) without an error.
class StepOutcome {
 public:
  enum class Kind {
    kDone,
    kContinueAndRequeue,  // Later steps run; come back after a while.
    kRequeue,             // Later steps wait; come back after a while.
    kFailed,
  };

  static StepOutcome Done() { return StepOutcome(Kind::kDone); }
  // `reason` is for the log.
  static StepOutcome ContinueAndRequeue(std::string reason, base::Duration after = kPollInterval);
  static StepOutcome RequeueAfter(std::string reason, base::Duration after = kPollInterval);
  static StepOutcome Failed(std::string_view code, std::string_view operation, base::Error error);

  Kind kind() const { return kind_; }
  bool done() const { return kind_ == Kind::kDone; }
  // True when the flow may go on to its next step.
  bool proceeds() const { return kind_ == Kind::kDone || kind_ == Kind::kContinueAndRequeue; }
  const std::string& reason() const { return reason_; }
  std::optional<base::Duration> after() const { return after_; }
  const std::vector<StepError>& errors() const { return errors_; }

  // Folds in what a step beside this one said: waiting beats failing beats going on, errors and
  // the shortest delay are kept.
  void Merge(const StepOutcome& other);

 private:
  explicit StepOutcome(Kind kind) : kind_(kind) {}

  Kind kind_;
  std::string reason_;
  std::optional<base::Duration> after_;
  std::vector<StepError> errors_;
};

// Errors that say "your copy is old": worth another try at once, not worth telling users.
bool IsStaleWrite(const base::Error& error);

}  // namespace coppice::operators

// Ends the enclosing function, which returns a StepOutcome, when `expression` (a Result) failed.
#define OPERATOR_TRY(code, operation, expression)                                    \
  do {                                                                               \
    auto&& operator_try_result = (expression);                                       \
    if (!operator_try_result) {                                                      \
      return ::coppice::operators::StepOutcome::Failed(code, operation,              \
                                                       operator_try_result.error()); \
    }                                                                                \
  } while (false)
