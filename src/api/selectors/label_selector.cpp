#include "api/selectors/label_selector.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "api/schema/errors/field_error.h"
#include "api/selectors/names.h"

namespace coppice::api {
namespace {

using Operator = LabelSelector::Operator;
using Requirement = LabelSelector::Requirement;

enum class Token { kEnd, kIdentifier, kComma, kOpen, kClose, kNot, kOperator };

struct Lexeme {
  Token token = Token::kEnd;
  std::string_view text;
};

constexpr std::string_view kSpecial = "=!(),<>";
constexpr std::string_view kBlank = " \t\r\n";

// Splits a selector into lexemes. Where a value is expected, `in` and `notin` are plain words.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : rest_(text) {}

  Lexeme Next() {
    SkipBlanks();
    if (rest_.empty()) return {};
    if (kSpecial.find(rest_[0]) != std::string_view::npos) return Special();
    return {Token::kIdentifier,
            Take(std::min(rest_.find_first_of("=!(),<> \t\r\n"), rest_.size()))};
  }

  Lexeme Peek() const { return Lexer(*this).Next(); }

 private:
  void SkipBlanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(kBlank), rest_.size()));
  }

  std::string_view Take(size_t size) {
    const std::string_view text = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return text;
  }

  Lexeme Special() {
    if (rest_.starts_with("==") || rest_.starts_with("!=")) return {Token::kOperator, Take(2)};
    switch (rest_[0]) {
      case '!':
        return {Token::kNot, Take(1)};
      case '(':
        return {Token::kOpen, Take(1)};
      case ')':
        return {Token::kClose, Take(1)};
      case ',':
        return {Token::kComma, Take(1)};
      default:
        return {Token::kOperator, Take(1)};
    }
  }

  std::string_view rest_;
};

