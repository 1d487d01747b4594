#include "backends/model/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace coppice::backends {
namespace {

using json::Value;

// Options that every backend's profile may have.
std::vector<Option> CommonOptions() {
  return {{"schedulerNames", Option::Type::kList},
          {"topology", Option::Type::kMapping},
          {"reuseReservation", Option::Type::kBool},
          {"admission", Option::Type::kText, {"", "kueue"}},
          {"kueueMode", Option::Type::kText, {"PodGroup", "Workload"}},
          {"kueueTopology", Option::Type::kText, {"Delegate", "Reject"}}};
}

bool HasType(const Value& value, Option::Type type) {
  switch (type) {
    case Option::Type::kText:
      return value.IsString();
    case Option::Type::kBool:
      return value.IsBool();
    case Option::Type::kNumber:
      return value.IsInt();
    case Option::Type::kList:
      return value.IsArray();
    case Option::Type::kMapping:
      return value.IsObject();
  }
  return false;
}

std::string_view TypeText(Option::Type type) {
  static constexpr std::string_view kNames[] = {"text", "true or false", "a whole number", "a list",
                                                "a mapping"};
  return kNames[static_cast<size_t>(type)];
}

base::Status CheckValue(const Option& option, const Value& value, const std::string& field) {
  if (!HasType(value, option.type)) {
    return WrongField(field, fmt::format("must be {}", TypeText(option.type)));
  }
  const auto& values = option.values;
  if (values.empty() || std::find(values.begin(), values.end(), value.AsString()) != values.end()) {
    return {};
  }
  return WrongField(
      field, fmt::format("\"{}\" is not one of {}", value.AsString(), fmt::join(values, ", ")));
}

std::string Names(const std::vector<Option>& options) {
  std::vector<std::string_view> names;
  for (const Option& option : options) names.push_back(option.name);
  std::sort(names.begin(), names.end());
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

base::Error WrongField(const std::string& path, const std::string& message) {
  return base::Error(base::ErrorCode::kInvalid, path + ": " + message)
      .WithCause({"FieldValueInvalid", path, message});
}

base::Status CheckOptions(const std::vector<Option>& own, const Value& options,
                          const std::string& path) {
  std::vector<Option> known = CommonOptions();
  known.insert(known.end(), own.begin(), own.end());
  for (const json::Member& member : options.Members()) {
    const std::string field = fmt::format("{}.config.{}", path, member.name());
    const auto option = std::find_if(
        known.begin(), known.end(), [&](const Option& each) { return each.name == member.name(); });
    if (option == known.end()) {
      return WrongField(field, fmt::format("unknown; known are {}", Names(known)));
    }
    COPPICE_TRY(CheckValue(*option, member.value, field));
  }
  return {};
}

}  // namespace coppice::backends
