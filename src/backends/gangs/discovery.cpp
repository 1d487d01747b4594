#include "backends/gangs/discovery.h"

#include <fmt/format.h>

#include <map>

#include "api/edit/meta.h"
#include "api/view/apidiscovery.h"
#include "api/view/apiextensions.h"
#include "api/well_known.h"
#include "backends/model/fields.h"
#include "backends/model/refused.h"
#include "base/log.h"
#include "kube/object.h"

namespace coppice::backends {
namespace {

using json::Value;

// Whether a structural schema has a field; descends into the "items" of arrays.
bool SchemaHas(view::apiextensions::JSONSchemaProps schema, const FieldPath& path) {
  using view::apiextensions::JSONSchemaProps;
  for (const std::string& key : path) {
    if (schema.type() == "array") schema = JSONSchemaProps(schema.items());
    schema = schema.properties()[key];
  }
  return static_cast<bool>(schema);
}

class Discoverer {
 public:
  Discoverer(kube::Client& client, const Capabilities& before) : client_(client), before_(before) {}

  base::Result<Capabilities> Run(const std::vector<ResourceUse>& uses) {
    if (const auto version = client_.GetPath("/version")) {
      found_.server_version = view::apidiscovery::VersionInfo(*version).gitVersion();
    } else if (!version.Is(base::ErrorCode::kNotFound)) {
      return version.error().During("asking for the server's version");
    }
    for (const ResourceUse& use : uses) {
      const base::Status examined = Examine(use);
      if (examined) continue;
      base::LogWarn("cannot find out about a resource", {{"resource", use.resource.QualifiedName()},
                                                         {"error", examined.error().ToString()}});
      found_.Miss(use.resource, before_);
    }
    return std::move(found_);
  }

 private:
  base::Status Examine(const ResourceUse& use) {
    COPPICE_ASSIGN(const bool served, IsServed(use.resource));
    if (!served) return {};
    if (!use.canary.IsNull()) {
      COPPICE_TRY(ProbeByWriting(use));
    } else if (!use.fields.empty()) {
      COPPICE_TRY(ProbeSchema(use));
    }
    found_.Serve(use.resource);
    ReadDocuments(client_, {use}, found_);
    return {};
  }

  base::Result<bool> IsServed(const api::Resource& resource) {
    const std::string path =
        resource.group.empty() ? "/api/" + resource.version : "/apis/" + resource.ApiVersion();
    auto known = lists_.find(path);
    if (known == lists_.end()) {
      auto list = client_.GetPath(path);
      if (!list && !list.Is(base::ErrorCode::kNotFound)) {
        return list.error().During("discovering " + path);
      }
      known = lists_.emplace(path, list ? *list : Value()).first;
    }
    for (const auto item : view::apidiscovery::APIResourceList(known->second).resources()) {
      if (item.name() == resource.plural) return true;
    }
    return false;
  }

  base::Status ProbeSchema(const ResourceUse& use) {
    const auto crd =
        client_.Get(api::kCustomResourceDefinitions, {"", use.resource.QualifiedName()});
    if (!crd) {
      // Without permission to read CRDs, optional fields are not used.
      if (crd.Is(base::ErrorCode::kNotFound) || crd.Is(base::ErrorCode::kForbidden)) return {};
      return crd.error().During("reading the definition of " + use.resource.QualifiedName());
    }
    const view::apiextensions::CustomResourceDefinition definition(*crd);
    for (const auto version : definition.spec().versions()) {
      if (version.name() != use.resource.version) continue;
      for (const std::string& field : use.fields) {
        if (SchemaHas(version.schema().openAPIV3Schema(), SplitPath(field))) {
          found_.AddField(use.resource, field);
        }
      }
    }
    return {};
  }

  base::Status ProbeByWriting(const ResourceUse& use) {
    const auto written = client_.Create(use.resource, use.canary,
                                        {.field_manager = "coppice-probe", .dry_run = true});
    if (!written) {
      const base::Error& error = written.error();
      if (error.Is(base::ErrorCode::kUnavailable) || error.Is(base::ErrorCode::kTimeout)) {
        return error.During("probing " + use.resource.QualifiedName());
      }
      base::LogWarn("cannot probe fields",
                    {{"resource", use.resource.QualifiedName()}, {"error", error.ToString()}});
      return {};
    }
    for (const std::string& field : use.fields) {
      const FieldPath path = SplitPath(field);
      if (HasAll(ValueAt(*written, path), ValueAt(use.canary, path))) {
        found_.AddField(use.resource, field);
      }
    }
    return {};
  }

  kube::Client& client_;
  const Capabilities& before_;
  Capabilities found_;
  std::map<std::string, Value> lists_;
};

void ReadDocument(kube::Client& client, const api::Resource& resource, const api::ObjectKey& key,
                  Capabilities& capabilities) {
  auto object = client.Get(resource, key);
  if (!object && !IsRefused(object.error())) return;
  Value document = object ? *std::move(object) : Value();
  if (document.IsObject()) edit::meta::PartialObjectMetadata(document).clear_metadata();
  capabilities.AddDocument(resource, key, std::move(document));
}

}  // namespace

void ReadDocuments(kube::Client& client, const std::vector<ResourceUse>& uses,
                   Capabilities& capabilities) {
  for (const ResourceUse& use : uses) {
    if (!capabilities.Serves(use.resource)) continue;
    for (const api::ObjectKey& key : use.documents) {
      ReadDocument(client, use.resource, key, capabilities);
    }
  }
}

base::Result<Capabilities> Discover(kube::Client& client, const std::vector<ResourceUse>& uses,
                                    const Capabilities& before) {
  return Discoverer(client, before).Run(uses);
}

}  // namespace coppice::backends
