#include "server/kinds/expression_checks.h"

#include <set>

#include "cel/program.h"
#include "server/kinds/checks/checks.h"
#include "server/webhooks/expressions.h"

namespace coppice::server {
namespace {

constexpr size_t kMaxConditions = 64;

}  // namespace

void CheckExpressions(const json::Value& list, std::string_view field, const std::string& path,
                      Causes& causes) {
  for (size_t i = 0; i < list.size(); ++i) {
    const json::Value& source = list.At(i)[field];
    const std::string place = api::Child(api::Index(path, i), field);
    if (source.AsString().empty()) {
      if (field == "expression") causes.push_back(api::RequiredField(place));
      if (field == "valueExpression") {
        causes.push_back(api::RequiredField(place, "valueExpression is not specified"));
      }
      continue;
    }
    const auto program = cel::Program::Compile(source.AsString(), AdmissionVariableNames());
    if (program) continue;
    causes.push_back(
        api::InvalidField(place, source, "compilation failed: " + program.error().message()));
  }
}

void CheckConditions(const json::Value& conditions, const std::string& path, Causes& causes) {
  CheckExpressions(conditions, "expression", path, causes);
  if (conditions.size() > kMaxConditions) {
    causes.push_back(
        api::TooManyField(path, static_cast<int64_t>(conditions.size()), kMaxConditions));
  }
  std::set<std::string> names;
  for (size_t i = 0; i < conditions.size(); ++i) {
    const json::Value& name = conditions.At(i)["name"];
    const std::string place = api::Child(api::Index(path, i), "name");
    if (name.AsString().empty()) {
      causes.push_back(api::RequiredField(place));
    } else if (!names.insert(name.ToString()).second) {
      causes.push_back(api::DuplicateField(place, name));
    }
  }
}

}  // namespace coppice::server
