#include "backends/gangs/cache_view.h"

#include "api/key/core.h"
#include "api/view/core.h"
#include "api/well_known.h"
#include "backends/framework/pods.h"
#include "backends/model/labels.h"
#include "backends/model/refused.h"
#include "kube/cache/index.h"
#include "kube/cache/packing/trim.h"
#include "kube/object.h"

namespace coppice::backends {
namespace {

using json::Value;

constexpr std::string_view kGangIndex = "backends-gang";
constexpr std::string_view kApplicationIndex = "backends-application";
constexpr std::string_view kAboutIndex = "backends-about";

// Kinds that every supported cluster has.
bool IsAlwaysServed(const api::Resource& resource) {
  return resource == api::kPods || resource == api::kNodes || resource == api::kPriorityClasses ||
         resource.group == "grove.io" || resource.group == "scheduler.grove.io";
}

// Kinds that all backends and the operator need.
bool IsNeededByAll(const api::Resource& resource) {
  return IsAlwaysServed(resource) && resource != api::kPriorityClasses;
}

std::vector<std::string> GangOf(const Value& pod) {
  const std::string_view gang = kube::Label(pod, labels::kPodGang);
  if (gang.empty()) return {};
  return {std::string(kube::Namespace(pod)) + "/" + std::string(gang)};
}

std::vector<std::string> ApplicationOf(const Value& pod) {
  const std::string_view application = kube::Label(pod, labels::kApplication);
  if (application.empty()) return {};
  return {std::string(kube::Namespace(pod)) + "/" + std::string(application)};
}

bool IsOnNode(const Value& pod) { return IsBound(pod) && !IsFinished(pod); }

bool LeftItsNode(const kube::Change& change) {
  if (change.type == kube::ChangeType::kDeleted) return IsOnNode(change.object);
  return IsOnNode(change.old_object) && !IsOnNode(change.object);
}

// A node that is new, or may accept other pods than before.
bool MayTakeMore(const kube::Change& change) {
  const view::core::Node before(change.old_object);
  const view::core::Node after(change.object);
  return change.type != kube::ChangeType::kDeleted &&
         (before.spec() != after.spec() ||
          before.metadata().labels().Json() != after.metadata().labels().Json() ||
          before.status().allocatable().Json() != after.status().allocatable().Json());
}

}  // namespace

ClusterState::ClusterState(kube::Cache& cache, kube::Client& client)
    : cache_(cache), client_(client) {
  kube::Informer* nodes = InformerOf(api::kNodes);
  nodes->AddHandler([this](const kube::Change& change) {
    if (change.type != kube::ChangeType::kAdded) CountLabels(change.old_object, -1);
    if (change.type != kube::ChangeType::kDeleted) CountLabels(change.object, 1);
    if (MayTakeMore(change)) ++freed_;
  });
  InformerOf(api::kPods)->AddHandler([this](const kube::Change& change) {
    if (LeftItsNode(change)) ++freed_;
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
  kube::Informer& informer = cache_.InformerFor(resource, {.optional = !IsNeededByAll(resource)});
  kube::AddOwnerIndex(informer);
  if (resource == api::kPods) {
    informer.AddIndex(std::string(kGangIndex), &GangOf);
    informer.AddIndex(std::string(kApplicationIndex), &ApplicationOf);
  }
  const std::lock_guard lock(mutex_);
  informers_[id] = &informer;
  return &informer;
}

std::optional<Value> ClusterState::Get(const api::Resource& resource, const api::ObjectKey& key) {
  const kube::Informer* informer = InformerOf(resource);
  if (informer == nullptr) return std::nullopt;
  if (informer->Synced()) return informer->Get(key);
  auto asked = client_.Get(resource, key);
  if (asked) return *std::move(asked);
  // A missing object is a valid answer.
  if (!asked.Is(base::ErrorCode::kNotFound)) NoteRefusal(resource, asked.error());
  return std::nullopt;
}

std::vector<Value> ClusterState::List(const api::Resource& resource) {
  const kube::Informer* informer = InformerOf(resource);
  if (informer == nullptr) return {};
  if (informer->Synced()) return informer->List();
  auto asked = client_.List(resource);
  if (asked) return std::move(asked->items);
  NoteRefusal(resource, asked.error());
  return {};
}

void ClusterState::NoteRefusal(const api::Resource& resource, const base::Error& error) {
  if (!IsRefused(error)) return;
  const std::lock_guard lock(mutex_);
  refused_.insert_or_assign(Capabilities::Id(resource), error);
}

kube::Informer& ClusterState::FollowEvents(const std::string& field_selector) {
  using Key = key::core::Event;
  kube::Informer& informer = cache_.InformerFor(
      api::kEvents, {.field_selector = field_selector,
                     .trim = kube::TrimTo({Key::involvedObject, Key::reason, Key::message,
                                           Key::lastTimestamp, Key::eventTime, Key::series}),
                     .optional = true});
  informer.AddIndex(std::string(kAboutIndex), [](const Value& event) {
    return std::vector{std::string(view::core::Event(event).involvedObject().uid())};
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

base::Status ClusterState::Readable(const std::vector<ResourceUse>& uses) const {
  const std::lock_guard lock(mutex_);
  base::Status readable;
  for (const ResourceUse& use : uses) {
    if (!capabilities_->complete() && capabilities_->Unknown(use.resource)) {
      readable = base::Unavailable("it is not known whether " + use.resource.QualifiedName() +
                                   " is served");
    }
    const std::string id = Capabilities::Id(use.resource);
    const auto found = informers_.find(id);
    if (found == informers_.end() || !capabilities_->served().contains(id)) continue;
    const base::Status following = found->second->Following();
    if (following) continue;
    if (IsRefused(following.error())) return following.error();
    if (found->second->Synced()) continue;
    const auto asked = refused_.find(found->first);
    if (asked != refused_.end()) return asked->second;
    readable = base::Unavailable(use.resource.QualifiedName() + " is not listed yet");
  }
  return readable;
}

void ClusterState::CountLabels(const Value& node, int by) {
  const std::lock_guard lock(mutex_);
  nodes_ += by;
  if (view::core::Node(node).spec().unschedulable()) return;
  for (const auto& [label, value] : view::core::Node(node).metadata().labels()) {
    const auto entry = node_labels_.emplace(std::string(label), 0).first;
    entry->second += by;
    if (entry->second == 0) node_labels_.erase(entry);
  }
}

bool ClusterState::AnyNodeHasLabel(std::string_view key) const {
  const std::lock_guard lock(mutex_);
  return nodes_ == 0 || node_labels_.contains(key);
}

bool ClusterState::AnyNode() const {
  const std::lock_guard lock(mutex_);
  return nodes_ > 0;
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

std::vector<Value> CacheView::ApplicationPods(std::string_view ns,
                                              std::string_view application) const {
  const std::string key = std::string(ns) + "/" + std::string(application);
  return state_.InformerOf(api::kPods)->ByIndex(kApplicationIndex, key);
}

std::vector<Value> CacheView::EventsAbout(std::string_view uid) const {
  return state_.EventsAbout(uid);
}

bool CacheView::AnyNodeHasLabel(std::string_view key) const { return state_.AnyNodeHasLabel(key); }

bool CacheView::AnyNode() const { return state_.AnyNode(); }

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
    const view::meta::PartialObjectMetadata any(object);
    if (any.kind() == resource.kind && any.apiVersion() == resource.ApiVersion()) {
      found.push_back(object);
    }
  }
  return found;
}

}  // namespace coppice::backends
