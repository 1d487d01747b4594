#include "server/apply/field_set.h"

#include "json/parse.h"
#include "json/write.h"

namespace coppice::server {
std::string FieldSet::Shown(std::string_view element) {
  const std::string_view body = element.substr(2);
  switch (element[0]) {
    case 'f':
      return "." + std::string(body);
    case 'i':
      return "[" + std::string(body) + "]";
    case 'v':
      return "[=" + std::string(body) + "]";
    default:
      break;
  }
  const auto keys = json::Parse(body);
  if (!keys) return "[" + std::string(body) + "]";
  std::string text = "[";
  for (const json::Member& key : keys->Members()) {
    if (text.size() > 1) text += ",";
    text += std::string(key.name()) + "=" + json::Write(key.value);
  }
  return text + "]";
}

void FieldSet::UniteWith(const FieldSet& other) {
  member |= other.member;
  for (const auto& [element, child] : other.children) children[element].UniteWith(child);
}

void FieldSet::Add(const std::string& element, FieldSet below) {
  if (below.empty()) return;
  const auto [place, is_new] = children.try_emplace(element);
  if (is_new) {
    place->second = std::move(below);
  } else {
    place->second.UniteWith(below);
  }
}

void FieldSet::Subtract(const FieldSet& other) {
  if (other.member) member = false;
  for (const auto& [element, child] : other.children) {
    const auto found = children.find(element);
    if (found == children.end()) continue;
    found->second.Subtract(child);
    if (found->second.empty()) children.erase(found);
  }
}

FieldSet FieldSet::IntersectWith(const FieldSet& other) const {
  FieldSet both;
  both.member = member && other.member;
  for (const auto& [element, child] : children) {
    const auto found = other.children.find(element);
    if (found == other.children.end()) continue;
    FieldSet common = child.IntersectWith(found->second);
    if (!common.empty()) both.children.emplace(element, std::move(common));
  }
  return both;
}

const FieldSet* FieldSet::Find(std::string_view element) const {
  const auto found = children.find(element);
  return found == children.end() ? nullptr : &found->second;
}

FieldSet& FieldSet::At(std::string_view element) {
  const auto found = children.find(element);
  if (found != children.end()) return found->second;
  return children.emplace(std::string(element), FieldSet()).first->second;
}

bool FieldSet::Erase(std::string_view element) {
  const auto found = children.find(element);
  if (found == children.end()) return false;
  children.erase(found);
  return true;
}

std::vector<std::string> FieldSet::Paths() const {
  std::vector<std::string> paths;
  CollectPaths("", paths);
  return paths;
}

void FieldSet::CollectPaths(const std::string& prefix, std::vector<std::string>& paths) const {
  for (const auto& [element, child] : children) {
    if (child.member) paths.push_back(prefix + Shown(element));
  }
  for (const auto& [element, child] : children) child.CollectPaths(prefix + Shown(element), paths);
}

FieldSet FieldSet::FromJson(const json::Value& fields) {
  FieldSet set;
  for (const json::Member& field : fields.Members()) {
    if (field.name() == ".") {
      set.member = true;
    } else if (field.name().size() > 2) {
      FieldSet child = FromJson(field.value);
      if (child.children.empty()) child.member = true;
      set.children.emplace(std::string(field.name()), std::move(child));
    }
  }
  return set;
}

json::Value FieldSet::ToJson() const {
  std::vector<json::Member> fields;
  fields.reserve(children.size() + 1);
  if (member && !children.empty()) fields.push_back({".", json::Value::Object()});
  for (const auto& [element, child] : children) fields.push_back({element, child.ToJson()});
  return json::Value::Object(std::move(fields));
}

}  // namespace coppice::server
