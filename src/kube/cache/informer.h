#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "api/selectors/field_selector.h"
#include "api/selectors/label_selector.h"
#include "kube/cache/object_store.h"
#include "kube/cache/reflector.h"

namespace coppice::kube {

// The informer: a store that a reflector keeps up to date, and handlers that are called for each
// change after the store shows it. Handlers run on the informer's strand, one at a time.
class ReflectedInformer final : public Informer, private Reflector::Target {
 public:
  ReflectedInformer(Client& client, Executor& executor, const Resource& resource,
                    Reflector::Options options);
  ~ReflectedInformer() override { Stop(); }

  const Resource& resource() const override { return resource_; }
  bool Synced() const override { return synced_; }
  base::Status Following() const override;
  std::optional<json::Value> Get(const ObjectKey& key) const override { return store_.Get(key); }
  std::vector<json::Value> List(std::string_view ns) const override { return store_.List(ns); }
  std::vector<json::Value> ByIndex(std::string_view index, std::string_view value) const override {
    return store_.ByIndex(index, value);
  }
  size_t size() const override { return store_.size(); }
  void AddIndex(std::string name, IndexFunction function) override {
    store_.AddIndex(std::move(name), function);
  }
  void AddHandler(Handler handler) override;
  void OnFollowing(std::function<void()> handler) override;

  // Lets reads show what this process has written before the watch delivers it (own_writes.h):
  // the server's answer to a write, or that it has deleted the object. Thread-safe.
  void Wrote(const json::Value& object);
  void Deleted(const ObjectKey& key, const DeleteOptions& options);

  // `on_synced` is called once, on the strand, after handlers have processed the first list.
  void Start(std::function<void()> on_synced);
  // Returns when everything has stopped. Objects stay readable.
  void Stop();

 private:
  void Replace(ObjectSet objects, std::string_view version) override;
  void Apply(std::vector<WatchEvent> events, std::string_view version) override;
  std::optional<json::Value> Written(const json::Value& object) override {
    return store_.Written(object);
  }
  void SetFollowing(base::Status following) override;
  // Which objects the server sends.
  struct Selection {
    explicit Selection(const InformerOptions& options);
    bool Matches(const json::Value& object) const;

    std::string ns;
    std::optional<api::LabelSelector> labels;  // None: it cannot be told.
    std::optional<api::FieldSelector> fields;
  };

  void Tell(const std::vector<Change>& changes);
  void ResyncLater();
  void Resync();
  void OnStrand(Executor::Task task) { strand_.Post(scope_.Wrap(std::move(task))); }

  const Resource resource_;
  const Selection selection_;
  const base::Duration resync_;
  Executor& executor_;
  Strand strand_;
  ObjectStore store_;
  std::atomic<bool> synced_ = false;
  std::vector<Handler> handlers_;                          // Touched on the strand only.
  std::function<void()> on_synced_;                        // Touched on the strand only.
  std::vector<std::function<void()>> following_handlers_;  // Touched on the strand only.
  mutable std::mutex mutex_;                               // Guards the one below.
  base::Status following_ = base::Unavailable("not listed yet");
  TaskScope scope_;
  Reflector reflector_;
};

}  // namespace coppice::kube
