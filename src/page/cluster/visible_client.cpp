#include "page/cluster/visible_client.h"

#include <fmt/format.h>

#include "api/well_known.h"
#include "page/cluster/idle_watch.h"

namespace coppice::page {
namespace {

constexpr base::Duration kAskAgain = std::chrono::minutes(1);

kube::ObjectList NoObjects() {
  kube::ObjectList none;
  none.resource_version = "0";
  return none;
}

// What the views show; the rest only helps the engine.
bool IsShown(const kube::Resource& resource) {
  for (const kube::Resource* shown :
       {&api::kPods, &api::kNodes, &api::kQueues, &api::kPodGroups, &api::kPodCliqueSets,
        &api::kPodGangs, &api::kJobs, &api::kTopologies}) {
    if (resource == *shown) return true;
  }
  return resource.group == "kueue.x-k8s.io";
}

}  // namespace

VisibleClient::Access VisibleClient::AccessTo(const kube::Resource& resource) const {
  std::lock_guard lock(mutex_);
  const auto found = access_.find(resource);
  return found == access_.end() ? Access::kAll : found->second;
}

void VisibleClient::Note(const kube::Resource& resource, Access access) {
  std::lock_guard lock(mutex_);
  access_[resource] = access;
}

base::Result<kube::ObjectList> VisibleClient::List(const kube::Resource& resource,
                                                   const kube::ListOptions& options) {
  auto list = InterceptedClient::List(resource, options);
  if (!options.ns.empty()) return list;
  if (list) {
    Note(resource, Access::kAll);
    return list;
  }
  if (list.Is(base::ErrorCode::kNotFound)) {
    Note(resource, Access::kNotServed);
    return NoObjects();
  }
  if (!list.Is(base::ErrorCode::kForbidden)) return list;
  if (resource.namespaced && !ns_.empty()) {
    kube::ListOptions narrow = options;
    narrow.ns = ns_;
    auto own = InterceptedClient::List(resource, narrow);
    if (own) Note(resource, Access::kNamespace);
    const bool not_served = own.Is(base::ErrorCode::kNotFound);
    if (not_served) Note(resource, Access::kNotServed);
    if (not_served) return NoObjects();
    if (!own.Is(base::ErrorCode::kForbidden)) return own;
  }
  Note(resource, Access::kForbidden);
  return NoObjects();
}

base::Result<std::unique_ptr<kube::Watch>> VisibleClient::StartWatch(
    const kube::Resource& resource, const kube::WatchOptions& options, kube::WatchSink& sink) {
  const Access access = AccessTo(resource);
  if (access == Access::kForbidden || access == Access::kNotServed) {
    return MakeIdleWatch(sink, scope_, kAskAgain);
  }
  kube::WatchOptions narrow = options;
  if (access == Access::kNamespace && options.ns.empty()) narrow.ns = ns_;
  return InterceptedClient::StartWatch(resource, narrow, sink);
}

base::Status VisibleClient::Before(const kube::Call& call) {
  if (!call.writes()) return {};
  return base::Error(base::ErrorCode::kMethodNotAllowed, "the page only reads");
}

bool VisibleClient::SeesAll(const kube::Resource& resource) const {
  return AccessTo(resource) == Access::kAll;
}

std::vector<std::string> VisibleClient::Notices() const {
  std::string narrow, hidden;
  const auto add = [](const std::string& name, std::string& list) {
    list += (list.empty() ? "" : ", ") + name;
  };
  {
    std::lock_guard lock(mutex_);
    for (const auto& [resource, access] : access_) {
      if (!IsShown(resource)) continue;
      if (access == Access::kNamespace) add(resource.QualifiedName(), narrow);
      if (access == Access::kForbidden) add(resource.QualifiedName(), hidden);
    }
  }
  std::vector<std::string> out;
  if (!narrow.empty()) {
    out.push_back(fmt::format("Only namespace {} is shown: you may not list {} in all namespaces.",
                              ns_, narrow));
  }
  if (!hidden.empty()) {
    out.push_back(fmt::format(
        "Not shown, because you may not list it: {}. Ask for a role with get, list and watch.",
        hidden));
  }
  return out;
}

}  // namespace coppice::page
