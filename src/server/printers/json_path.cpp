#include "server/printers/json_path.h"

#include <charconv>
#include <vector>

#include "json/write.h"

namespace coppice::server {
namespace {

using Values = std::vector<json::Value>;

// Takes the text inside brackets, which may hold quotes and parentheses.
std::string_view TakeBracket(std::string_view& path) {
  size_t depth = 0;
  char quote = 0;
  for (size_t i = 0; i < path.size(); ++i) {
    const char c = path[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
      continue;
    }
    if (c == '\'' || c == '"') quote = c;
    if (c == '[') ++depth;
    if (c == ']' && --depth == 0) {
      const std::string_view inside = path.substr(1, i - 1);
      path.remove_prefix(i + 1);
      return inside;
    }
  }
  path = {};
  return {};
}

std::string_view Unquote(std::string_view text) {
  if (text.size() >= 2 && (text.front() == '\'' || text.front() == '"')) {
    return text.substr(1, text.size() - 2);
  }
  return text;
}

bool PassesFilter(const json::Value& item, std::string_view filter) {
  const size_t equals = filter.find("==");
  if (equals == std::string_view::npos) {
    return !EvaluateJsonPath(item, filter.substr(1)).IsNull();
  }
  std::string_view left = filter.substr(0, equals), right = filter.substr(equals + 2);
  while (!left.empty() && left.back() == ' ') left.remove_suffix(1);
  while (!right.empty() && right.front() == ' ') right.remove_prefix(1);
  while (!right.empty() && right.back() == ' ') right.remove_suffix(1);
  return JsonPathText(EvaluateJsonPath(item, left.substr(1))) == Unquote(right);
}

Values Select(const Values& from, std::string_view inside) {
  Values found;
  for (const json::Value& value : from) {
    if (inside == "*") {
      for (const json::Value& item : value.Items()) found.push_back(item);
    } else if (inside.substr(0, 2) == "?(") {
      const std::string_view filter = inside.substr(2, inside.size() - 3);
      for (const json::Value& item : value.Items()) {
        if (PassesFilter(item, filter)) found.push_back(item);
      }
    } else if (!inside.empty() && (inside.front() == '\'' || inside.front() == '"')) {
      if (const json::Value* member = value.Find(Unquote(inside))) found.push_back(*member);
    } else {
      int64_t index = 0;
      std::from_chars(inside.data(), inside.data() + inside.size(), index);
      if (index < 0) index += static_cast<int64_t>(value.size());
      if (index >= 0 && static_cast<size_t>(index) < value.size()) {
        found.push_back(value.At(static_cast<size_t>(index)));
      }
    }
  }
  return found;
}

std::string TakeName(std::string_view& path) {
  std::string name;
  while (!path.empty() && path.front() != '.' && path.front() != '[') {
    if (path.front() == '\\' && path.size() > 1) path.remove_prefix(1);
    name.push_back(path.front());
    path.remove_prefix(1);
  }
  return name;
}

}  // namespace

json::Value EvaluateJsonPath(const json::Value& object, std::string_view path) {
  Values at{object};
  while (!path.empty() && !at.empty()) {
    if (path.front() == '[') {
      at = Select(at, TakeBracket(path));
      continue;
    }
    if (path.front() == '.') path.remove_prefix(1);
    if (path.empty() || path.front() == '[') continue;
    const std::string name = TakeName(path);
    Values next;
    for (const json::Value& value : at) {
      if (name == "*") {
        for (const json::Member& member : value.Members()) next.push_back(member.value);
        for (const json::Value& item : value.Items()) next.push_back(item);
      } else if (const json::Value* member = value.Find(name)) {
        next.push_back(*member);
      }
    }
    at = std::move(next);
  }
  return at.empty() ? json::Value() : at.front();
}

std::string JsonPathText(const json::Value& value) {
  return value.IsString() ? value.ToString() : json::Write(value);
}

}  // namespace coppice::server
