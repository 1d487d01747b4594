#include "kube/client/fake_client_testing.h"

#include <fmt/format.h>

#include "kube/object.h"

namespace coppice::kube {
namespace {

using json::Value;

base::Error Missing(const Resource& resource, const ObjectKey& key) {
  return base::NotFound(fmt::format("{} \"{}\" not found", resource.QualifiedName(), key.name));
}

void MergeInto(Value& target, const Value& patch) {
  for (const json::Member& member : patch.Members()) {
    if (member.value.IsNull()) {
      target.Erase(member.name());
    } else if (member.value.IsObject()) {
      MergeInto(target.Mutable(member.name()), member.value);
    } else {
      target.Set(member.name(), member.value);
    }
  }
  if (!target.IsObject()) target = Value::Object();
}

bool InNamespace(const Value& object, std::string_view ns) {
  return ns.empty() || Namespace(object) == ns;
}

}  // namespace

class FakeClient::Handle final : public Watch {
 public:
  Handle(FakeClient& client, std::list<OpenWatch>::iterator watch)
      : client_(client), sink_(watch->sink) {}
  ~Handle() override {
    std::lock_guard lock(client_.mutex_);
    client_.watches_.remove_if([this](const OpenWatch& w) { return w.sink == sink_; });
  }

 private:
  FakeClient& client_;
  WatchSink* sink_;
};

base::Result<Value> FakeClient::Get(const Resource& resource, const ObjectKey& key,
                                    const GetOptions&) {
  std::lock_guard lock(mutex_);
  COPPICE_TRY(TakeFailure());
  const auto found = objects_[resource].find(key);
  if (found == objects_[resource].end()) return Missing(resource, key);
  return found->second;
}

base::Result<ObjectList> FakeClient::List(const Resource& resource, const ListOptions& options) {
  std::lock_guard lock(mutex_);
  COPPICE_TRY(TakeFailure());
  ++lists_;
  ObjectList list;
  list.resource_version = std::to_string(version_);
  size_t skip = options.continue_token.empty() ? 0 : std::stoul(options.continue_token);
  size_t position = 0;
  for (const auto& [key, object] : objects_[resource]) {
    if (!InNamespace(object, options.ns) || position++ < skip) continue;
    if (options.limit > 0 && list.items.size() == static_cast<size_t>(options.limit)) {
      list.continue_token = std::to_string(position - 1);
      break;
    }
    list.items.push_back(object);
  }
  return list;
}

base::Result<std::unique_ptr<Watch>> FakeClient::StartWatch(const Resource& resource,
                                                            const WatchOptions& options,
                                                            WatchSink& sink) {
  std::lock_guard lock(mutex_);
  COPPICE_TRY(TakeFailure());
  ++watches_started_;
  if (options.send_initial_events && !supports_streaming) {
    return base::Error(base::ErrorCode::kInvalid, "sendInitialEvents is forbidden");
  }
  const uint64_t since =
      options.resource_version.empty() ? version_ : std::stoull(options.resource_version);
  if (since < compacted_) return base::Error(base::ErrorCode::kGone, "too old resource version");
  if (options.send_initial_events) SendInitial(resource, options, sink);
  for (const Logged& logged : log_) {
    if (logged.version > since && logged.resource == resource &&
        InNamespace(logged.event.object, options.ns)) {
      sink.OnEvent(logged.event);
    }
  }
  watches_.push_back({resource, options.ns, &sink});
  return std::unique_ptr<Watch>(std::make_unique<Handle>(*this, std::prev(watches_.end())));
}

void FakeClient::SendInitial(const Resource& resource, const WatchOptions& options,
                             WatchSink& sink) {
  for (const auto& [key, object] : objects_[resource]) {
    if (InNamespace(object, options.ns)) sink.OnEvent({EventType::kAdded, object});
  }
  Value bookmark = NewObject(resource, "", "");
  Value& metadata = bookmark.Mutable("metadata");
  metadata.Set("resourceVersion", std::to_string(version_));
  metadata.Mutable("annotations").Set("k8s.io/initial-events-end", "true");
  sink.OnEvent({EventType::kBookmark, bookmark});
}

base::Result<Value> FakeClient::Create(const Resource& resource, const Value& object,
                                       const WriteOptions& options) {
  std::lock_guard lock(mutex_);
  COPPICE_TRY(TakeFailure());
  const ObjectKey key = KeyOf(object);
  if (objects_[resource].contains(key)) {
    return base::AlreadyExists(fmt::format("{} \"{}\" already exists", resource.plural, key.name));
  }
  if (options.dry_run) return object;
  Value stored = object;
  stored.Mutable("metadata").Set("uid", fmt::format("uid-{}", ++uids_));
  stored.Mutable("metadata").SetDefault("generation", 1);
  stored = Stamp(std::move(stored));
  objects_[resource][key] = stored;
  Publish(resource, EventType::kAdded, stored);
  return stored;
}

base::Result<Value> FakeClient::Update(const Resource& resource, const Value& object,
                                       const WriteOptions& options) {
  std::lock_guard lock(mutex_);
  COPPICE_TRY(TakeFailure());
  if (options.dry_run) return object;
  return Store(resource, object);
}

base::Result<Value> FakeClient::Patch(const Resource& resource, const ObjectKey& key,
                                      PatchType type, const Value& patch, const WriteOptions&) {
  std::lock_guard lock(mutex_);
  COPPICE_TRY(TakeFailure());
  if (type != PatchType::kMerge) return base::Unimplemented("only merge patches");
  const auto found = objects_[resource].find(key);
  if (found == objects_[resource].end()) return Missing(resource, key);
  Value merged = found->second;
  MergeInto(merged, patch);
  if (merged == found->second) return merged;
  return Store(resource, std::move(merged));
}

base::Result<Value> FakeClient::Store(const Resource& resource, Value object) {
  const ObjectKey key = KeyOf(object);
  const auto found = objects_[resource].find(key);
  if (found == objects_[resource].end()) return Missing(resource, key);
  const Value& current = found->second;
  const std::string_view expected = ResourceVersion(object);
  if (!expected.empty() && expected != ResourceVersion(current)) {
    return base::Conflict(fmt::format("{} \"{}\" has been modified", resource.plural, key.name));
  }
  if (!Uid(object).empty() && Uid(object) != Uid(current)) return base::Conflict("uid differs");
  object.Mutable("metadata").Set("uid", Uid(current));
  if (object["spec"] != current["spec"]) {
    object.Mutable("metadata").Set("generation", Generation(current) + 1);
  }
  object = Stamp(std::move(object));
  found->second = object;
  Publish(resource, EventType::kModified, object);
  return object;
}

base::Status FakeClient::Delete(const Resource& resource, const ObjectKey& key,
                                const DeleteOptions& options) {
  std::lock_guard lock(mutex_);
  COPPICE_TRY(TakeFailure());
  const auto found = objects_[resource].find(key);
  if (found == objects_[resource].end()) return Missing(resource, key);
  if (options.uid && *options.uid != Uid(found->second)) return base::Conflict("uid differs");
  if (options.resource_version && *options.resource_version != ResourceVersion(found->second)) {
    return base::Conflict("resource version differs");
  }
  const Value last = Stamp(found->second);
  objects_[resource].erase(found);
  Publish(resource, EventType::kDeleted, last);
  return {};
}

base::Status FakeClient::DeleteCollection(const Resource& resource, const ListOptions& which,
                                          const DeleteOptions& options) {
  COPPICE_ASSIGN(const ObjectList list, List(resource, which));
  for (const Value& object : list.items) COPPICE_TRY(Delete(resource, KeyOf(object), options));
  return {};
}

base::Result<Value> FakeClient::GetPath(std::string_view path) {
  std::lock_guard lock(mutex_);
  COPPICE_TRY(TakeFailure());
  const auto found = paths_.find(path);
  if (found == paths_.end()) return base::NotFound(fmt::format("{} not found", path));
  return found->second;
}

void FakeClient::CutWatches(base::Error reason) {
  std::lock_guard lock(mutex_);
  std::list<OpenWatch> cut;
  cut.swap(watches_);
  for (const OpenWatch& watch : cut) watch.sink->OnEnd(reason);
}

void FakeClient::Compact() {
  std::lock_guard lock(mutex_);
  compacted_ = ++version_;
  log_.clear();
}

void FakeClient::Bookmark() {
  std::lock_guard lock(mutex_);
  for (const OpenWatch& watch : watches_) {
    Value bookmark = NewObject(watch.resource, "", "");
    bookmark.Mutable("metadata").Set("resourceVersion", std::to_string(version_));
    watch.sink->OnEvent({EventType::kBookmark, bookmark});
  }
}

void FakeClient::FailNext(int calls, base::Error error) {
  std::lock_guard lock(mutex_);
  failures_ = calls;
  failure_ = std::move(error);
}

void FakeClient::SetPath(std::string path, Value answer) {
  std::lock_guard lock(mutex_);
  paths_[std::move(path)] = std::move(answer);
}

int FakeClient::lists() const {
  std::lock_guard lock(mutex_);
  return lists_;
}

int FakeClient::watches_started() const {
  std::lock_guard lock(mutex_);
  return watches_started_;
}

size_t FakeClient::open_watches() const {
  std::lock_guard lock(mutex_);
  return watches_.size();
}

base::Status FakeClient::TakeFailure() {
  if (failures_ == 0) return {};
  --failures_;
  return *failure_;
}

Value FakeClient::Stamp(Value object) {
  object.Mutable("metadata").Set("resourceVersion", std::to_string(++version_));
  return object;
}

void FakeClient::Publish(const Resource& resource, EventType type, const Value& object) {
  log_.push_back({version_, resource, {type, object}});
  for (const OpenWatch& watch : watches_) {
    if (watch.resource == resource && InNamespace(object, watch.ns)) {
      watch.sink->OnEvent({type, object});
    }
  }
}

}  // namespace coppice::kube
