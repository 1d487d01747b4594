#pragma once

#include <list>
#include <map>
#include <mutex>

#include "kube/client/client.h"

namespace coppice::kube {

// A client onto a few objects in memory, for the runtime's own tests: versions, conflicts, watches
// with history, streamed lists, and ways to make things go wrong on purpose. No admission, no
// schemas, no garbage collection: whatever needs those uses the embedded server.
//
// Watch events are delivered within the write that causes them. Thread-safe.
class FakeClient final : public Client {
 public:
  base::Result<json::Value> Get(const Resource& resource, const ObjectKey& key,
                                const GetOptions& options = {}) override;
  base::Result<ObjectList> List(const Resource& resource, const ListOptions& options = {}) override;
  base::Result<std::unique_ptr<Watch>> StartWatch(const Resource& resource,
                                                  const WatchOptions& options,
                                                  WatchSink& sink) override;
  base::Result<json::Value> Create(const Resource& resource, const json::Value& object,
                                   const WriteOptions& options = {}) override;
  base::Result<json::Value> Update(const Resource& resource, const json::Value& object,
                                   const WriteOptions& options = {}) override;
  // Merge patches only.
  base::Result<json::Value> Patch(const Resource& resource, const ObjectKey& key, PatchType type,
                                  const json::Value& patch,
                                  const WriteOptions& options = {}) override;
  base::Status Delete(const Resource& resource, const ObjectKey& key,
                      const DeleteOptions& options = {}) override;
  base::Status DeleteCollection(const Resource& resource, const ListOptions& which,
                                const DeleteOptions& options = {}) override;
  base::Result<json::Value> GetPath(std::string_view path) override;

  // Ends all watches.
  void CutWatches(base::Error reason = base::Unavailable("connection lost"));
  // Forgets history: resuming at an older version is Gone.
  void Compact();
  // Sends the current version to all watches.
  void Bookmark();
  // The next calls fail with this error, as many as given.
  void FailNext(int calls, base::Error error);
  void SetPath(std::string path, json::Value answer);
  bool supports_streaming = true;

  int lists() const;
  int watches_started() const;
  size_t open_watches() const;

 private:
  struct Logged {
    uint64_t version;
    Resource resource;
    WatchEvent event;
  };
  struct OpenWatch {
    Resource resource;
    std::string ns;
    WatchSink* sink;
  };
  class Handle;
  using Objects = std::map<ObjectKey, json::Value>;

  base::Status TakeFailure();
  json::Value Stamp(json::Value object);
  base::Result<json::Value> Store(const Resource& resource, json::Value object);
  void Publish(const Resource& resource, EventType type, const json::Value& object);
  void SendInitial(const Resource& resource, const WatchOptions& options, WatchSink& sink);

  // Recursive: a sink may stop a watch, or start one, from within an event.
  mutable std::recursive_mutex mutex_;  // Guards all below.
  uint64_t version_ = 1;
  uint64_t compacted_ = 0;
  uint64_t uids_ = 0;
  std::map<Resource, Objects> objects_;
  std::vector<Logged> log_;
  std::list<OpenWatch> watches_;
  std::map<std::string, json::Value, std::less<>> paths_;
  int failures_ = 0;
  std::optional<base::Error> failure_;
  int lists_ = 0;
  int watches_started_ = 0;
};

}  // namespace coppice::kube
