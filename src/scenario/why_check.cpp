#include "scenario/why_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

namespace coppice::scenario {
namespace {

using json::Value;

std::set<std::string> TextsOf(const Value& changes) {
  std::set<std::string> texts;
  for (const Value& change : changes.Items()) {
    texts.insert(change.IsString() ? change.ToString() : change["text"].ToString());
  }
  return texts;
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

std::string Compare(const Value& wanted, const Value& answer) {
  const std::string text = answer["text"].ToString();
  for (const char* field : {"verdict", "reason"}) {
    if (wanted.Has(field) && wanted[field] != answer[field]) {
      return fmt::format("{} is not {}", field, wanted[field].AsString());
    }
  }
  for (const Value& part : wanted["says"].Items()) {
    if (text.find(part.AsString()) == std::string::npos) {
      return fmt::format("it does not say \"{}\"", part.AsString());
    }
  }
  for (const Value& part : wanted["not"].Items()) {
    if (text.find(part.AsString()) != std::string::npos) {
      return fmt::format("it says \"{}\"", part.AsString());
    }
  }
  if (HasMilliUnits(text)) return "it counts in thousandths";
  if (wanted.Has("changes") && TextsOf(wanted["changes"]) != TextsOf(answer["changes"])) {
    return fmt::format("changes are not \"{}\"", fmt::join(TextsOf(wanted["changes"]), "\", \""));
  }
  return "";
}

}  // namespace

std::string CheckWhy(const Value& wanted, const Value& answers) {
  std::string problems, all;
  for (const Value& answer : answers.Items()) {
    all += answer["text"].AsString();
    if (answer["group"].AsString().find(wanted["group"].AsString()) == std::string_view::npos) {
      continue;
    }
    const std::string problem = Compare(wanted, answer);
    if (problem.empty()) return "";
    problems += problem + "; ";
  }
  return fmt::format("why {}: {}it says\n{}", wanted["of"].AsString(),
                     problems.empty() ? "no such group; " : problems, all);
}

}  // namespace coppice::scenario
