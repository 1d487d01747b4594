#include "backends/model/fields.h"

#include <fmt/format.h>

#include <sstream>

namespace coppice::backends {
namespace {

using json::Value;

bool Differ(const std::string& path, std::string* difference) {
  if (difference != nullptr) *difference = path.starts_with('.') ? path.substr(1) : path;
  return false;
}

bool HasAllAt(const Value& whole, const Value& part, const std::string& path,
              std::string* difference) {
  if (part.IsObject()) {
    if (!whole.IsObject() && !part.empty()) return Differ(path, difference);
    for (const json::Member& member : part.Members()) {
      const std::string below = path + "." + std::string(member.name());
      if (!HasAllAt(whole[member.name()], member.value, below, difference)) return false;
    }
    return true;
  }
  if (part.IsArray()) {
    if (whole.size() != part.size()) return Differ(path, difference);
    for (size_t i = 0; i < part.size(); ++i) {
      const std::string below = fmt::format("{}[{}]", path, i);
      if (!HasAllAt(whole.At(i), part.At(i), below, difference)) return false;
    }
    return true;
  }
  return whole == part ? true : Differ(path, difference);
}

}  // namespace

const Value& ValueAt(const Value& object, const FieldPath& path) {
  const Value* value = &object;
  for (const std::string& key : path) value = &(*value)[key];
  return *value;
}

void SetAt(Value& object, const FieldPath& path, Value value) {
  Value* parent = &object;
  for (size_t i = 0; i + 1 < path.size(); ++i) parent = &parent->Mutable(path[i]);
  parent->Set(path.back(), std::move(value));
}

void EraseAt(Value& object, const FieldPath& path) {
  Value* parent = &object;
  for (size_t i = 0; i + 1 < path.size(); ++i) {
    parent = parent->FindMutable(path[i]);
    if (parent == nullptr) return;
  }
  parent->Erase(path.back());
}

std::string PathText(const FieldPath& path) { return fmt::format("{}", fmt::join(path, ".")); }

FieldPath SplitPath(const std::string& text) {
  FieldPath path;
  std::stringstream stream(text);
  for (std::string key; std::getline(stream, key, '.');) path.push_back(key);
  return path;
}

std::vector<FieldPath> ReadPaths(const Value& list) {
  std::vector<FieldPath> paths;
  for (const Value& item : list.Items()) paths.push_back(SplitPath(item.ToString()));
  return paths;
}

bool HasAll(const Value& whole, const Value& part, std::string* difference) {
  return HasAllAt(whole, part, "", difference);
}

}  // namespace coppice::backends
