#include "api/schema/validate/validate.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "api/schema/errors/field_error.h"
#include "api/schema/errors/field_path.h"
#include "api/schema/model/formats.h"
#include "api/schema/model/type_name.h"
#include "api/schema/validate/old_items.h"
#include "cel/values/text.h"
#include "json/write.h"

namespace coppice::api {
namespace {

using Causes = std::vector<base::FieldCause>;

std::string_view JsonTypeName(const json::Value& value) {
  switch (value.type()) {
    case json::Type::kNull:
      return "null";
    case json::Type::kBool:
      return "boolean";
    case json::Type::kInt:
      return "integer";
    case json::Type::kDouble: {
      return std::trunc(value.AsDouble()) == value.AsDouble() ? "integer" : "number";
    }
    case json::Type::kString:
      return "string";
    case json::Type::kArray:
      return "array";
    case json::Type::kObject:
      return "object";
  }
  return "";
}

std::string_view SchemaTypeName(const Schema& schema) {
  return schema.int_or_string ? "integer,string" : TypeName(schema.type);
}

bool IsWhole(const json::Value& value) {
  return value.IsInt() || (value.IsNumber() && std::trunc(value.AsDouble()) == value.AsDouble());
}

bool HasType(const Schema& schema, const json::Value& value) {
  if (schema.int_or_string) return value.IsString() || IsWhole(value);
  switch (schema.type) {
    case SchemaType::kObject:
      return value.IsObject();
    case SchemaType::kArray:
      return value.IsArray();
    case SchemaType::kString:
      return value.IsString();
    case SchemaType::kInteger:
      return IsWhole(value);
    case SchemaType::kNumber:
      return value.IsNumber();
    case SchemaType::kBoolean:
      return value.IsBool();
    case SchemaType::kAny:
      break;
  }
  return true;
}

// Complaints that name the field in their text instead of beside it.
base::FieldCause Unplaced(std::string message) {
  return {"FieldValueInvalid", "<nil>", fmt::format("Invalid value: \"\": {}", message)};
}

class Validator {
 public:
  explicit Validator(Causes& causes) : causes_(causes) {}

  void Any(const Schema& schema, const json::Value& value, const json::Value* old,
           const FieldPath& path) {
    // What was accepted before and did not change stays accepted.
    if (old != nullptr && *old == value) return;
    if (value.IsNull() && schema.nullable) return;
    const bool typed = CheckType(schema, value, path);
    const Constraints* constraints = schema.constraints.get();
    if (constraints != nullptr) {
      CheckAlternatives(*constraints, value, path);
      CheckEnum(*constraints, value, path);
    }
    if (!typed) return;
    if (value.IsString()) CheckText(schema, value, path);
    if (value.IsNumber()) CheckNumber(schema, value, path);
    if (value.IsArray()) CheckList(schema, value, old, path);
    if (value.IsObject()) CheckObject(schema, value, old, path);
  }

 private:
  void Add(base::FieldCause cause) { causes_.push_back(std::move(cause)); }

  void Complain(const FieldPath& path, const json::Value& shown, std::string_view problem) {
    const std::string place = path.ToString();
    Add(InvalidField(place, shown, fmt::format("{} in body {}", place, problem)));
  }

  bool CheckType(const Schema& schema, const json::Value& value, const FieldPath& path) {
    const bool known = schema.type != SchemaType::kAny || schema.int_or_string;
    if (!known || HasType(schema, value)) return true;
    const std::string_view got = JsonTypeName(value);
    const std::string place = path.ToString();
    Add(WrongTypeField(
        place, got,
        fmt::format("{} in body must be of type {}: \"{}\"", place, SchemaTypeName(schema), got)));
    return false;
  }

  void CheckEnum(const Constraints& limits, const json::Value& value, const FieldPath& path) {
    if (limits.enumeration.empty() ||
        std::ranges::find(limits.enumeration, value) != limits.enumeration.end()) {
      return;
    }
    std::vector<std::string> supported;
    for (const json::Value& one : limits.enumeration) {
      supported.push_back(one.IsString() ? one.ToString() : json::Write(one));
    }
    Add(UnsupportedField(path.ToString(), value, supported));
  }

