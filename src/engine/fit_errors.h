#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/result.h"

namespace coppice::engine {

// Why one pod found no node: reasons with the number of nodes that gave them.
struct TaskErrors {
  std::string base;  // Empty: the default text.
  std::map<std::string, int> reasons;

  bool empty() const { return base.empty() && reasons.empty(); }
  std::string Text() const;
};

// Why a pod group was not placed; errors gather over attempts of one cycle.
struct JobErrors {
  std::vector<FitError> errors;

  bool empty() const { return errors.empty(); }
  std::string Text() const;
  std::string DetailedText() const;
};

inline constexpr char kNoNodes[] = "no nodes with enough resources were found";
inline constexpr char kUnableToSchedulePod[] = "Unable to schedule pod";
inline constexpr char kUnableToScheduleGroup[] = "Unable to schedule podgroup";

// `value` in units of `unit`, cut to three decimals; "Unlimited" for -1.
std::string HumanAmount(double value, double unit);

}  // namespace coppice::engine