std::optional<int64_t> ToInt(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

base::Error Bad(const base::FieldCause& cause) { return base::InvalidArgument(Describe(cause)); }

base::Status CheckKey(std::string_view key) {
  const Problems problems = LabelKeyProblems(key);
  if (problems.empty()) return {};
  return Bad(InvalidField("key", key, JoinProblems(problems)));
}

base::Status CheckValues(const Requirement& requirement) {
  const auto& [key, op, values] = requirement;
  if ((op == Operator::kIn || op == Operator::kNotIn) && values.empty()) {
    return Bad(InvalidField("values", json::Value::Array(),
                            "for 'in', 'notin' operators, values set can't be empty"));
  }
  for (size_t i = 0; i < values.size(); ++i) {
    if ((op == Operator::kGreater || op == Operator::kLess) && !ToInt(values[i])) {
      return Bad(InvalidField(Index("values", i), values[i],
                              "for 'Gt', 'Lt' operators, the value must be an integer"));
    }
    const Problems problems = LabelValueProblems(values[i]);
    if (problems.empty()) continue;
    return Bad(InvalidField(Key(Index("values", i), key), values[i], JoinProblems(problems)));
  }
  return {};
}

base::Result<Requirement> MakeRequirement(std::string key, Operator op,
                                          std::vector<std::string> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  Requirement requirement{std::move(key), op, std::move(values)};
  COPPICE_TRY(CheckKey(requirement.key));
  COPPICE_TRY(CheckValues(requirement));
  return requirement;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : lexer_(text) {}

  base::Result<std::vector<Requirement>> Parse() {
    std::vector<Requirement> out;
    Lexeme next = lexer_.Peek();
    while (next.token != Token::kEnd) {
      if (next.token != Token::kIdentifier && next.token != Token::kNot) {
        return Unexpected(next, ", expected: !, identifier, or 'end of string'");
      }
      auto requirement = ParseRequirement();
      if (!requirement) {
        return base::InvalidArgument(
            fmt::format("unable to parse requirement: {}", requirement.error().message()));
      }
      out.push_back(*std::move(requirement));
      const Lexeme separator = lexer_.Next();
      if (separator.token == Token::kEnd) break;
      if (separator.token != Token::kComma) {
        return Unexpected(separator, ", expected: ',' or 'end of string'");
      }
      next = lexer_.Peek();
      if (next.token != Token::kIdentifier && next.token != Token::kNot) {
        return Unexpected(next, ", expected: identifier after ','");
      }
    }
    return out;
  }

 private:
  static base::Error Unexpected(const Lexeme& found, std::string_view expected) {
    return base::InvalidArgument(fmt::format("found '{}'{}", found.text, expected));
  }

  base::Result<Requirement> ParseRequirement() {
    Lexeme lexeme = lexer_.Next();
    const bool negated = lexeme.token == Token::kNot;
    if (negated) lexeme = lexer_.Next();
    if (lexeme.token != Token::kIdentifier) return Unexpected(lexeme, ", expected: identifier");
    std::string key(lexeme.text);
    COPPICE_TRY(CheckKey(key));
    if (negated) return MakeRequirement(std::move(key), Operator::kDoesNotExist, {});
    const Token next = lexer_.Peek().token;
    if (next == Token::kEnd || next == Token::kComma) {
      return MakeRequirement(std::move(key), Operator::kExists, {});
    }
    COPPICE_ASSIGN(const Operator op, ParseOperator());
    std::vector<std::string> values;
    if (op == Operator::kIn || op == Operator::kNotIn) {
      COPPICE_ASSIGN(values, ParseSet());
    } else {
      COPPICE_ASSIGN(values, ParseExactValue());
    }
    return MakeRequirement(std::move(key), op, std::move(values));
  }

  base::Result<Operator> ParseOperator() {
    const Lexeme lexeme = lexer_.Next();
    if (lexeme.text == "=" || lexeme.text == "==") return Operator::kEquals;
    if (lexeme.text == "!=") return Operator::kNotEquals;
    if (lexeme.text == "in") return Operator::kIn;
    if (lexeme.text == "notin") return Operator::kNotIn;
    if (lexeme.text == ">") return Operator::kGreater;
    if (lexeme.text == "<") return Operator::kLess;
    return Unexpected(lexeme, ", expected: in, notin, =, ==, !=, gt, lt");
  }

  base::Result<std::vector<std::string>> ParseExactValue() {
    const Lexeme next = lexer_.Peek();
    if (next.token == Token::kEnd || next.token == Token::kComma)
      return std::vector<std::string>{""};
    const Lexeme lexeme = lexer_.Next();
    if (lexeme.token != Token::kIdentifier) return Unexpected(lexeme, ", expected: identifier");
    return std::vector<std::string>{std::string(lexeme.text)};
  }

  base::Result<std::vector<std::string>> ParseSet() {
    const Lexeme open = lexer_.Next();
    if (open.token != Token::kOpen) return Unexpected(open, " expected: '('");
    std::vector<std::string> values;
    Lexeme lexeme = lexer_.Next();
    if (lexeme.token == Token::kClose) return values;
    if (lexeme.token != Token::kIdentifier && lexeme.token != Token::kComma) {
      return Unexpected(lexeme, ", expected: ',', ')' or identifier");
    }
    for (;;) {
      if (lexeme.token == Token::kIdentifier) {
        values.emplace_back(lexeme.text);
        lexeme = lexer_.Next();
      } else {
        values.emplace_back();  // Nothing between two separators is the empty value.
      }
      if (lexeme.token == Token::kClose) return values;
      if (lexeme.token != Token::kComma) return Unexpected(lexeme, ", expected: ',' or ')'");
      lexeme = lexer_.Next();
      if (lexeme.token == Token::kEnd) return Unexpected(lexeme, ", expected: ',', or identifier");
    }
  }

  Lexer lexer_;
};

base::Result<Operator> ObjectOperator(std::string_view name) {
  if (name == "In") return Operator::kIn;
  if (name == "NotIn") return Operator::kNotIn;
  if (name == "Exists") return Operator::kExists;
  if (name == "DoesNotExist") return Operator::kDoesNotExist;
  return base::InvalidArgument(
      fmt::format("{} is not a valid label selector operator", Quoted(name)));
}

base::Result<Requirement> FromExpression(const json::Value& expression) {
  COPPICE_ASSIGN(const Operator op, ObjectOperator(expression["operator"].AsString()));
  std::vector<std::string> values;
  for (const json::Value& value : expression["values"].Items()) values.push_back(value.ToString());
  if ((op == Operator::kExists || op == Operator::kDoesNotExist) && !values.empty()) {
    return Bad(InvalidField("values", expression["values"],
                            "values set must be empty for exists and does not exist"));
  }
  return MakeRequirement(expression["key"].ToString(), op, std::move(values));
}

void SortByKey(std::vector<Requirement>& requirements) {
  std::stable_sort(requirements.begin(), requirements.end(),
                   [](const Requirement& a, const Requirement& b) { return a.key < b.key; });
}

}  // namespace

