#include "api/selectors/names.h"

#include <fmt/format.h>

#include <algorithm>

namespace coppice::api {
namespace {

constexpr size_t kMaxLabel = 63;
constexpr size_t kMaxSubdomain = 253;

constexpr std::string_view kDns1123Label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
constexpr std::string_view kDns1123Subdomain =
    "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
constexpr std::string_view kDns1035Label = "[a-z]([-a-z0-9]*[a-z0-9])?";
constexpr std::string_view kLabelKey = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
constexpr std::string_view kLabelValue = "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?";
constexpr std::string_view kLabelKeyRule =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character";

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsLowerAlnum(char c) { return IsLower(c) || IsDigit(c); }
bool IsAlnum(char c) { return IsLowerAlnum(c) || IsUpper(c); }

bool IsDnsLabel(std::string_view text) {
  return !text.empty() && IsLowerAlnum(text.front()) && IsLowerAlnum(text.back()) &&
         std::ranges::all_of(text, [](char c) { return IsLowerAlnum(c) || c == '-'; });
}

bool IsDnsSubdomain(std::string_view text) {
  for (;;) {
    const size_t dot = text.find('.');
    if (!IsDnsLabel(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

bool IsQualifiedPart(std::string_view text) {
  return !text.empty() && IsAlnum(text.front()) && IsAlnum(text.back()) &&
         std::ranges::all_of(text,
                             [](char c) { return IsAlnum(c) || c == '-' || c == '_' || c == '.'; });
}

// Kubernetes counts bytes for both, but its message says so only for labels.
std::string TooLong(size_t limit) { return fmt::format("must be no more than {} bytes", limit); }
std::string TooLongName(size_t limit) {
  return fmt::format("must be no more than {} characters", limit);
}

std::string WrongForm(std::string_view rule, std::string_view form,
                      std::initializer_list<std::string_view> examples) {
  std::string shown;
  for (const std::string_view example : examples) {
    shown += fmt::format("{}'{}', ", shown.empty() ? "" : " or ", example);
  }
  return fmt::format("{} (e.g. {}regex used for validation is '{}')", rule, shown, form);
}

std::string WrongLabelKey() {
  return WrongForm(kLabelKeyRule, kLabelKey, {"MyName", "my.name", "123-abc"});
}

}  // namespace

Problems Dns1123LabelProblems(std::string_view text) {
  Problems problems;
  if (text.size() > kMaxLabel) problems.push_back(TooLongName(kMaxLabel));
  if (IsDnsLabel(text)) return problems;
  if (IsDnsSubdomain(text)) {
    problems.push_back("must not contain dots");
    return problems;
  }
  problems.push_back(WrongForm(
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
      "must start and end with an alphanumeric character",
      kDns1123Label, {"my-name", "123-abc"}));
  return problems;
}

Problems Dns1123SubdomainProblems(std::string_view text) {
  Problems problems;
  if (text.size() > kMaxSubdomain) problems.push_back(TooLongName(kMaxSubdomain));
  if (!IsDnsSubdomain(text)) {
    problems.push_back(WrongForm(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
        "'.', and must start and end with an alphanumeric character",
        kDns1123Subdomain, {"example.com"}));
  }
  return problems;
}

Problems Dns1035LabelProblems(std::string_view text) {
  Problems problems;
  if (text.size() > kMaxLabel) problems.push_back(TooLongName(kMaxLabel));
  if (!IsDnsLabel(text) || !IsLower(text.front())) {
    problems.push_back(WrongForm(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
        "alphabetic character, and end with an alphanumeric character",
        kDns1035Label, {"my-name", "abc-123"}));
  }
  return problems;
}

Problems LabelKeyProblems(std::string_view text) {
  Problems problems;
  const auto slashes = std::ranges::count(text, '/');
  if (slashes > 1) {
    problems.push_back(
        fmt::format("a valid label key {} with an optional DNS subdomain prefix and '/' (e.g. "
                    "'example.com/MyName')",
                    WrongLabelKey()));
    return problems;
  }
  std::string_view name = text;
  if (slashes == 1) {
    const std::string_view prefix = text.substr(0, text.find('/'));
    name = text.substr(prefix.size() + 1);
    if (prefix.empty()) problems.push_back("prefix part must be non-empty");
    if (!prefix.empty()) {
      for (const auto& one : Dns1123SubdomainProblems(prefix)) {
        problems.push_back("prefix part " + one);
      }
    }
  }
  if (name.empty()) problems.push_back("name part must be non-empty");
  if (name.size() > kMaxLabel) problems.push_back("name part " + TooLong(kMaxLabel));
  if (!IsQualifiedPart(name)) problems.push_back("name part " + WrongLabelKey());
  return problems;
}

Problems LabelValueProblems(std::string_view text) {
  Problems problems;
  if (text.size() > kMaxLabel) problems.push_back(TooLong(kMaxLabel));
  if (!text.empty() && !IsQualifiedPart(text)) {
    problems.push_back(WrongForm(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
        "'.', and must start and end with an alphanumeric character",
        kLabelValue, {"MyValue", "my_value", "12345"}));
  }
  return problems;
}

std::string JoinProblems(const Problems& problems) {
  return fmt::format("{}", fmt::join(problems, "; "));
}

}  // namespace coppice::api
