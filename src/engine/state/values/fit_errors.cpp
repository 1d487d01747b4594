#include "engine/state/values/fit_errors.h"

#include <fmt/format.h>

#include <algorithm>

namespace coppice::engine {
namespace {

std::string Join(const std::vector<std::string>& parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

}  // namespace

std::string TaskErrors::Text() const {
  std::string text = base.empty() ? kNoNodes : base;
  if (reasons.empty()) return text;
  std::vector<std::string> parts;
  for (const auto& [reason, count] : reasons) parts.push_back(fmt::format("{} {}", count, reason));
  std::sort(parts.begin(), parts.end());
  return text + ": " + Join(parts, ". \n") + ".";
}

FitError Shortfall::Describe(const Names& names) const {
  const std::string_view why = reason.empty() ? kUnableToSchedulePod : std::string_view(reason);
  std::string text;
  switch (kind) {
    case Kind::kPod:
      text = fmt::format("Resources were not found for pod {}/{} due to: {}",
                         names.Text(namespace_name), names.Text(pod), why);
      break;
    case Kind::kGang:
      text = fmt::format(
          "Resources were found for {} pods while {} are required for gang scheduling. Additional "
          "pods cannot be scheduled due to: {}",
          found, min, why);
      break;
    case Kind::kSubGroup:
      text = fmt::format(
          "Resources were found for {} pods from all sub-groups while sub-group {} requires {} "
          "pods for gang scheduling. Additional pods cannot be scheduled in this sub-group due to: "
          "{}",
          found, names.Text(pod_set), min, why);
      break;
  }
  return {"PodSchedulingErrors", text, text, {}};
}

std::vector<FitError> JobErrors::All(const Names& names) const {
  std::vector<FitError> all;
  for (const auto& error : errors_) {
    const auto* shortfall = std::get_if<Shortfall>(&error);
    all.push_back(shortfall ? shortfall->Describe(names) : std::get<FitError>(error));
  }
  return all;
}

std::string JobErrors::Text(const Names& names) const {
  const std::vector<FitError> errors = All(names);
  std::string text = errors.size() == 1 ? errors[0].reason : kUnableToScheduleGroup;
  if (errors.empty()) return text;
  std::map<std::string, int> counts;
  for (const auto& error : errors) ++counts[error.message];
  std::vector<std::string> parts;
  for (const auto& [message, count] : counts) {
    parts.push_back(count > 1 ? fmt::format("{} {}", count, message) : message);
  }
  std::sort(parts.begin(), parts.end());
  return text + ": " + Join(parts, ". \n") + ".";
}

std::string JobErrors::DetailedText(const Names& names) const {
  const std::vector<FitError> errors = All(names);
  std::vector<std::string> lines;
  for (const auto& error : errors) lines.push_back("\n" + error.detail + ".");
  std::sort(lines.begin(), lines.end());
  const std::string reason = errors.size() == 1 ? errors[0].reason : kUnableToScheduleGroup;
  return "\n" + reason + "." + Join(lines, "");
}

std::string HumanAmount(double value, double unit) {
  if (value == -1) return "Unlimited";
  std::string text = fmt::format("{:.6f}", value / unit);
  text.resize(text.size() - 3);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace coppice::engine