bool LabelSelector::Requirement::Matches(const json::Value& labels) const {
  const json::Value* found = labels.Find(key);
  const std::string_view value = found != nullptr ? found->AsString() : std::string_view();
  const auto listed = [&] { return std::ranges::find(values, value) != values.end(); };
  switch (op) {
    case Operator::kExists:
      return found != nullptr;
    case Operator::kDoesNotExist:
      return found == nullptr;
    case Operator::kIn:
    case Operator::kEquals:
      return found != nullptr && listed();
    case Operator::kNotIn:
    case Operator::kNotEquals:
      return found == nullptr || !listed();
    case Operator::kGreater:
    case Operator::kLess:
      break;
  }
  const auto have = ToInt(value);
  const auto want = ToInt(values.empty() ? "" : values[0]);
  if (!have || !want) return false;
  return op == Operator::kGreater ? *have > *want : *have < *want;
}

std::string LabelSelector::Requirement::ToString() const {
  const std::string list = fmt::format("{}", fmt::join(values, ","));
  switch (op) {
    case Operator::kExists:
      return key;
    case Operator::kDoesNotExist:
      return "!" + key;
    case Operator::kIn:
      return fmt::format("{} in ({})", key, list);
    case Operator::kNotIn:
      return fmt::format("{} notin ({})", key, list);
    case Operator::kEquals:
      return fmt::format("{}={}", key, list);
    case Operator::kNotEquals:
      return fmt::format("{}!={}", key, list);
    case Operator::kGreater:
      return fmt::format("{}>{}", key, list);
    case Operator::kLess:
      return fmt::format("{}<{}", key, list);
  }
  return key;
}

LabelSelector LabelSelector::Nothing() {
  LabelSelector selector;
  selector.nothing_ = true;
  return selector;
}

base::Result<LabelSelector> LabelSelector::Parse(std::string_view text) {
  LabelSelector selector;
  COPPICE_ASSIGN(selector.requirements_, Parser(text).Parse());
  SortByKey(selector.requirements_);
  return selector;
}

base::Result<LabelSelector> LabelSelector::FromObject(const json::Value& object) {
  if (object.IsNull()) return Nothing();
  LabelSelector selector;
  for (const json::Member& label : object["matchLabels"].Members()) {
    COPPICE_ASSIGN(auto requirement, MakeRequirement(std::string(label.name()), Operator::kEquals,
                                                     {label.value.ToString()}));
    selector.requirements_.push_back(std::move(requirement));
  }
  for (const json::Value& expression : object["matchExpressions"].Items()) {
    COPPICE_ASSIGN(auto requirement, FromExpression(expression));
    selector.requirements_.push_back(std::move(requirement));
  }
  SortByKey(selector.requirements_);
  return selector;
}

LabelSelector LabelSelector::FromLabels(const json::Value& labels) {
  LabelSelector selector;
  for (const json::Member& label : labels.Members()) {
    selector.requirements_.push_back(
        {std::string(label.name()), Operator::kEquals, {label.value.ToString()}});
  }
  return selector;
}

bool LabelSelector::Matches(const json::Value& labels) const {
  if (nothing_) return false;
  return std::ranges::all_of(requirements_,
                             [&](const Requirement& one) { return one.Matches(labels); });
}

std::string LabelSelector::ToString() const {
  std::string out;
  for (const Requirement& one : requirements_) out += (out.empty() ? "" : ",") + one.ToString();
  return out;
}

}  // namespace coppice::api
