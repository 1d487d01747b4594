#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/resource.h"
#include "base/result.h"
#include "json/value.h"
#include "kube/client/write_fence.h"

namespace coppice::kube {

using api::ObjectKey;
using api::Resource;

struct GetOptions {
  std::string subresource;  // "status", "scale", "" for the object itself.
};

struct ListOptions {
  std::string ns;  // "" lists all namespaces.
  std::string label_selector;
  std::string field_selector;
  int64_t limit = 0;  // Page size; 0 asks for everything at once.
  std::string continue_token;
  std::string resource_version;        // "0": any cached state; "": the most recent.
  std::string resource_version_match;  // "", "NotOlderThan", "Exact".
};

struct ObjectList {
  std::vector<json::Value> items;  // Each with apiVersion and kind.
  std::string resource_version;
  std::string continue_token;  // Non-empty when there is a next page.
};

struct WatchOptions {
  std::string ns;
  std::string label_selector;
  std::string field_selector;
  std::string resource_version;
  bool allow_bookmarks = true;
  // Asks for the current objects as Added events, then a bookmark with the annotation
  // k8s.io/initial-events-end, instead of a list before the watch.
  bool send_initial_events = false;
};

enum class EventType { kAdded, kModified, kDeleted, kBookmark };

struct WatchEvent {
  EventType type;
  json::Value object;
};

// Receives one watch's events: one call at a time, in the server's order.
class WatchSink {
 public:
  virtual ~WatchSink() = default;
  virtual void OnEvent(WatchEvent event) = 0;
  // The watch is over: the connection ended (kUnavailable), or the server said so (kGone when the
  // resource version is too old). Nothing follows.
  virtual void OnEnd(base::Error reason) = 0;
};

// A running watch. Destroying it stops it; no sink call happens after the destructor returns,
// unless it is destroyed from within a sink call.
class Watch {
 public:
  virtual ~Watch() = default;
};

struct WriteOptions {
  std::string subresource;       // "status", "scale", "binding", "eviction".
  std::string field_manager;     // Required for apply.
  std::string field_validation;  // "Strict", "Warn", "Ignore"; "" leaves it to the server.
  bool dry_run = false;
  bool force = false;   // Apply only: take over fields that others manage.
  WriteFencePtr fence;  // What the write depends on; null: nothing.
};

enum class PatchType { kJson, kMerge, kStrategic, kApply };

struct DeleteOptions {
  std::optional<std::string> uid;               // Precondition.
  std::optional<std::string> resource_version;  // Precondition.
  std::optional<int64_t> grace_period_seconds;
  std::string propagation;  // "Background", "Foreground", "Orphan"; "" is the kind's default.
  bool dry_run = false;
  WriteFencePtr fence;  // What the deletion depends on; null: nothing.
};

// The Kubernetes API as every component sees it. Implementations: HTTP to any cluster, in-process
// to the embedded server, and decorators (rate limits, metrics, faults). All calls are synchronous
// and thread-safe; objects are complete documents with apiVersion and kind.
//
// Errors are typed (base::ErrorCode): NotFound, AlreadyExists, Conflict, Gone, Invalid with field
// causes, Forbidden, TooManyRequests with retry_after, Unavailable, …
class Client {
 public:
  virtual ~Client() = default;

  virtual base::Result<json::Value> Get(const Resource& resource, const ObjectKey& key,
                                        const GetOptions& options = {}) = 0;
  virtual base::Result<ObjectList> List(const Resource& resource,
                                        const ListOptions& options = {}) = 0;
  // `sink` must outlive the watch.
  virtual base::Result<std::unique_ptr<Watch>> StartWatch(const Resource& resource,
                                                          const WatchOptions& options,
                                                          WatchSink& sink) = 0;

  // The namespace is taken from the object's metadata. With a subresource ("binding", "eviction",
  // "token") the object is that subresource's body and names its parent in metadata.
  virtual base::Result<json::Value> Create(const Resource& resource, const json::Value& object,
                                           const WriteOptions& options = {}) = 0;
  // A metadata.resourceVersion makes it conditional.
  virtual base::Result<json::Value> Update(const Resource& resource, const json::Value& object,
                                           const WriteOptions& options = {}) = 0;
  virtual base::Result<json::Value> Patch(const Resource& resource, const ObjectKey& key,
                                          PatchType type, const json::Value& patch,
                                          const WriteOptions& options = {}) = 0;
  virtual base::Status Delete(const Resource& resource, const ObjectKey& key,
                              const DeleteOptions& options = {}) = 0;
  virtual base::Status DeleteCollection(const Resource& resource, const ListOptions& which,
                                        const DeleteOptions& options = {}) = 0;

  // GET of any path, for discovery and version ("/version", "/apis/apps/v1").
  virtual base::Result<json::Value> GetPath(std::string_view path) = 0;
};

}  // namespace coppice::kube
