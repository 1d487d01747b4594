#include "kube/events/event_correlator.h"

#include <algorithm>

namespace coppice::kube {
namespace {

constexpr const char* kCombined = "(combined from similar events): ";

std::string Join(std::initializer_list<std::string_view> parts) {
  std::string joined;
  for (const std::string_view part : parts) joined.append(part).push_back('\x1f');
  return joined;
}

}  // namespace

EventCorrelator::EventCorrelator(Options options)
    : options_(options), budgets_(options.cache_size), similar_(options.cache_size) {}

std::optional<EventCorrelator::Output> EventCorrelator::Correlate(const Input& input,
                                                                  base::Instant now) {
  std::string kind = Join({input.source, input.object, input.type, input.reason});
  Similar& similar = similar_[kind];
  if (now - similar.last > options_.similar_window) similar.messages.clear();
  similar.last = now;
  similar.messages.insert(input.message);
  const bool aggregate = similar.messages.size() > options_.similar_limit;
  // The set need not grow beyond what the comparison needs.
  if (aggregate) similar.messages.erase(std::prev(similar.messages.end()));
  if (!WithinBudget(input, now)) return std::nullopt;
  if (aggregate) return Output{std::move(kind), kCombined + input.message, true};
  return Output{kind + input.message, input.message, false};
}

bool EventCorrelator::WithinBudget(const Input& input, base::Instant now) {
  Budget& budget = budgets_[Join({input.source, input.object})];
  if (!budget.known) budget = {true, options_.spam_burst, now};
  const double refill = std::chrono::duration<double>(now - budget.refilled) /
                        std::chrono::duration<double>(options_.spam_refill);
  budget.tokens = std::min(options_.spam_burst, budget.tokens + refill);
  budget.refilled = now;
  if (budget.tokens < 1) return false;
  budget.tokens -= 1;
  return true;
}

}  // namespace coppice::kube