  void CheckText(const Schema& schema, const json::Value& value, const FieldPath& path) {
    const std::string_view text = value.AsString();
    if (const Constraints* limits = schema.constraints.get()) {
      const auto length = static_cast<int64_t>(cel::CountCodePoints(text));
      if (limits->max_length && length > *limits->max_length) {
        Add(TooLongField(path.ToString(), *limits->max_length));
      } else if (limits->min_length && length < *limits->min_length) {
        Complain(path, value, fmt::format("should be at least {} chars long", *limits->min_length));
      } else if (limits->regex != nullptr &&
                 !re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()),
                                         *limits->regex)) {
        Complain(path, value, fmt::format("should match '{}'", limits->pattern));
      }
    }
    if (schema.format.empty() || HasFormat(schema.format, text)) return;
    const std::string place = path.ToString();
    Add(WrongTypeField(
        place, value,
        fmt::format("{} in body must be of type {}: {}", place, schema.format, Quoted(text))));
  }

  void CheckNumber(const Schema& schema, const json::Value& value, const FieldPath& path) {
    const Constraints* limits = schema.constraints.get();
    if (limits != nullptr) CheckRange(*limits, value, path);
    if (schema.format != "int32" || schema.type != SchemaType::kInteger) return;
    if (value.AsInt() >= INT32_MIN && value.AsInt() <= INT32_MAX) return;
    Add(Unplaced(fmt::format("Checked value must be of type integer with format int32 in {}",
                             path.ToString())));
  }

  void CheckRange(const Constraints& limits, const json::Value& value, const FieldPath& path) {
    const double number = value.AsDouble();
    // Integers compare with the whole part of a limit, as in Kubernetes.
    const auto limit = [&](double bound) { return value.IsInt() ? std::trunc(bound) : bound; };
    if (limits.multiple_of && *limits.multiple_of > 0) {
      const double quotient = number / *limits.multiple_of;
      if (std::trunc(quotient) != quotient) {
        Complain(path, value, fmt::format("should be a multiple of {}", *limits.multiple_of));
      }
    }
    if (limits.maximum) {
      const double bound = limit(*limits.maximum);
      if (limits.exclusive_maximum ? number >= bound : number > bound) {
        Complain(path, value,
                 fmt::format("should be less than {}{}",
                             limits.exclusive_maximum ? "" : "or equal to ", *limits.maximum));
      }
    }
    if (limits.minimum) {
      const double bound = limit(*limits.minimum);
      if (limits.exclusive_minimum ? number <= bound : number < bound) {
        Complain(path, value,
                 fmt::format("should be greater than {}{}",
                             limits.exclusive_minimum ? "" : "or equal to ", *limits.minimum));
      }
    }
  }

  void CheckList(const Schema& schema, const json::Value& value, const json::Value* old,
                 const FieldPath& path) {
    const OldItems before(schema, old);
    for (size_t i = 0; schema.items != nullptr && i < value.size(); ++i) {
      Any(*schema.items, value.At(i), before.Find(value.At(i)), path.Index(i));
    }
    const Constraints* limits = schema.constraints.get();
    if (limits == nullptr) return;
    const auto size = static_cast<int64_t>(value.size());
    if (limits->min_items && size < *limits->min_items) {
      Complain(path, size, fmt::format("should have at least {} items", *limits->min_items));
    }
    if (limits->max_items && size > *limits->max_items) {
      Add(TooManyField(path.ToString(), size, *limits->max_items));
    }
    if (limits->unique_items && HasDuplicates(value)) {
      Complain(path, "", "shouldn't contain duplicates");
    }
  }

  static bool HasDuplicates(const json::Value& list) {
    std::vector<std::string> texts;
    for (const json::Value& item : list.Items()) texts.push_back(json::Write(item));
    std::sort(texts.begin(), texts.end());
    return std::ranges::adjacent_find(texts) != texts.end();
  }

