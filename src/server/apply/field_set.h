#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "json/value.h"

namespace coppice::server {

// A set of field paths in an object, as in managedFields (FieldsV1).
//
// A tree of path elements: "f:name" a member of an object, `k:{"name":"a"}` an item of a list by
// its keys, `v:"x"` an item of a set, "i:0" an item by its place.
class FieldSet {
 public:
  using Children = std::map<std::string, FieldSet, std::less<>>;

  // Whether this path itself is in the set, apart from anything below it.
  bool member = false;
  Children children;

  bool empty() const { return !member && children.empty(); }
  bool operator==(const FieldSet&) const = default;

  void UniteWith(const FieldSet& other);
  // Adds `below` under `element`, unless it is empty.
  void Add(const std::string& element, FieldSet below);
  void Subtract(const FieldSet& other);
  FieldSet IntersectWith(const FieldSet& other) const;
  // Null if neither the element nor anything below it is in the set.
  const FieldSet* Find(std::string_view element) const;
  FieldSet& At(std::string_view element);
  bool Erase(std::string_view element);
  // Every path in the set, as messages show it: `.spec.containers[name="a"].image`.
  std::vector<std::string> Paths() const;

  // One element as messages show it: `k:{"name":"a"}` is `[name="a"]`.
  static std::string Shown(std::string_view element);

  static FieldSet FromJson(const json::Value& fields);
  json::Value ToJson() const;

 private:
  void CollectPaths(const std::string& prefix, std::vector<std::string>& paths) const;
};

}  // namespace coppice::server
