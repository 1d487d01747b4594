#pragma once

#include <compare>
#include <string>
#include <string_view>

namespace coppice::api {

// One served resource: where it is found, and what its objects are called.
struct Resource {
  std::string group;    // "" for the core group.
  std::string version;  // "v1".
  std::string plural;   // "pods".
  std::string kind;     // "Pod".
  bool namespaced = true;

  // "v1" or "apps/v1".
  std::string ApiVersion() const { return group.empty() ? version : group + "/" + version; }
  // The same as ApiVersion() == text, without making a string.
  bool HasApiVersion(std::string_view text) const {
    if (group.empty()) return text == version;
    return text.size() == group.size() + 1 + version.size() && text.starts_with(group) &&
           text[group.size()] == '/' && text.ends_with(version);
  }
  // "pods" or "deployments.apps", as error messages name it.
  std::string QualifiedName() const { return group.empty() ? plural : plural + "." + group; }

  friend bool operator==(const Resource&, const Resource&) = default;
  friend auto operator<=>(const Resource&, const Resource&) = default;
};

// An object's place among the objects of its resource. `ns` is empty for cluster-scoped ones.
struct ObjectKey {
  std::string ns;
  std::string name;

  // "ns/name", or "name".
  std::string ToString() const { return ns.empty() ? name : ns + "/" + name; }

  friend bool operator==(const ObjectKey&, const ObjectKey&) = default;
  friend auto operator<=>(const ObjectKey&, const ObjectKey&) = default;
};

struct ObjectKeyHash {
  size_t operator()(const ObjectKey& key) const {
    return std::hash<std::string_view>()(key.name) * 31 + std::hash<std::string_view>()(key.ns);
  }
};

}  // namespace coppice::api
