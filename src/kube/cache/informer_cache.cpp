#include "kube/cache/informer_cache.h"

#include "base/log.h"

namespace coppice::kube {
namespace {

bool AsksForLess(const InformerOptions& o) { return !o.ns.empty() || !o.label_selector.empty(); }

bool SelectSame(const InformerOptions& a, const InformerOptions& b) {
  return a.ns == b.ns && a.label_selector == b.label_selector;
}

}  // namespace

InformerCache::InformerCache(Client& client, Executor& executor, Reflector::Options options,
                             std::function<void()> on_synced)
    : client_(client),
      executor_(executor),
      options_(std::move(options)),
      on_synced_(std::move(on_synced)) {}

Informer& InformerCache::InformerFor(const Resource& resource, const InformerOptions& options) {
  std::lock_guard lock(mutex_);
  const Id id{resource, options.field_selector};
  auto& informer = informers_[id];
  if (informer == nullptr) {
    Reflector::Options all = options_;
    all.which = options;
    selections_[id] = options;
    informer = std::make_unique<ReflectedInformer>(client_, executor_, resource, std::move(all));
    by_resource_[resource].push_back(informer.get());
    if (started_) informer->Start(on_synced_);
  } else if (AsksForLess(options) && !SelectSame(options, selections_[id])) {
    base::LogWarn("informer is shared and has another selector than requested",
                  {{"resource", resource.QualifiedName()}});
  }
  if (!options.optional) selections_[id].optional = false;
  return *informer;
}

std::vector<ReflectedInformer*> InformerCache::InformersOf(const Resource& resource) const {
  std::lock_guard lock(mutex_);
  const auto found = by_resource_.find(resource);
  return found == by_resource_.end() ? std::vector<ReflectedInformer*>() : found->second;
}

void InformerCache::Wrote(const Resource& resource, const json::Value& object) {
  for (ReflectedInformer* informer : InformersOf(resource)) informer->Wrote(object);
}

void InformerCache::Deleted(const Resource& resource, const ObjectKey& key,
                            const DeleteOptions& options) {
  for (ReflectedInformer* informer : InformersOf(resource)) informer->Deleted(key, options);
}

void InformerCache::Start() {
  std::lock_guard lock(mutex_);
  if (started_) return;
  started_ = true;
  for (auto& [id, informer] : informers_) informer->Start(on_synced_);
}

bool InformerCache::Synced() const {
  std::lock_guard lock(mutex_);
  if (!started_) return false;
  for (const auto& [id, informer] : informers_) {
    if (!informer->Synced() && !selections_.at(id).optional) return false;
  }
  return true;
}

// Unlocked: a handler that is still running may look up an informer.
void InformerCache::Stop() {
  std::vector<ReflectedInformer*> running;
  {
    std::lock_guard lock(mutex_);
    for (auto& [id, informer] : informers_) running.push_back(informer.get());
  }
  for (ReflectedInformer* informer : running) informer->Stop();
}

}  // namespace coppice::kube
