#pragma once

#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/model/result.h"
#include "engine/state/values/names.h"

namespace coppice::engine {

// Why no node fits a pod: reasons with the number of nodes for each.
struct TaskErrors {
  std::string base;  // Empty: the default text.
  std::map<std::string, int> reasons;

  bool empty() const { return base.empty() && reasons.empty(); }
  std::string Text() const;
};

// A pod set for which only some pods found nodes. Searches record this thousands of times and
// hardly ever report it, so it is formatted only on demand.
struct Shortfall {
  enum class Kind : uint8_t { kPod, kGang, kSubGroup };
  Kind kind = Kind::kPod;
  NameId namespace_name = 0;
  NameId pod = 0;
  NameId pod_set = 0;
  int32_t found = 0;
  int32_t min = 0;
  std::string reason;  // For the pod that found no node; empty: kUnableToSchedulePod.

  FitError Describe(const Names& names) const;
};

// Why a pod group was not placed; collects the errors of all attempts in a cycle.
class JobErrors {
 public:
  bool empty() const { return errors_.empty(); }
  size_t size() const { return errors_.size(); }
  void clear() { errors_.clear(); }
  void Add(FitError error) { errors_.emplace_back(std::move(error)); }
  void Add(Shortfall shortfall) { errors_.emplace_back(std::move(shortfall)); }

  // Appends copies of the errors recorded since there were `from`.
  void Repeat(size_t from) {
    const size_t end = errors_.size();
    errors_.reserve(end + end - from);
    for (size_t i = from; i < end; ++i) errors_.push_back(errors_[i]);
  }

  std::vector<FitError> All(const Names& names) const;
  std::string Text(const Names& names) const;
  std::string DetailedText(const Names& names) const;

 private:
  std::vector<std::variant<Shortfall, FitError>> errors_;
};

inline constexpr char kNoNodes[] = "no nodes with enough resources were found";
inline constexpr char kUnableToSchedulePod[] = "Unable to schedule pod";
inline constexpr char kUnableToScheduleGroup[] = "Unable to schedule podgroup";

// `value` in units of `unit`, truncated to three decimals; "Unlimited" for -1.
std::string HumanAmount(double value, double unit);

}  // namespace coppice::engine
