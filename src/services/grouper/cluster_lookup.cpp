#include "services/grouper/cluster_lookup.h"

#include <fmt/format.h>

#include "kube/object.h"

namespace coppice::services::grouper {
namespace {

constexpr base::Duration kAskAgainAfter = std::chrono::seconds(60);

api::ObjectKey KeyFor(const api::Resource& resource, std::string_view ns, std::string_view name) {
  return {resource.namespaced ? std::string(ns) : "", std::string(name)};
}

}  // namespace

std::optional<json::Value> ClusterLookup::FromCache(const api::Resource& resource,
                                                    const api::ObjectKey& key) {
  {
    std::lock_guard lock(mutex_);
    if (!readable_.contains(resource)) return std::nullopt;
  }
  kube::Informer& informer = runtime_.cache.InformerFor(resource);
  if (!informer.Synced()) return std::nullopt;
  return informer.Get(key);
}

base::Result<json::Value> ClusterLookup::Get(std::string_view api_version, std::string_view kind,
                                             std::string_view ns, std::string_view name) {
  COPPICE_ASSIGN(const api::Resource resource, resolver_.Resolve(api_version, kind));
  const api::ObjectKey key = KeyFor(resource, ns, name);
  if (auto cached = FromCache(resource, key)) return *cached;
  base::Result<json::Value> object = runtime_.client.Get(resource, key);
  if (object) {
    std::lock_guard lock(mutex_);
    readable_.insert(resource);
  }
  return object;
}

base::Result<json::Value> ClusterLookup::GetExact(std::string_view api_version,
                                                  std::string_view kind, std::string_view ns,
                                                  std::string_view name, std::string_view uid) {
  COPPICE_ASSIGN(json::Value object, Get(api_version, kind, ns, name));
  if (kube::Uid(object) == uid) return object;
  // The cache may lag behind an object that was deleted and made again.
  COPPICE_ASSIGN(const api::Resource resource, resolver_.Resolve(api_version, kind));
  COPPICE_ASSIGN(object, runtime_.client.Get(resource, KeyFor(resource, ns, name)));
  if (kube::Uid(object) == uid) return object;
  return base::Conflict(
      fmt::format("{} {} has uid {}, not {}: it was replaced", kind, name, kube::Uid(object), uid));
}

// A kind that is not served is asked for once in a while, not for every pod.
base::Result<api::Resource> ClusterLookup::ResolveAtTimes(std::string_view api_version,
                                                          std::string_view kind) {
  const std::string id = fmt::format("{}/{}", api_version, kind);
  const base::Instant now = runtime_.executor.Elapsed();
  {
    std::lock_guard lock(mutex_);
    const auto known = missing_.find(id);
    if (known != missing_.end() && now - known->second < kAskAgainAfter) {
      return base::NotFound(id + " is not served");
    }
  }
  auto resource = resolver_.Resolve(api_version, kind);
  std::lock_guard lock(mutex_);
  if (resource.Is(base::ErrorCode::kNotFound)) {
    missing_[id] = now;
  } else {
    missing_.erase(id);
  }
  return resource;
}

base::Result<std::vector<json::Value>> ClusterLookup::List(std::string_view api_version,
                                                           std::string_view kind,
                                                           std::string_view ns,
                                                           std::string_view label_selector) {
  COPPICE_ASSIGN(const api::Resource resource, ResolveAtTimes(api_version, kind));
  COPPICE_ASSIGN(kube::ObjectList list,
                 runtime_.client.List(resource, {.ns = std::string(ns),
                                                 .label_selector = std::string(label_selector)}));
  return std::move(list.items);
}

}  // namespace coppice::services::grouper
