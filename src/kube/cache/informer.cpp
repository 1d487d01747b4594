#include "kube/cache/informer.h"

namespace coppice::kube {

ReflectedInformer::ReflectedInformer(Client& client, Executor& executor, const Resource& resource,
                                     Reflector::Options options)
    : resource_(resource),
      resync_(options.resync),
      strand_(executor),
      store_(Reflector::Packs(options, resource)),
      scope_(executor),
      reflector_(client, resource, std::move(options), strand_, scope_, *this) {}

void ReflectedInformer::AddHandler(Handler handler) {
  OnStrand([this, handler = std::move(handler)] {
    for (json::Value& object : store_.List("")) {
      handler({ChangeType::kAdded, {}, std::move(object)});
    }
    handlers_.push_back(handler);
  });
}

void ReflectedInformer::OnFollowing(std::function<void()> handler) {
  OnStrand([this, handler = std::move(handler)] {
    following_handlers_.push_back(handler);
    handler();
  });
}

base::Status ReflectedInformer::Following() const {
  const std::lock_guard lock(mutex_);
  return following_;
}

void ReflectedInformer::SetFollowing(base::Status following) {
  {
    const std::lock_guard lock(mutex_);
    if (following.ok() && following_.ok()) return;
    following_ = std::move(following);
  }
  for (const auto& handler : following_handlers_) handler();
}

void ReflectedInformer::Start(std::function<void()> on_synced) {
  OnStrand([this, on_synced = std::move(on_synced)] {
    on_synced_ = on_synced;
    reflector_.Start();
    if (resync_ > base::Duration::zero()) ResyncLater();
  });
}

void ReflectedInformer::Stop() {
  scope_.Close();
  reflector_.Stop();
}

void ReflectedInformer::Replace(ObjectSet objects) {
  store_.Replace(std::move(objects), [this](const std::vector<Change>& changes) { Tell(changes); });
  if (synced_.exchange(true)) return;
  if (on_synced_) on_synced_();
}

void ReflectedInformer::Apply(std::vector<WatchEvent> events) {
  Tell(store_.Apply(std::move(events)));
}

void ReflectedInformer::ResyncLater() {
  scope_.PostAfter(resync_, [this] { OnStrand([this] { Resync(); }); });
}

void ReflectedInformer::Resync() {
  for (json::Value& object : store_.List("")) Tell({{ChangeType::kUpdated, object, object}});
  ResyncLater();
}

void ReflectedInformer::Tell(const std::vector<Change>& changes) {
  for (const Change& change : changes) {
    for (const Handler& handler : handlers_) handler(change);
  }
}

}  // namespace coppice::kube
