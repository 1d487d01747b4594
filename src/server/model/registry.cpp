#include "server/model/registry.h"

#include <algorithm>

#include "server/model/errors.h"

namespace coppice::server {
namespace {

std::string Path(std::string_view group, std::string_view version, std::string_view last) {
  std::string path;
  return path.append(group).append("/").append(version).append("/").append(last);
}

}  // namespace

std::vector<const Subresource*> ServedResource::Subresources() const {
  std::vector<std::string> names = subresources;
  if (has_status) names.push_back("status");
  if (scale) names.push_back("scale");
  std::sort(names.begin(), names.end());
  std::vector<const Subresource*> found;
  for (const std::string& name : names) found.push_back(FindSubresource(name));
  return found;
}

const Subresource* ServedResource::GetSubresource(std::string_view name) const {
  bool has = std::find(subresources.begin(), subresources.end(), name) != subresources.end();
  if (name == "status") has = has_status;
  if (name == "scale") has = scale != nullptr;
  return has ? FindSubresource(name) : nullptr;
}

base::Status ServedResource::CheckServes(std::string_view verb,
                                         std::string_view subresource) const {
  const Subresource* below = subresource.empty() ? nullptr : GetSubresource(subresource);
  if (!subresource.empty() && !below) return ResourceUnknown();
  if (!HasVerb(below ? below->verbs : verbs, verb)) return MethodNotAllowed();
  return {};
}

std::string ServedResource::NameOf(std::string_view ns, std::string_view name) const {
  if (!resource.namespaced) return std::string(name);
  std::string full;
  return full.append(ns).append("/").append(name);
}

void Registry::Add(ServedResource served) {
  const api::Resource r = served.resource;
  auto shared = std::make_shared<const ServedResource>(std::move(served));
  std::erase_if(all_, [&](const ServedPtr& each) { return each->resource == r; });
  all_.push_back(shared);
  by_plural_[Path(r.group, r.version, r.plural)] = shared;
  by_kind_[Path(r.group, r.version, r.kind)] = shared;
}

void Registry::RemoveCrd(const std::string& crd_name) {
  const auto gone = [&](const ServedPtr& each) { return each->crd_name == crd_name; };
  std::erase_if(all_, gone);
  std::erase_if(by_plural_, [&](const auto& entry) { return gone(entry.second); });
  std::erase_if(by_kind_, [&](const auto& entry) { return gone(entry.second); });
}

ServedPtr Registry::Find(std::string_view group, std::string_view version,
                         std::string_view plural) const {
  const auto found = by_plural_.find(Path(group, version, plural));
  return found == by_plural_.end() ? nullptr : found->second;
}

ServedPtr Registry::FindKind(std::string_view api_version, std::string_view kind) const {
  const auto [group, version] = SplitApiVersion(api_version);
  const auto found = by_kind_.find(Path(group, version, kind));
  return found == by_kind_.end() ? nullptr : found->second;
}

std::vector<ServedPtr> Registry::Stored() const {
  std::vector<ServedPtr> stored;
  for (const ServedPtr& each : all_) {
    if (each->resource.ApiVersion() == each->storage_version) stored.push_back(each);
  }
  return stored;
}

std::pair<std::string, std::string> SplitApiVersion(std::string_view api_version) {
  const size_t slash = api_version.find('/');
  if (slash == std::string_view::npos) return {"", std::string(api_version)};
  return {std::string(api_version.substr(0, slash)), std::string(api_version.substr(slash + 1))};
}

}  // namespace coppice::server
