#include "services/admission/placement_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/key/placement.h"
#include "base/files.h"
#include "json/yaml/yaml.h"

namespace coppice::services::admission {
namespace {

base::Status OnlyFields(const json::Value& value, std::string_view where,
                        std::initializer_list<std::string_view> known) {
  if (!value.IsObject()) return base::InvalidArgument(fmt::format("{} must be an object", where));
  for (const json::Member& member : value.Members()) {
    if (std::ranges::find(known, member.name()) != known.end()) continue;
    return base::InvalidArgument(fmt::format("{}: unknown field \"{}\"; known are {}", where,
                                             member.name(), fmt::join(known, ", ")));
  }
  return {};
}

base::Status ReadText(const json::Value& rule, std::string_view field, std::string_view where,
                      std::string& out) {
  const json::Value* value = rule.Find(field);
  if (!value) return {};
  if (!value->IsString() || value->AsString().empty()) {
    return base::InvalidArgument(fmt::format("{}.{} must be a text", where, field));
  }
  out = value->AsString();
  return {};
}

base::Result<PlacementRule> ReadRule(const json::Value& value, const std::string& where) {
  using Key = key::placement::Rule;
  COPPICE_TRY(OnlyFields(value, where, {Key::namespace_, Key::schedulerName, Key::queue}));
  PlacementRule rule;
  COPPICE_TRY(ReadText(value, Key::namespace_, where, rule.namespace_pattern));
  COPPICE_TRY(ReadText(value, Key::schedulerName, where, rule.scheduler_name));
  COPPICE_TRY(ReadText(value, Key::queue, where, rule.queue));
  if (rule.namespace_pattern.empty()) {
    return base::InvalidArgument(where + ".namespace is missing: a name, a prefix*, or *");
  }
  if (rule.scheduler_name.empty() && rule.queue.empty()) {
    return base::InvalidArgument(where + " sets nothing: give it a schedulerName or a queue");
  }
  return rule;
}

}  // namespace

base::Result<PlacementRules> ParsePlacementRules(std::string_view yaml) {
  COPPICE_ASSIGN(const json::Value file, json::ParseYaml(yaml));
  using Key = key::placement::Rules;
  COPPICE_TRY(OnlyFields(file, "the file", {Key::refuseUnknownQueues, Key::rules}));
  PlacementRules rules;
  rules.enabled = true;
  const json::Value& refuse = file[Key::refuseUnknownQueues];
  if (!refuse.IsNull() && !refuse.IsBool()) {
    return base::InvalidArgument("refuseUnknownQueues must be true or false");
  }
  rules.refuse_unknown_queues = refuse.AsBool(true);
  const json::Value& list = file[Key::rules];
  if (!list.IsNull() && !list.IsArray()) return base::InvalidArgument("rules must be a list");
  for (size_t i = 0; i < list.size(); ++i) {
    COPPICE_ASSIGN(PlacementRule rule, ReadRule(list.At(i), fmt::format("rules[{}]", i)));
    rules.rules.push_back(std::move(rule));
  }
  return rules;
}

base::Result<PlacementRules> ReadPlacementRules(std::string_view argument) {
  if (argument.starts_with('{')) return ParsePlacementRules(argument);
  const std::string path(argument);
  COPPICE_ASSIGN(const std::string text, base::ReadFile(path));
  auto rules = ParsePlacementRules(text);
  if (!rules) return rules.error().During(path);
  return rules;
}

}  // namespace coppice::services::admission
