#include "backends/cache_view.h"

#include "api/well_known.h"
#include "backends/labels.h"
#include "kube/index.h"
#include "kube/object.h"
#include "kube/trim.h"

namespace coppice::backends {
namespace {

using json::Value;

constexpr std::string_view kGangIndex = "backends-gang";
constexpr std::string_view kAboutIndex = "backends-about";

// Kinds that every cluster which we run on has.
bool IsAlwaysServed(const api::Resource& resource) {
  return resource == api::kPods || resource == api::kNodes || resource == api::kPriorityClasses ||
         resource.group == "grove.io" || resource.group == "scheduler.grove.io";
}

std::vector<std::string> GangOf(const Value& pod) {
  const std::string_view gang = kube::Label(pod, labels::kPodGang);
  if (gang.empty()) return {};
  return {std::string(kube::Namespace(pod)) + "/" + std::string(gang)};
}

}  // namespace

ClusterState::ClusterState(kube::Cache& cache, kube::Client& client)
    : cache_(cache), client_(client) {
  kube::Informer* nodes = InformerOf(api::kNodes);
  nodes->AddHandler([this](const kube::Change& change) {
    if (change.type != kube::ChangeType::kAdded) CountLabels(change.old_object, -1);
    if (change.type != kube::ChangeType::kDeleted) CountLabels(change.object, 1);
  });
}

std::shared_ptr<const Capabilities> ClusterState::capabilities() const {
  const std::lock_guard lock(mutex_);
  return capabilities_;
}

void ClusterState::SetCapabilities(Capabilities capabilities) {
  const std::lock_guard lock(mutex_);
  capabilities_ = std::make_shared<const Capabilities>(std::move(capabilities));
}

kube::Informer* ClusterState::InformerOf(const api::Resource& resource) {
  const std::string id = Capabilities::Id(resource);
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = informers_.find(id); known != informers_.end()) return known->second;
    if (!IsAlwaysServed(resource) && !capabilities_->Serves(resource)) return nullptr;
  }
  kube::Informer& informer = cache_.InformerFor(resource);
  kube::AddOwnerIndex(informer);
  if (resource == api::kPods) informer.AddIndex(std::string(kGangIndex), &GangOf);
  const std::lock_guard lock(mutex_);
  informers_[id] = &informer;
  return &informer;
}

std::optional<Value> ClusterState::Get(const api::Resource& resource, const api::ObjectKey& key) {
  const kube::Informer* informer = InformerOf(resource);
  if (informer == nullptr) return std::nullopt;
  if (informer->Synced()) return informer->Get(key);
  auto asked = client_.Get(resource, key);
  return asked ? std::optional(*std::move(asked)) : std::nullopt;
}

std::vector<Value> ClusterState::List(const api::Resource& resource) {
  const kube::Informer* informer = InformerOf(resource);
  if (informer == nullptr) return {};
  if (informer->Synced()) return informer->List();
  auto asked = client_.List(resource);
  return asked ? std::move(asked->items) : std::vector<Value>();
}

kube::Informer& ClusterState::FollowEvents(const std::string& field_selector) {
  kube::Informer& informer = cache_.InformerFor(
      api::kEvents, {.field_selector = field_selector,
                     .trim = kube::TrimTo({"involvedObject", "reason", "message", "lastTimestamp",
                                           "eventTime", "series"})});
  informer.AddIndex(std::string(kAboutIndex), [](const Value& event) {
    return std::vector{event["involvedObject"]["uid"].ToString()};
  });
  const std::lock_guard lock(mutex_);
  events_[field_selector] = &informer;
  return informer;
}

std::vector<Value> ClusterState::EventsAbout(std::string_view uid) const {
  const std::lock_guard lock(mutex_);
  std::vector<Value> found;
  for (const auto& [selector, informer] : events_) {
    for (Value& event : informer->ByIndex(kAboutIndex, uid)) found.push_back(std::move(event));
  }
  return found;
}

bool ClusterState::Synced() const {
  const std::lock_guard lock(mutex_);
  for (const auto& [id, informer] : informers_) {
    if (!informer->Synced()) return false;
  }
  return true;
}

void ClusterState::CountLabels(const Value& node, int by) {
  const std::lock_guard lock(mutex_);
  nodes_ += by;
  if (node["spec"]["unschedulable"].AsBool()) return;
  for (const json::Member& label : node["metadata"]["labels"].Members()) {
    const auto entry = node_labels_.emplace(std::string(label.name()), 0).first;
    entry->second += by;
    if (entry->second == 0) node_labels_.erase(entry);
  }
}

bool ClusterState::AnyNodeHasLabel(std::string_view key) const {
  const std::lock_guard lock(mutex_);
  return nodes_ == 0 || node_labels_.contains(key);
}

std::optional<Value> CacheView::Get(const api::Resource& resource,
                                    const api::ObjectKey& key) const {
  return state_.Get(resource, key);
}

std::vector<Value> CacheView::List(const api::Resource& resource) const {
  return state_.List(resource);
}

std::vector<Value> CacheView::OwnedBy(const api::Resource& resource, std::string_view uid) const {
  const kube::Informer* informer = state_.InformerOf(resource);
  if (informer == nullptr) return {};
  if (informer->Synced()) return kube::OwnedBy(*informer, uid);
  std::vector<Value> owned = state_.List(resource);
  std::erase_if(owned, [&](const Value& object) { return !kube::IsOwnedBy(object, uid); });
  return owned;
}

std::vector<Value> CacheView::GangPods(std::string_view ns, std::string_view gang) const {
  const std::string key = std::string(ns) + "/" + std::string(gang);
  return state_.InformerOf(api::kPods)->ByIndex(kGangIndex, key);
}

std::vector<Value> CacheView::EventsAbout(std::string_view uid) const {
  return state_.EventsAbout(uid);
}

bool CacheView::AnyNodeHasLabel(std::string_view key) const { return state_.AnyNodeHasLabel(key); }

std::optional<Value> FixedView::Get(const api::Resource& resource,
                                    const api::ObjectKey& key) const {
  for (const Value& object : List(resource)) {
    if (kube::KeyOf(object) == key) return object;
  }
  return std::nullopt;
}

std::vector<Value> FixedView::List(const api::Resource& resource) const {
  std::vector<Value> found;
  for (const Value& object : objects_) {
    if (object["kind"].AsString() == resource.kind &&
        object["apiVersion"].AsString() == resource.ApiVersion()) {
      found.push_back(object);
    }
  }
  return found;
}

}  // namespace coppice::backends
