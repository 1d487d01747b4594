#include "server/crd/crd_serving.h"

#include <fmt/format.h>

#include "json/strings.h"
#include "kube/object.h"
#include "server/crd/custom_resource.h"
#include "server/crd/schema_cache.h"
#include "server/model/version_order.h"

namespace coppice::server {
namespace {

std::string StorageVersion(const json::Value& spec) {
  for (const json::Value& version : spec["versions"].Items()) {
    if (version["storage"].AsBool()) {
      return spec["group"].ToString() + "/" + version["name"].ToString();
    }
  }
  return "";
}

const json::Value& StoredSchema(const json::Value& spec) {
  static const json::Value none;
  for (const json::Value& version : spec["versions"].Items()) {
    if (version["storage"].AsBool()) return version["schema"]["openAPIV3Schema"];
  }
  return none;
}

std::vector<PrinterColumn> ReadColumns(const json::Value& version) {
  std::vector<PrinterColumn> columns;
  for (const json::Value& column : version["additionalPrinterColumns"].Items()) {
    columns.push_back(
        {column["name"].ToString(), column["type"].ToString(), column["format"].ToString(),
         column["description"].ToString("Custom resource definition column (in JSONPath format): " +
                                        column["jsonPath"].ToString()),
         column["jsonPath"].ToString(), column["priority"].AsInt()});
  }
  return columns;
}

std::shared_ptr<const ScalePaths> Scale(const json::Value& scale) {
  if (scale.IsNull()) return nullptr;
  return std::make_shared<ScalePaths>(ScalePaths{scale["specReplicasPath"].ToString(),
                                                 scale["statusReplicasPath"].ToString(),
                                                 scale["labelSelectorPath"].ToString()});
}

// What to use instead of a deprecated version: the best of those that are not and rank above it.
std::string Successor(const json::Value& versions, const json::Value& deprecated) {
  std::string best = deprecated["name"].ToString();
  for (const json::Value& version : versions.Items()) {
    if (!version["served"].AsBool() || version["deprecated"].AsBool()) continue;
    if (IsBetterVersion(version["name"].AsString(), best)) best = version["name"].ToString();
  }
  return best == deprecated["name"].AsString() ? "" : best;
}

std::string Deprecation(const api::Resource& resource, const json::Value& versions,
                        const json::Value& version) {
  if (!version["deprecated"].AsBool()) return "";
  if (version.Has("deprecationWarning")) return version["deprecationWarning"].ToString();
  const std::string text = fmt::format("{} {} is deprecated", resource.ApiVersion(), resource.kind);
  const std::string successor = Successor(versions, version);
  if (successor.empty()) return text;
  return fmt::format("{}; use {}/{} {}", text, resource.group, successor, resource.kind);
}

ServedResource DescribeVersion(const json::Value& crd, const json::Value& version) {
  const json::Value& spec = crd["spec"];
  const json::Value& names = spec["names"];
  ServedResource served;
  served.resource = {spec["group"].ToString(), version["name"].ToString(),
                     names["plural"].ToString(), names["kind"].ToString(),
                     spec["scope"].AsString() == "Namespaced"};
  served.storage = served.resource.group + "/" + served.resource.plural;
  served.storage_version = StorageVersion(spec);
  served.singular = names["singular"].ToString();
  served.list_kind = names["listKind"].ToString(served.resource.kind + "List");
  served.short_names = json::ReadStrings(names["shortNames"]);
  served.categories = json::ReadStrings(names["categories"]);
  served.has_status = version["subresources"].Has("status");
  served.scale = Scale(version["subresources"]["scale"]);
  served.custom = true;
  served.crd_name = kube::Name(crd);
  served.columns = ReadColumns(version);
  served.deprecation = Deprecation(served.resource, spec["versions"], version);
  // Validation has refused schemas that do not compile; older ones are served as they come.
  if (const auto document = CompileSchema(version["schema"]["openAPIV3Schema"])) {
    served.schema = &(*document)->root();
    served.schema_owner = *document;
  }
  if (served.resource.ApiVersion() != served.storage_version) {
    if (const auto document = CompileSchema(StoredSchema(spec))) {
      served.stored_schema = &(*document)->root();
      served.stored_schema_owner = *document;
    }
  }
  served.rules = MakeCustomResourceRules(version, served.schema);
  return served;
}

}  // namespace

void ServeCrd(Core& core, std::string_view name) {
  core.ChangeRegistry([&](Registry& registry) {
    registry.RemoveCrd(std::string(name));
    // Two writers may come here in another order than they wrote: what is stored counts.
    const store::VersionPtr stored = core.store().GetNewest(kCrdStorage, name);
    if (!stored || kube::ConditionIs(stored->value(), "NamesAccepted", "False")) return;
    for (const json::Value& version : stored->value()["spec"]["versions"].Items()) {
      if (version["served"].AsBool()) registry.Add(DescribeVersion(stored->value(), version));
    }
  });
}

void ServeStoredCrds(Core& core) {
  const auto listing = core.store().List(kCrdStorage, {});
  if (!listing) return;
  for (const store::VersionPtr& crd : listing->items) ServeCrd(core, crd->name());
}

}  // namespace coppice::server
