#include "server/discovery/discovery.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "json/strings.h"
#include "server/model/errors.h"
#include "server/model/version_order.h"
#include "server/wire/request_info.h"

namespace coppice::server {
namespace {

json::Value Entry(const ServedResource& served) {
  json::Value entry = json::Value::Object({{"name", served.resource.plural},
                                           {"singularName", served.singular},
                                           {"namespaced", served.resource.namespaced},
                                           {"kind", served.resource.kind},
                                           {"verbs", json::StringList(served.verbs)}});
  if (!served.short_names.empty()) entry.Set("shortNames", json::StringList(served.short_names));
  if (!served.categories.empty()) entry.Set("categories", json::StringList(served.categories));
  return entry;
}

json::Value SubresourceEntry(const ServedResource& served, const Subresource& subresource) {
  const api::Resource& parent = served.resource;
  json::Value entry = json::Value::Object({{"name", parent.plural + "/" + subresource.name},
                                           {"singularName", ""},
                                           {"namespaced", parent.namespaced},
                                           {"kind", parent.kind},
                                           {"verbs", json::StringList(subresource.verbs)}});
  if (!subresource.group.empty()) {
    entry.Set("group", subresource.group).Set("version", subresource.version);
  }
  if (subresource.subpaths) {
    entry.Set("kind", parent.kind + subresource.kind);  // NodeProxyOptions.
  } else if (!subresource.kind.empty()) {
    entry.Set("kind", subresource.kind);
  }
  return entry;
}

base::Result<json::Value> ResourceList(const Registry& registry, std::string_view group,
                                       std::string_view version) {
  std::map<std::string, json::Value> entries;
  std::string group_version;
  for (const ServedPtr& served : registry.all()) {
    if (served->resource.group != group || served->resource.version != version) continue;
    group_version = served->resource.ApiVersion();
    entries.emplace(served->resource.plural, Entry(*served));
    for (const Subresource* each : served->Subresources()) {
      entries.emplace(served->resource.plural + "/" + each->name, SubresourceEntry(*served, *each));
    }
  }
  if (entries.empty()) return ResourceUnknown();
  json::Value resources = json::Value::Array();
  for (auto& [name, entry] : entries) resources.Append(std::move(entry));
  return json::Value::Object({{"kind", "APIResourceList"},
                              {"apiVersion", "v1"},
                              {"groupVersion", group_version},
                              {"resources", std::move(resources)}});
}

json::Value GroupVersion(const std::string& group, const std::string& version) {
  return json::Value::Object({{"groupVersion", group + "/" + version}, {"version", version}});
}

json::Value Group(const std::string& name, std::vector<std::string> versions) {
  std::sort(versions.begin(), versions.end(), IsBetterVersion);
  json::Value list = json::Value::Array();
  for (const std::string& version : versions) list.Append(GroupVersion(name, version));
  return json::Value::Object({{"name", name},
                              {"versions", std::move(list)},
                              {"preferredVersion", GroupVersion(name, versions.front())}});
}

std::map<std::string, std::vector<std::string>> VersionsByGroup(const Registry& registry) {
  std::map<std::string, std::vector<std::string>> groups;
  for (const ServedPtr& served : registry.all()) {
    if (served->resource.group.empty()) continue;
    std::vector<std::string>& versions = groups[served->resource.group];
    if (std::find(versions.begin(), versions.end(), served->resource.version) == versions.end()) {
      versions.push_back(served->resource.version);
    }
  }
  return groups;
}

json::Value GroupList(const Registry& registry) {
  json::Value groups = json::Value::Array();
  for (const auto& [name, versions] : VersionsByGroup(registry))
    groups.Append(Group(name, versions));
  return json::Value::Object(
      {{"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", std::move(groups)}});
}

json::Value Version(const std::string& release) {
  const std::string minor = release.substr(release.find('.') + 1);
  return json::Value::Object({{"major", "1"},
                              {"minor", minor},
                              {"emulationMajor", "1"},
                              {"emulationMinor", minor},
                              {"gitVersion", fmt::format("v{}.0+coppice", release)},
                              {"gitCommit", ""},
                              {"gitTreeState", "clean"},
                              {"buildDate", "1970-01-01T00:00:00Z"},
                              {"goVersion", "none"},
                              {"compiler", "gcc"},
                              {"platform", "linux/amd64"}});
}

}  // namespace

base::Result<json::Value> Discover(Core& core, std::string_view path) {
  const std::vector<std::string> parts = SplitPath(path);
  const std::shared_ptr<const Registry> registry = core.registry();
  if (parts.size() == 1 && parts[0] == "version") return Version(core.kubernetes_version());
  if (parts.size() == 1 && parts[0] == "api") {
    return json::Value::Object({{"kind", "APIVersions"},
                                {"versions", json::Value::Array({"v1"})},
                                {"serverAddressByClientCIDRs", json::Value::Array()}});
  }
  if (parts.size() == 2 && parts[0] == "api") return ResourceList(*registry, "", parts[1]);
  if (parts.empty() || parts[0] != "apis") return ResourceUnknown();
  if (parts.size() == 1) return GroupList(*registry);
  if (parts.size() == 3) return ResourceList(*registry, parts[1], parts[2]);
  const auto groups = VersionsByGroup(*registry);
  const auto group = groups.find(parts[1]);
  if (parts.size() != 2 || group == groups.end()) return ResourceUnknown();
  json::Value found = Group(group->first, group->second);
  found.Set("kind", "APIGroup").Set("apiVersion", "v1");
  return found;
}

}  // namespace coppice::server
