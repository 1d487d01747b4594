#include "server/rbac/short_rule.h"

#include <algorithm>

namespace coppice::server {
namespace {

std::vector<std::string> Words(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    if (!word.empty()) words.emplace_back(word == "-" ? std::string_view() : word);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

}  // namespace

PolicyRule ParseShortRule(std::string_view text) {
  const size_t first = text.find(" @ ");
  const size_t second = text.find(" @ ", first + 3);
  PolicyRule rule{.verbs = Words(text.substr(0, first)),
                  .groups = {},
                  .resources = {},
                  .names = {},
                  .paths = {}};
  if (second == std::string_view::npos) {
    rule.paths = Words(text.substr(first + 3));
    return rule;
  }
  rule.groups = Words(text.substr(first + 3, second - first - 3));
  rule.resources = Words(text.substr(second + 3));
  return rule;
}

}  // namespace coppice::server
