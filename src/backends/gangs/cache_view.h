#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "backends/framework/backend.h"
#include "kube/cache/cache.h"
#include "kube/client/client.h"

namespace coppice::backends {

// What the process knows of the cluster besides gangs: its capabilities and, through the shared
// cache, every resource that is served. Thread-safe.
class ClusterState {
 public:
  // `client` answers for kinds whose watch has only just begun.
  ClusterState(kube::Cache& cache, kube::Client& client);

  std::shared_ptr<const Capabilities> capabilities() const;
  void SetCapabilities(Capabilities capabilities);

  // The informer of a resource, with the indexes that views use; null when it is not served.
  kube::Informer* InformerOf(const api::Resource& resource);
  // One object, or all of a kind. What the cache does not hold yet is asked of the server: an
  // object that is there must not be taken for missing.
  std::optional<json::Value> Get(const api::Resource& resource, const api::ObjectKey& key);
  std::vector<json::Value> List(const api::Resource& resource);
  // Keeps the events that the selector chooses at hand for EventsAbout.
  kube::Informer& FollowEvents(const std::string& field_selector);
  std::vector<json::Value> EventsAbout(std::string_view uid) const;
  // Whether what a backend uses can be read: kUnavailable while that is not known yet, kForbidden
  // or the like, with the server's words, when it is refused. Events are not asked for: what they
  // tell is of use, not of need.
  base::Status Readable(const std::vector<ResourceUse>& uses) const;
  // Whether a schedulable node carries the label.
  bool AnyNodeHasLabel(std::string_view key) const;
  bool AnyNode() const;
  // Moves on whenever pods may fit that did not before: a pod has left its node, a node has come or
  // takes more.
  uint64_t Freed() const { return freed_; }

 private:
  void NoteRefusal(const api::Resource& resource, const base::Error& error);
  void CountLabels(const json::Value& node, int by);

  kube::Cache& cache_;
  kube::Client& client_;
  std::atomic<uint64_t> freed_ = 0;
  mutable std::mutex mutex_;  // Guards all below.
  std::shared_ptr<const Capabilities> capabilities_ = std::make_shared<Capabilities>();
  std::map<std::string, kube::Informer*> informers_;
  std::map<std::string, base::Error> refused_;     // What was asked for before the cache had it.
  std::map<std::string, kube::Informer*> events_;  // By field selector.
  std::map<std::string, int64_t, std::less<>> node_labels_;
  int64_t nodes_ = 0;
};

// A view over the shared cache. Resources that are not served look empty.
class CacheView final : public ClusterView {
 public:
  explicit CacheView(ClusterState& state) : state_(state) {}

  std::optional<json::Value> Get(const api::Resource& resource,
                                 const api::ObjectKey& key) const override;
  std::vector<json::Value> List(const api::Resource& resource) const override;
  std::vector<json::Value> OwnedBy(const api::Resource& resource,
                                   std::string_view uid) const override;
  std::vector<json::Value> GangPods(std::string_view ns, std::string_view gang) const override;
  std::vector<json::Value> ApplicationPods(std::string_view ns,
                                           std::string_view application) const override;
  std::vector<json::Value> EventsAbout(std::string_view uid) const override;
  bool AnyNodeHasLabel(std::string_view key) const override;
  bool AnyNode() const override;

 private:
  ClusterState& state_;
};

// A view over given documents, for rendering and tests.
class FixedView final : public ClusterView {
 public:
  explicit FixedView(std::vector<json::Value> objects) : objects_(std::move(objects)) {}

  std::optional<json::Value> Get(const api::Resource& resource,
                                 const api::ObjectKey& key) const override;
  std::vector<json::Value> List(const api::Resource& resource) const override;

 private:
  const std::vector<json::Value> objects_;
};

}  // namespace coppice::backends
