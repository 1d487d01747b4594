#include "kube/cache/informer.h"

#include "kube/object.h"

namespace coppice::kube {

ReflectedInformer::ReflectedInformer(Client& client, Executor& executor, const Resource& resource,
                                     Reflector::Options options)
    : resource_(resource),
      selection_(options.which),
      resync_(options.resync),
      executor_(executor),
      strand_(executor),
      store_(Reflector::Packs(options, resource)),
      scope_(executor),
      reflector_(client, resource, std::move(options), strand_, scope_, *this) {}

ReflectedInformer::Selection::Selection(const InformerOptions& options) : ns(options.ns) {
  if (auto parsed = api::LabelSelector::Parse(options.label_selector)) labels = *std::move(parsed);
  if (auto parsed = api::FieldSelector::Parse(options.field_selector)) fields = *std::move(parsed);
}

bool ReflectedInformer::Selection::Matches(const json::Value& object) const {
  return labels && fields && (ns.empty() || ns == Namespace(object)) &&
         labels->MatchesObject(object) && fields->Matches(object);
}

void ReflectedInformer::AddHandler(Handler handler) {
  OnStrand([this, handler = std::move(handler)] {
    for (json::Value& object : store_.ListSeen()) {
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

void ReflectedInformer::Replace(ObjectSet objects, std::string_view version) {
  store_.Replace(std::move(objects), version,
                 [this](const std::vector<Change>& changes) { Tell(changes); });
  if (synced_.exchange(true)) return;
  if (on_synced_) on_synced_();
}

void ReflectedInformer::Apply(std::vector<WatchEvent> events, std::string_view version) {
  Tell(store_.Apply(std::move(events), version, scope_.Elapsed()));
}

void ReflectedInformer::Wrote(const json::Value& object) {
  // The watch is often faster than the answer.
  if (!store_.IsNew(ResourceVersion(object)) || !selection_.Matches(object)) return;
  store_.Put(reflector_.Kept(object), scope_.Elapsed());
}

void ReflectedInformer::Deleted(const ObjectKey& key, const DeleteOptions& options) {
  store_.Delete(key, options.uid, {executor_.Now(), options.grace_period_seconds},
                scope_.Elapsed());
}

void ReflectedInformer::ResyncLater() {
  scope_.PostAfter(resync_, [this] { OnStrand([this] { Resync(); }); });
}

void ReflectedInformer::Resync() {
  for (json::Value& object : store_.ListSeen()) Tell({{ChangeType::kUpdated, object, object}});
  ResyncLater();
}

void ReflectedInformer::Tell(const std::vector<Change>& changes) {
  for (const Change& change : changes) {
    for (const Handler& handler : handlers_) handler(change);
  }
}

}  // namespace coppice::kube
