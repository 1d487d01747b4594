#include "kube/discovery.h"

#include <algorithm>
#include <charconv>

namespace coppice::kube {
namespace {

using json::Value;

// Some providers write "35+".
int LeadingNumber(std::string_view text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string PathOf(const std::string& group, const std::string& version) {
  return group.empty() ? "/api/" + version : "/apis/" + group + "/" + version;
}

// Preferred first, then in the server's order.
std::vector<std::string> VersionsOf(const Value& group) {
  std::vector<std::string> versions;
  const std::string preferred = group["preferredVersion"]["version"].ToString();
  if (!preferred.empty()) versions.push_back(preferred);
  for (const Value& entry : group["versions"].Items()) {
    if (const std::string version = entry["version"].ToString(); version != preferred) {
      versions.push_back(version);
    }
  }
  return versions;
}

}  // namespace

base::Result<Discovery> Discovery::Load(Client& client) {
  Discovery discovery;
  COPPICE_ASSIGN(const Value core, client.GetPath("/api"));
  for (const Value& version : core["versions"].Items()) {
    discovery.versions_[""].push_back(version.ToString());
  }
  COPPICE_ASSIGN(const Value groups, client.GetPath("/apis"));
  for (const Value& group : groups["groups"].Items()) {
    discovery.versions_[group["name"].ToString()] = VersionsOf(group);
  }
  for (const auto& [group, versions] : discovery.versions_) {
    for (const std::string& version : versions) discovery.LoadVersion(client, group, version);
  }
  return discovery;
}

void Discovery::LoadVersion(Client& client, const std::string& group, const std::string& version) {
  const std::string path = PathOf(group, version);
  const base::Result<Value> list = client.GetPath(path);
  if (!list) return failed_.push_back(path + ": " + list.error().ToString());
  for (const Value& entry : (*list)["resources"].Items()) {
    const std::string name = entry["name"].ToString();
    if (name.find('/') != std::string::npos) {
      subresources_[group + "/" + version].insert(name);
      continue;
    }
    resources_.push_back(
        {group, version, name, entry["kind"].ToString(), entry["namespaced"].AsBool()});
  }
}

bool Discovery::Serves(const Resource& resource) const {
  return std::any_of(resources_.begin(), resources_.end(), [&](const Resource& served) {
    return served.group == resource.group && served.version == resource.version &&
           served.plural == resource.plural;
  });
}

bool Discovery::ServesSubresource(const Resource& resource, std::string_view subresource) const {
  const auto found = subresources_.find(resource.group + "/" + resource.version);
  return found != subresources_.end() &&
         found->second.contains(resource.plural + "/" + std::string(subresource));
}

std::vector<std::string> Discovery::Versions(std::string_view group) const {
  const auto found = versions_.find(group);
  return found == versions_.end() ? std::vector<std::string>() : found->second;
}

std::optional<Resource> Discovery::FindVersion(std::string_view group, std::string_view plural,
                                               const std::vector<std::string>& versions) const {
  for (const std::string& version : versions) {
    for (const Resource& served : resources_) {
      if (served.group == group && served.version == version && served.plural == plural) {
        return served;
      }
    }
  }
  return std::nullopt;
}

std::optional<Resource> Discovery::FindKind(std::string_view api_version,
                                            std::string_view kind) const {
  for (const Resource& served : resources_) {
    if (served.kind == kind && served.ApiVersion() == api_version) return served;
  }
  return std::nullopt;
}

base::Result<ServerVersion> GetServerVersion(Client& client) {
  COPPICE_ASSIGN(const Value version, client.GetPath("/version"));
  return ServerVersion{LeadingNumber(version["major"].AsString()),
                       LeadingNumber(version["minor"].AsString()),
                       version["gitVersion"].ToString()};
}

}  // namespace coppice::kube
