#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "api/schema/model/schema.h"
#include "json/value.h"

namespace coppice::api {

// The types of Kubernetes' own kinds: field names, types, what is required, list-map keys and
// strategic-merge keys, for one minor version of Kubernetes. Read once from the tables.
//
//   const Schema* pod = BuiltinTypes::For(35).FindKind("v1", "Pod");
//   json::ApplyStrategicMergePatch(object, patch, pod);
class BuiltinTypes {
 public:
  static constexpr int kOldest = 35;
  static constexpr int kNewest = 37;

  // `minor` is the y of Kubernetes 1.y; versions beyond the known ones count as the nearest.
  static const BuiltinTypes& For(int minor);

  // By apiVersion and kind as in an object ("apps/v1", "Deployment"). Null for other kinds, also of
  // groups that only look alike.
  const Schema* FindKind(std::string_view api_version, std::string_view kind) const;
  // By the tables' name: "core/v1 PodSpec", "meta/v1 Condition".
  const Schema* FindType(std::string_view name) const;
  // The apiVersion and kind of everything that can be stored or posted.
  struct Kind {
    std::string api_version;
    std::string kind;
    const Schema* schema;
  };
  const std::vector<Kind>& kinds() const { return kinds_; }

 private:
  friend class TableReader;
  BuiltinTypes() = default;

  SchemaArena arena_;
  std::map<std::string, const Schema*, std::less<>> types_;
  std::vector<Kind> kinds_;
};

// The structural OpenAPI schema of a built-in type of the oldest version, as CRDs embed it, by the
// tables' name ("core/v1 PodSpec"). Null when the tables do not know it.
json::Value BuiltinSchema(std::string_view type);

// The apiVersion of a group name in the tables: "core/v1" is "v1", "rbac/v1" is
// "rbac.authorization.k8s.io/v1".
std::string ApiVersionOfTable(std::string_view group);

}  // namespace coppice::api
