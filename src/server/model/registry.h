#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/resource.h"
#include "api/schema/model/schema.h"
#include "json/value.h"
#include "server/model/kind_rules.h"
#include "server/model/subresource.h"

namespace coppice::server {

struct ScalePaths {
  std::string spec_replicas;    // ".spec.replicas".
  std::string status_replicas;  // ".status.replicas".
  std::string selector;         // ".status.selector", or "" for none.
};

struct PrinterColumn {
  std::string name;
  std::string type;
  std::string format;
  std::string description;
  std::string json_path;
  int64_t priority = 0;
};

// One served resource in one version.
struct ServedResource {
  api::Resource resource;
  std::string storage;          // The store's name for it; all versions share it.
  std::string storage_version;  // The apiVersion that objects are stored with.
  std::string singular;
  std::string list_kind;
  std::vector<std::string> short_names;
  std::vector<std::string> categories;
  bool has_status = false;
  json::Value empty_status;               // What the status of a new object is; null: none.
  bool returns_deleted = false;           // A delete returns the object, not a Status.
  std::vector<std::string> subresources;  // Besides status and scale: "binding", …
  std::shared_ptr<const ScalePaths> scale;
  std::shared_ptr<const KindRules> rules;
  bool custom = false;  // From a CustomResourceDefinition.
  std::string crd_name;
  // The schema of its objects; null if unknown. Owned by schema_owner, or by the tables.
  const api::Schema* schema = nullptr;
  std::shared_ptr<const void> schema_owner;
  // For a custom resource in another than the stored version: the schema of the stored one.
  const api::Schema* stored_schema = nullptr;
  std::shared_ptr<const void> stored_schema_owner;
  std::vector<PrinterColumn> columns;
  Verbs verbs = AllVerbs();  // Of its collections and objects.
  std::string deprecation;   // Deprecation warning for clients; "" for none.

  // All of them, sorted by name.
  std::vector<const Subresource*> Subresources() const;
  // Null if there is none of that name.
  const Subresource* GetSubresource(std::string_view name) const;
  // Whether it, or a subresource of it, supports a verb. kNotFound or kMethodNotAllowed.
  base::Status CheckServes(std::string_view verb, std::string_view subresource) const;
  // The store's name of an object.
  std::string NameOf(std::string_view ns, std::string_view name) const;
};

using ServedPtr = std::shared_ptr<const ServedResource>;

// Everything that is served at one moment. Immutable: changes make a new one.
class Registry {
 public:
  void Add(ServedResource served);
  void RemoveCrd(const std::string& crd_name);

  ServedPtr Find(std::string_view group, std::string_view version, std::string_view plural) const;
  ServedPtr Find(const api::Resource& resource) const {
    return Find(resource.group, resource.version, resource.plural);
  }
  // By the kind of an owner reference or a scale target.
  ServedPtr FindKind(std::string_view api_version, std::string_view kind) const;
  // One entry for each stored resource, in the version it is stored in.
  std::vector<ServedPtr> Stored() const;
  const std::vector<ServedPtr>& all() const { return all_; }

 private:
  std::vector<ServedPtr> all_;
  std::map<std::string, ServedPtr, std::less<>> by_plural_;  // "group/version/plural".
  std::map<std::string, ServedPtr, std::less<>> by_kind_;    // "group/version/Kind".
};

// "apps/v1" into {"apps", "v1"}; "v1" into {"", "v1"}.
std::pair<std::string, std::string> SplitApiVersion(std::string_view api_version);

}  // namespace coppice::server
