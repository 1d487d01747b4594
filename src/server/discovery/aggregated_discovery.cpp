#include <algorithm>
#include <map>

#include "json/write.h"
#include "server/discovery/discovery.h"
#include "server/discovery/openapi.h"
#include "server/model/version_order.h"

namespace coppice::server {
namespace {

json::Value Kind(const std::string& group, const std::string& version, const std::string& kind) {
  return json::Value::Object({{"group", group}, {"version", version}, {"kind", kind}});
}

// The entries of an APIResourceList in the shape of aggregated discovery, with subresources below
// their resource.
json::Value Resources(const json::Value& list, const std::string& group,
                      const std::string& version) {
  std::map<std::string, json::Value> resources;
  for (const json::Value& entry : list["resources"].Items()) {
    const std::string name = entry["name"].ToString();
    json::Value kind = Kind(entry["group"].ToString(group), entry["version"].ToString(version),
                            entry["kind"].ToString());
    const size_t slash = name.find('/');
    if (slash != std::string::npos) {
      resources[name.substr(0, slash)]
          .Mutable("subresources")
          .Append(json::Value::Object({{"subresource", name.substr(slash + 1)},
                                       {"responseKind", std::move(kind)},
                                       {"verbs", entry["verbs"]}}));
      continue;
    }
    json::Value& resource = resources[name];
    resource.Set("resource", name)
        .Set("responseKind", std::move(kind))
        .Set("scope", entry["namespaced"].AsBool() ? "Namespaced" : "Cluster")
        .Set("singularResource", entry["singularName"])
        .Set("verbs", entry["verbs"]);
    for (const char* field : {"shortNames", "categories"}) {
      if (entry.Has(field)) resource.Set(field, entry[field]);
    }
  }
  json::Value sorted = json::Value::Array();
  for (auto& [name, resource] : resources) sorted.Append(std::move(resource));
  return sorted;
}

json::Value GroupEntry(Core& core, const std::string& group, std::vector<std::string> versions) {
  std::sort(versions.begin(), versions.end(), IsBetterVersion);
  json::Value entries = json::Value::Array();
  for (const std::string& version : versions) {
    const std::string path = group.empty() ? "/api/" + version : "/apis/" + group + "/" + version;
    const auto list = Discover(core, path);
    if (!list) continue;
    entries.Append(json::Value::Object({{"version", version},
                                        {"freshness", "Current"},
                                        {"resources", Resources(*list, group, version)}}));
  }
  json::Value metadata = json::Value::Object({{"creationTimestamp", json::Value()}});
  if (!group.empty()) metadata.Set("name", group);
  return json::Value::Object({{"metadata", std::move(metadata)}, {"versions", std::move(entries)}});
}

}  // namespace

void ServeAggregatedDiscovery(Core& core, const Call& call) {
  const bool legacy = call.info.path == "/api";
  std::map<std::string, std::vector<std::string>> groups;
  for (const ServedPtr& served : core.registry()->all()) {
    if (served->resource.group.empty() != legacy) continue;
    std::vector<std::string>& versions = groups[served->resource.group];
    if (std::find(versions.begin(), versions.end(), served->resource.version) == versions.end()) {
      versions.push_back(served->resource.version);
    }
  }
  json::Value items = json::Value::Array();
  for (const auto& [group, versions] : groups) items.Append(GroupEntry(core, group, versions));
  const std::string version = call.form.discovery_version;
  const json::Value document =
      json::Value::Object({{"kind", "APIGroupDiscoveryList"},
                           {"apiVersion", "apidiscovery.k8s.io/" + version},
                           {"metadata", json::Value::Object()},
                           {"items", std::move(items)}});
  call.writer->Send(http::Response::Make(
      200, "application/json;g=apidiscovery.k8s.io;v=" + version + ";as=APIGroupDiscoveryList",
      json::Write(document)));
}

}  // namespace coppice::server