  void CheckObject(const Schema& schema, const json::Value& value, const json::Value* old,
                   const FieldPath& path) {
    if (const Constraints* limits = schema.constraints.get()) {
      const auto size = static_cast<int64_t>(value.size());
      if (limits->min_properties && size < *limits->min_properties) {
        Complain(path, size,
                 fmt::format("should have at least {} properties", *limits->min_properties));
      }
      if (limits->max_properties && size > *limits->max_properties) {
        Add(TooManyField(path.ToString(), size, *limits->max_properties));
      }
    }
    for (const json::Member& member : value.Members()) {
      const Schema* field = schema.FieldSchema(member.name());
      if (field == nullptr) continue;
      const json::Value* before = old == nullptr ? nullptr : old->Find(member.name());
      Any(*field, member.value, before, path.Child(member.name()));
    }
    for (const char* name : {"apiVersion", "kind"}) {
      if (!schema.embedded_resource || !value[name].AsString().empty()) continue;
      Add(RequiredField(path.Child(name).ToString()));
    }
    for (const std::string& name : schema.required) {
      if (!value.Has(name)) Add(RequiredField(path.Child(name).ToString()));
    }
  }

  Causes Tried(const Schema& schema, const json::Value& value, const FieldPath& path) {
    Causes causes;
    Validator(causes).Any(schema, value, nullptr, path);
    return causes;
  }

  void CheckAlternatives(const Constraints& limits, const json::Value& value,
                         const FieldPath& path) {
    if (!limits.any_of.empty()) CheckAnyOf(limits, value, path);
    if (!limits.one_of.empty()) CheckOneOf(limits, value, path);
    if (!limits.all_of.empty()) CheckAllOf(limits, value, path);
    if (limits.negated != nullptr && Tried(*limits.negated, value, path).empty()) {
      Add(Unplaced(fmt::format("\"{}\" must not validate the schema (not)", path.ToString())));
    }
  }

  void AddAll(Causes causes) { std::ranges::move(causes, std::back_inserter(causes_)); }

  void CheckAnyOf(const Constraints& limits, const json::Value& value, const FieldPath& path) {
    for (const Schema* one : limits.any_of) {
      if (Tried(*one, value, path).empty()) return;
    }
    Add(Unplaced(fmt::format("\"{}\" must validate at least one schema (anyOf)", path.ToString())));
    AddAll(Tried(*limits.any_of[0], value, path));
  }

  void CheckOneOf(const Constraints& limits, const json::Value& value, const FieldPath& path) {
    const auto valid = std::ranges::count_if(
        limits.one_of, [&](const Schema* one) { return Tried(*one, value, path).empty(); });
    if (valid == 1) return;
    const std::string found = valid == 0 ? std::string("Found none valid")
                                         : fmt::format("Found {} valid alternatives", valid);
    Add(Unplaced(fmt::format("\"{}\" must validate one and only one schema (oneOf). {}",
                             path.ToString(), found)));
    if (valid == 0) AddAll(Tried(*limits.one_of[0], value, path));
  }

  void CheckAllOf(const Constraints& limits, const json::Value& value, const FieldPath& path) {
    size_t failed = 0;
    for (const Schema* one : limits.all_of) {
      Causes causes = Tried(*one, value, path);
      failed += causes.empty() ? 0 : 1;
      AddAll(std::move(causes));
    }
    if (failed == 0) return;
    Add(Unplaced(fmt::format("\"{}\" must validate all the schemas (allOf){}", path.ToString(),
                             failed == limits.all_of.size() ? ". None validated" : "")));
  }

  Causes& causes_;
};

class ListChecker {
 public:
  explicit ListChecker(Causes& causes) : causes_(causes) {}

  // Passes over what is the same value in `old`, which may be null.
  void Any(const Schema& schema, const json::Value& value, const json::Value* old,
           const FieldPath& path) {
    if (old != nullptr && value.SameAs(*old)) return;
    if (value.IsArray()) {
      if (schema.list_type != ListType::kAtomic) CheckUnique(schema, value, path);
      for (size_t i = 0; schema.items != nullptr && i < value.size(); ++i) {
        if (IsContainer(value.At(i))) Any(*schema.items, value.At(i), nullptr, path.Index(i));
      }
    }
    for (const json::Member& member : value.Members()) {
      if (!IsContainer(member.value)) continue;
      const Schema* property = schema.FindProperty(member.name());
      const Schema* field = property != nullptr ? property : schema.additional;
      if (field == nullptr) continue;
      Any(*field, member.value, old == nullptr ? nullptr : old->Find(member.name()),
          property != nullptr ? path.Child(member.name()) : path.Key(member.name()));
    }
  }

