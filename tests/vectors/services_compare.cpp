#include "tests/vectors/services_compare.h"

#include <fmt/format.h>

#include <regex>

#include "json/write.h"

namespace coppice::vectors {
namespace {

struct Token {
  std::string text;
  std::string pattern;
};

std::string Escape(const std::string& literal) {
  static const std::regex special(R"([.^$|()\[\]{}*+?\\])");
  return std::regex_replace(literal, special, R"(\$&)");
}

std::string PatternOf(const std::string& token) {
  if (token.starts_with("uuid-")) return "([0-9a-f]{8}-[0-9a-f-]{27})";
  if (token.starts_with("GPU-")) return "(GPU-[0-9a-f-]{36})";
  if (token.starts_with("hash-") || token == "<hash>") {
    return "([bcdfghjklmnpqrstvwxz2456789]+)";
  }
  if (token == "<random>") return "([bcdfghjklmnpqrstvwxz2456789]{7})";
  return "([a-z0-9]+)";
}

// The expected text as a regular expression, and the names in it.
std::string Pattern(const std::string& expected, std::vector<std::string>& names) {
  static const std::regex token(R"(uuid-\d+|GPU-\d+|hash-\d+|<hash>|<random>|<\d+>)");
  std::string pattern;
  size_t end = 0;
  for (auto it = std::sregex_iterator(expected.begin(), expected.end(), token);
       it != std::sregex_iterator(); ++it) {
    pattern += Escape(expected.substr(end, it->position() - end)) + PatternOf(it->str());
    names.push_back(it->str());
    end = it->position() + it->length();
  }
  return pattern + Escape(expected.substr(end));
}

std::string Sort(const std::string& name) {
  return name.substr(0, name.find_first_of("0123456789"));
}

}  // namespace

bool SaysNothing(const json::Value& value) {
  return value.IsNull() || ((value.IsArray() || value.IsObject()) && value.empty());
}

bool RenamingComparison::Matches(const std::string& expected, const std::string& actual) {
  if (expected == actual) return true;
  std::vector<std::string> names;
  const std::regex pattern(Pattern(expected, names));
  std::smatch match;
  if (names.empty() || !std::regex_match(actual, match, pattern)) return false;
  std::map<std::string, std::string> fresh;
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == "<random>" || names[i] == "<hash>") continue;
    const std::string meaning = match[i + 1].str();
    const auto known = meaning_.find(names[i]);
    const bool same = known != meaning_.end() && known->second == meaning;
    if (known != meaning_.end() && !same) return false;
    if (!same && taken_.contains(Sort(names[i]) + meaning)) return false;
    fresh[names[i]] = meaning;
  }
  for (const auto& [name, meaning] : fresh) {
    meaning_[name] = meaning;
    taken_.insert(Sort(name) + meaning);
  }
  return true;
}

// Of several members that a name may stand for, the one that is equal below is meant.
const json::Value* RenamingComparison::FindMember(const json::Member& wanted,
                                                  const json::Value& actual,
                                                  const std::string& path,
                                                  std::set<std::string>& used) {
  const std::string key(wanted.name());
  if (const json::Value* same = actual.Find(key)) {
    used.insert(key);
    return same;
  }
  const json::Member* fallback = nullptr;
  for (const json::Member& member : actual.Members()) {
    RenamingComparison attempt = *this;
    const std::string name(member.name());
    if (used.contains(name) || !attempt.Matches(key, name)) continue;
    if (!fallback) fallback = &member;
    std::vector<std::string> differences;
    attempt.Compare(wanted.value, member.value, path, differences);
    if (!differences.empty()) continue;
    used.insert(name);
    Matches(key, name);
    return &member.value;
  }
  if (!fallback) return nullptr;
  used.insert(std::string(fallback->name()));
  Matches(key, std::string(fallback->name()));
  return &fallback->value;
}

void RenamingComparison::CompareObjects(const json::Value& expected, const json::Value& actual,
                                        const std::string& path,
                                        std::vector<std::string>& differences) {
  std::set<std::string> used;
  for (const json::Member& member : expected.Members()) {
    const std::string below = path + "/" + std::string(member.name());
    const json::Value* found = FindMember(member, actual, below, used);
    if (varies.contains(below)) continue;
    if (!found && SaysNothing(member.value)) continue;
    if (!found) {
      differences.push_back(
          fmt::format("{}: expected {}, got nothing", below, json::Write(member.value)));
      continue;
    }
    Compare(member.value, *found, below, differences);
  }
  for (const json::Member& member : actual.Members()) {
    const std::string name(member.name());
    if (used.contains(name) || varies.contains(path + "/" + name)) continue;
    if (SaysNothing(member.value)) continue;
    differences.push_back(
        fmt::format("{}/{}: unexpected {}", path, name, json::Write(member.value)));
  }
}

void RenamingComparison::Compare(const json::Value& expected, const json::Value& actual,
                                 const std::string& path, std::vector<std::string>& differences) {
  if (varies.contains(path)) return;
  if (expected.IsObject() && actual.IsObject()) {
    return CompareObjects(expected, actual, path, differences);
  }
  if (expected.IsArray() && actual.IsArray() && expected.size() == actual.size()) {
    for (size_t i = 0; i < expected.size(); ++i) {
      Compare(expected.At(i), actual.At(i), fmt::format("{}/{}", path, i), differences);
    }
    return;
  }
  const bool same = expected.IsString() && actual.IsString()
                        ? Matches(expected.ToString(), actual.ToString())
                        : expected == actual;
  if (!same) {
    differences.push_back(
        fmt::format("{}: expected {}, got {}", path, json::Write(expected), json::Write(actual)));
  }
}

}  // namespace coppice::vectors
