#include "api/schema/validate/compiled_rule.h"

#include <fmt/format.h>

namespace coppice::api {
namespace {

std::string Trimmed(std::string_view text) {
  static constexpr std::string_view kBlank = " \t\r\n";
  const size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(kBlank) - first + 1));
}

}  // namespace

base::Result<CompiledRule> CompiledRule::Compile(const json::Value& rule) {
  const std::vector<std::string> variables = {"self", "oldSelf"};
  COPPICE_ASSIGN(auto program, cel::Program::Compile(rule["rule"].AsString(), variables));
  CompiledRule out(std::move(program));
  if (rule["messageExpression"].IsString()) {
    COPPICE_ASSIGN(auto message,
                   cel::Program::Compile(rule["messageExpression"].AsString(), variables));
    out.message_program_ = std::move(message);
  }
  out.optional_old_ = rule["optionalOldSelf"].AsBool();
  out.reason_ = rule["reason"].ToString("FieldValueInvalid");
  out.field_path_ = rule["fieldPath"].ToString();
  const std::string given = Trimmed(rule["message"].AsString());
  out.title_ = given.empty() ? Trimmed(rule["rule"].AsString()) : given;
  out.message_ = given.empty() ? fmt::format("failed rule: {}", out.title_) : given;
  return out;
}

}  // namespace coppice::api
