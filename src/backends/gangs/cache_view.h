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

// What the process knows about the cluster besides gangs: its capabilities and, through the shared
// cache, every served resource. Thread-safe.
class ClusterState {
 public:
  // `client` is used for kinds whose informer has not synced yet.
  ClusterState(kube::Cache& cache, kube::Client& client);

  std::shared_ptr<const Capabilities> capabilities() const;
  void SetCapabilities(Capabilities capabilities);

  // The informer for a resource, with the indexes that views use; null if the resource is not
  // served.
  kube::Informer* InformerOf(const api::Resource& resource);
  // One object, or all objects of a kind. Asks the server if the informer has not synced, so that
  // an existing object is never reported as missing.
  std::optional<json::Value> Get(const api::Resource& resource, const api::ObjectKey& key);
  std::vector<json::Value> List(const api::Resource& resource);
  // Watches the events that match the selector, for EventsAbout.
  kube::Informer& FollowEvents(const std::string& field_selector);
  std::vector<json::Value> EventsAbout(std::string_view uid) const;
  // Whether the resources that a backend uses can be read: kUnavailable while that is unknown;
  // kForbidden or similar, with the server's message, if they cannot. Events are not checked,
  // because they are optional.
  base::Status Readable(const std::vector<ResourceUse>& uses) const;
  // Whether a schedulable node has the label.
  bool AnyNodeHasLabel(std::string_view key) const;
  bool AnyNode() const;
  // Increases whenever waiting pods may fit: a pod left its node, a node was added, or a node
  // accepts more pods.
  uint64_t Freed() const { return freed_; }

 private:
  void NoteRefusal(const api::Resource& resource, const base::Error& error);
  void CountLabels(const json::Value& node, int by);

  kube::Cache& cache_;
  kube::Client& client_;
  std::atomic<uint64_t> freed_ = 0;
  mutable std::mutex mutex_;  // Guards the members below.
  std::shared_ptr<const Capabilities> capabilities_ = std::make_shared<Capabilities>();
  std::map<std::string, kube::Informer*> informers_;
  // Errors from direct reads before the informer synced.
  std::map<std::string, base::Error> refused_;
  std::map<std::string, kube::Informer*> events_;  // By field selector.
  std::map<std::string, int64_t, std::less<>> node_labels_;
  int64_t nodes_ = 0;
};

// A view of the shared cache. Resources that are not served appear empty.
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

// A view of fixed documents, for rendering and tests.
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
