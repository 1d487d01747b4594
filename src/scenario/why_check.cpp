#include "scenario/why_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "api/view/answers.h"
#include "api/view/scenario.h"

namespace coppice::scenario {
namespace {

using json::Value;

using Texts = std::set<std::string, std::less<>>;

Texts TextsOf(view::List<view::answers::Change> changes) {
  Texts texts;
  for (const view::answers::Change change : changes) texts.emplace(change.text());
  return texts;
}

Texts TextsOf(view::List<std::string_view> changes) {
  return Texts(changes.begin(), changes.end());
}

// "936000m", as quantities of milli-units are written.
bool HasMilliUnits(std::string_view text) {
  for (size_t at = 1; at < text.size(); ++at) {
    const auto before = static_cast<unsigned char>(text[at - 1]);
    const bool ends =
        at + 1 == text.size() || !std::isalnum(static_cast<unsigned char>(text[at + 1]));
    if (text[at] != 'm' || !std::isdigit(before) || !ends) continue;
    size_t from = at;
    while (from > 0 && std::isdigit(static_cast<unsigned char>(text[from - 1]))) --from;
    if (from == 0 || text[from - 1] == ' ') return true;
  }
  return false;
}

std::string Compare(view::scenario::Why wanted, view::answers::Explanation answer) {
  const std::string_view text = answer.text();
  if (wanted.has_verdict() && wanted.verdict() != answer.verdict()) {
    return fmt::format("verdict is not {}", wanted.verdict());
  }
  if (wanted.has_reason() && wanted.reason() != answer.reason()) {
    return fmt::format("reason is not {}", wanted.reason());
  }
  for (const std::string_view part : wanted.says()) {
    if (text.find(part) == text.npos) return fmt::format("it does not say \"{}\"", part);
  }
  for (const std::string_view part : wanted.not_()) {
    if (text.find(part) != text.npos) return fmt::format("it says \"{}\"", part);
  }
  if (HasMilliUnits(text)) return "it counts in thousandths";
  if (!wanted.has_changes()) return "";
  if (TextsOf(wanted.changes()) != TextsOf(answer.changes())) {
    return fmt::format("changes are not \"{}\"", fmt::join(TextsOf(wanted.changes()), "\", \""));
  }
  if (TextsOf(wanted.or_()) != TextsOf(answer.alternative())) {
    return fmt::format("the alternative is not \"{}\"", fmt::join(TextsOf(wanted.or_()), "\", \""));
  }
  return "";
}

}  // namespace

std::string CheckWhy(const Value& expected, const Value& answers) {
  const view::scenario::Why wanted(expected);
  std::string problems, all;
  for (const Value& item : answers.Items()) {
    const view::answers::Explanation answer(item);
    all += answer.text();
    if (answer.group().find(wanted.group()) == std::string_view::npos) continue;
    const std::string problem = Compare(wanted, answer);
    if (problem.empty()) return "";
    problems += problem + "; ";
  }
  return fmt::format("why {}: {}it says\n{}", wanted.of(),
                     problems.empty() ? "no such group; " : problems, all);
}

}  // namespace coppice::scenario
