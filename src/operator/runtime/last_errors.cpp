#include "operator/runtime/last_errors.h"

#include <fmt/format.h>

namespace coppice::operators {

using api::grove::LastError;

void UpdateLastErrors(const StepOutcome& outcome, base::Time now, std::vector<LastError>& errors) {
  std::vector<LastError> current;
  for (const StepError& error : outcome.errors()) {
    if (IsStaleWrite(error.error)) continue;
    LastError entry{error.code,
                    fmt::format("[Operation: {}, Code: {}] {}", error.operation, error.code,
                                error.error.message()),
                    base::FormatRfc3339(now)};
    for (const LastError& old : errors) {
      if (old.code == entry.code && old.description == entry.description) {
        entry.observedAt = old.observedAt;
      }
    }
    current.push_back(std::move(entry));
  }
  errors = std::move(current);
}

}  // namespace coppice::operators
