#include <fmt/format.h>

#include "api/schema/errors/field_error.h"
#include "api/schema/errors/field_path.h"
#include "api/schema/validate/cel_json.h"
#include "api/schema/validate/compiled_rule.h"
#include "api/schema/validate/old_items.h"
#include "api/schema/validate/validate.h"

namespace coppice::api {
namespace {

using Causes = std::vector<base::FieldCause>;

std::string_view TypeWord(const json::Value& value) { return value.IsArray() ? "array" : "object"; }

bool IsContainer(const json::Value& value) { return value.IsArray() || value.IsObject(); }

class RuleChecker {
 public:
  explicit RuleChecker(Causes& causes) : causes_(causes) {}

  void Any(const Schema& schema, const json::Value& value, const json::Value* old,
           const FieldPath& path) {
    if (value.IsNull() && schema.nullable) return;
    if (schema.constraints != nullptr) {
      for (const auto& rule : schema.constraints->rules) Check(*rule, schema, value, old, path);
    }
    if (value.IsObject()) Members(schema, value, old, path);
    if (!value.IsArray() || schema.items == nullptr) return;
    const OldItems before(schema, old);
    for (size_t i = 0; i < value.size(); ++i) {
      Any(*schema.items, value.At(i), before.Find(value.At(i)), path.Index(i));
    }
  }

 private:
  void Members(const Schema& schema, const json::Value& value, const json::Value* old,
               const FieldPath& path) {
    for (const json::Member& member : value.Members()) {
      const Schema* property = schema.FindProperty(member.name());
      const Schema* field = property != nullptr ? property : schema.additional;
      if (field == nullptr) continue;
      const json::Value* before = old == nullptr ? nullptr : old->Find(member.name());
      Any(*field, member.value, before,
          property != nullptr ? path.Child(member.name()) : path.Key(member.name()));
    }
  }

  void Check(const CompiledRule& rule, const Schema& schema, const json::Value& value,
             const json::Value* old, const FieldPath& path) {
    if (left_ == 0) return;
    if (rule.UsesOld() && old == nullptr && !rule.optional_old()) return;
    // A rule on the new state alone is not asked again about what did not change.
    if (!rule.UsesOld() && old != nullptr && *old == value) return;
    const cel::Value variables[] = {ToCel(value, &schema), OldSelf(rule, schema, old)};
    const auto result = rule.program().EvaluateWithin(variables, left_);
    if (result.Is(base::ErrorCode::kTooManyRequests)) {
      causes_.push_back(TooExpensive(rule, value, path));
      left_ = 0;
    } else if (!result) {
      causes_.push_back(Failed(rule, value, path, result.error().message()));
    } else if (!result->IsTrue()) {
      causes_.push_back(Violated(rule, variables, value, path));
    }
  }

  static cel::Value OldSelf(const CompiledRule& rule, const Schema& schema,
                            const json::Value* old) {
    if (!rule.optional_old()) return old == nullptr ? cel::Value() : ToCel(*old, &schema);
    return old == nullptr ? cel::Value::NoneOptional()
                          : cel::Value::SomeOptional(ToCel(*old, &schema));
  }

  static base::FieldCause Failed(const CompiledRule& rule, const json::Value& value,
                                 const FieldPath& path, std::string_view problem) {
    const json::Value shown = IsContainer(value) ? json::Value(TypeWord(value)) : value;
    return InvalidField(path.ToString(), shown,
                        fmt::format("{} evaluating rule: {}", problem, rule.title()));
  }

  // No rule is asked after one that cost too much.
  base::FieldCause TooExpensive(const CompiledRule& rule, const json::Value& value,
                                const FieldPath& path) const {
    const std::string problem =
        left_ == 0 ? "validation failed due to running out of cost budget, no further validation "
                     "rules will be run"
                   : fmt::format(
                         "no further validation rules will be run due to call cost exceeds "
                         "limit for rule: {}",
                         rule.title());
    const json::Value shown = IsContainer(value) ? json::Value(TypeWord(value)) : value;
    return InvalidField(path.ToString(), shown, problem);
  }

  std::string MessageOf(const CompiledRule& rule, std::span<const cel::Value> variables) {
    if (rule.message_program()) {
      const auto text = rule.message_program()->EvaluateWithin(variables, left_);
      const auto* message = text ? text->As<std::string>() : nullptr;
      if (message != nullptr && !message->empty()) return *message;
    }
    return rule.message();
  }

  base::FieldCause Violated(const CompiledRule& rule, std::span<const cel::Value> variables,
                            const json::Value& value, const FieldPath& path) {
    const std::string message = MessageOf(rule, variables);
    std::string place = path.ToString();
    const bool separated = place.empty() && rule.field_path().starts_with('.');
    place += rule.field_path().substr(separated ? 1 : 0);
    if (rule.reason() == "FieldValueForbidden") return ForbiddenField(place, message);
    if (rule.reason() == "FieldValueRequired") return RequiredField(place, message);
    const bool duplicate = rule.reason() == "FieldValueDuplicate";
    base::FieldCause cause =
        duplicate ? DuplicateField(place, value) : InvalidField(place, value, message);
    // Objects and lists are too long to show.
    if (IsContainer(value)) {
      cause.message = fmt::format("{} value: {}", duplicate ? "Duplicate" : "Invalid", message);
    }
    return cause;
  }

  Causes& causes_;
  size_t left_ = cel::kRulesBudget;
};

}  // namespace

std::vector<base::FieldCause> ValidateRules(const Schema& schema, const json::Value& value,
                                            const json::Value* old) {
  Causes causes;
  RuleChecker(causes).Any(schema, value, old, FieldPath());
  return causes;
}

}  // namespace coppice::api