 private:
  static bool IsContainer(const json::Value& value) { return value.IsArray() || value.IsObject(); }

  void CheckUnique(const Schema& schema, const json::Value& list, const FieldPath& path) {
    std::vector<std::pair<std::string, size_t>> seen;
    for (size_t i = 0; i < list.size(); ++i) {
      const json::Value& item = list.At(i);
      seen.emplace_back(
          json::Write(schema.list_type == ListType::kMap ? KeysOf(schema, item) : item), i);
    }
    std::sort(seen.begin(), seen.end());
    std::vector<size_t> repeated;
    for (size_t i = 1; i < seen.size(); ++i) {
      if (seen[i].first == seen[i - 1].first) repeated.push_back(seen[i].second);
    }
    std::sort(repeated.begin(), repeated.end());
    for (const size_t i : repeated) {
      const json::Value& item = list.At(i);
      causes_.push_back(DuplicateField(path.Index(i).ToString(), schema.list_type == ListType::kMap
                                                                     ? KeysOf(schema, item)
                                                                     : item));
    }
  }

  Causes& causes_;
};

// Rules are not evaluated on objects whose shape is wrong.
bool BlocksRules(const base::FieldCause& cause) {
  return cause.reason == "FieldValueNotSupported" || cause.reason == "FieldValueRequired" ||
         cause.reason == "FieldValueTooLong" || cause.reason == "FieldValueTooMany" ||
         cause.reason == "FieldValueTypeInvalid";
}

// Whether there are rules here or anywhere below. Recursive types are cycles: each is seen once.
bool HasRules(const Schema* schema, std::set<const Schema*>& seen) {
  if (schema == nullptr || !seen.insert(schema).second) return false;
  if (schema->constraints != nullptr && !schema->constraints->rules.empty()) return true;
  return HasRules(schema->items, seen) || HasRules(schema->additional, seen) ||
         std::ranges::any_of(schema->properties, [&](const Property& property) {
           return HasRules(property.schema, seen);
         });
}

}  // namespace

std::vector<base::FieldCause> ValidateSchema(const Schema& schema, const json::Value& value,
                                             const json::Value* old) {
  Causes causes;
  Validator(causes).Any(schema, value, old, FieldPath());
  return causes;
}

std::vector<base::FieldCause> ValidateLists(const Schema& schema, const json::Value& value) {
  Causes causes;
  ListChecker(causes).Any(schema, value, nullptr, FieldPath());
  return causes;
}

namespace {

// No error if the object already had duplicate items. Parts shared with its earlier state are
// skipped: duplicates there existed before.
Causes ValidateListsOfUpdate(const Schema& schema, const json::Value& object,
                             const json::Value& old) {
  Causes causes;
  ListChecker(causes).Any(schema, object, &old, FieldPath());
  return causes.empty() || ValidateLists(schema, old).empty() ? causes : Causes();
}

}  // namespace

std::vector<base::FieldCause> ValidateObject(const Schema& schema, const json::Value& object,
                                             const json::Value* old) {
  Causes causes = ValidateSchema(schema, object, old);
  std::ranges::move(
      old == nullptr ? ValidateLists(schema, object) : ValidateListsOfUpdate(schema, object, *old),
      std::back_inserter(causes));
  if (std::ranges::any_of(causes, BlocksRules)) {
    if (std::set<const Schema*> seen; !HasRules(&schema, seen)) return causes;
    causes.push_back({"FieldValueInvalid", "<nil>",
                      "Invalid value: null: some validation rules were not checked because the "
                      "object was invalid; correct the existing errors to complete validation"});
    return causes;
  }
  std::ranges::move(ValidateRules(schema, object, old), std::back_inserter(causes));
  return causes;
}

}  // namespace coppice::api
