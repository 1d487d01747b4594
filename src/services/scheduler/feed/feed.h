#pragma once

#include <deque>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "kube/executor/task_scope.h"
#include "kube/process/manager.h"
#include "services/scheduler/feed/assumptions.h"
#include "services/scheduler/feed/bind_backoff.h"
#include "services/scheduler/feed/foreign_groups.h"
#include "services/scheduler/feed/pod_uids.h"
#include "services/scheduler/options/options.h"
#include "services/scheduler/options/partition.h"
#include "services/scheduler/read/cluster.h"
#include "services/scheduler/read/pods.h"

namespace coppice::services::scheduler {

// Keeps the engine's state in sync with the cache. Changes only mark keys dirty; Apply reads the
// current objects and passes them to the engine. Only one thread at a time may call Apply.
class Feed {
 public:
  // `on_change` is called, from any thread, after the first change was marked since the last Apply.
  // All must outlive the feed.
  Feed(kube::Runtime runtime, const Options& options, engine::Engine& engine,
       Assumptions& assumptions, std::function<void()> on_change);

  // Starts watching; before the manager starts.
  base::Status Watch();

  // Passes the dirty objects to the engine without calling the API. Returns the bind requests that
  // block a new decision: given up by the binder, or for nodes that are gone.
  std::vector<json::Value> Apply();

  // Asks the API what the cache could not answer in the last Apply; until then the resources in
  // question stay allocated. Does not touch the engine. Returns whether there is anything to apply
  // now. On the thread of Apply.
  bool AskOpenQuestions();

  // Marks a pod dirty, e.g. after its bind request could not be written.
  void MarkPod(const api::ObjectKey& pod);

  // Whether a request that Apply returned still exists and still blocks.
  bool IsStaleRequest(const json::Value& request) const;

  std::optional<json::Value> Group(const api::ObjectKey& key) const;
  // Whether the pod is on an existing node of another shard.
  bool IsElsewhere(const api::ObjectKey& pod) const;
  std::optional<json::Value> Pod(const api::ObjectKey& key) const;
  // The queue's display name; "" when it has none.
  std::string QueueDisplayName(const std::string& name) const;
  // The capacity of the shard's nodes: millicores, bytes, GPUs.
  engine::QueueUsage Capacity() const;
  const ForeignGroups& foreign() const { return foreign_; }
  // Everything that is watched, by the names that snapshot files use; nodes, queues and groups only
  // of this shard. Thread-safe.
  json::Value Objects() const;

 private:
  using ApplyFunction =
      std::function<void(const api::ObjectKey& key, const std::optional<json::Value>& object)>;

  // Whether an update concerns the engine.
  using Matters = bool (*)(const json::Value& before, const json::Value& now);

  struct Source {
    kube::Informer& informer;
    ApplyFunction apply;
    Matters matters;                   // Null: every update does.
    std::set<api::ObjectKey> changed;  // Guarded by Feed::mutex_.
  };

  // What only the API knows, since the cache may lag behind it.
  struct Question {
    std::string id;  // Under which the answer is kept until it is used.
    Source* source;  // `key` of it is applied again once the answer is there.
    api::ObjectKey key;
    std::function<bool()> holds;
  };
  // The answer, once it is there; asks for it otherwise.
  std::optional<bool> Answer(Question question);

  // Sources are applied in the order they are added.
  Source& AddSource(const api::Resource& resource, ApplyFunction apply, Matters matters = nullptr);
  base::Status AddClusterSources();
  base::Status AddDeviceSources();
  void AddStorageSources();
  void Mark(Source& source, const api::ObjectKey& key);
  std::set<api::ObjectKey> TakeChanged(Source& source);

  void ApplyPriorityClass(const api::ObjectKey& key, const std::optional<json::Value>& object);
  void ApplyNumaTopology(const api::ObjectKey& key, const std::optional<json::Value>& object);
  void ApplyNode(const api::ObjectKey& key, const std::optional<json::Value>& object);
  void ApplyQueue(const api::ObjectKey& key, const std::optional<json::Value>& object);
  void ApplyGroup(const api::ObjectKey& key, const std::optional<json::Value>& object);
  void ApplyBindRequest(const api::ObjectKey& key, const std::optional<json::Value>& object);
  void ApplyPod(const api::ObjectKey& key, const std::optional<json::Value>& object);
  void RemovePod(const api::ObjectKey& key);
  std::optional<engine::BindRequestSpec> BindRequestOf(const json::Value& pod);
  Assumptions::Devices DevicesOf(const json::Value& pod) const;
  bool LeavesDevices(const api::ObjectKey& pod, const std::string& uid);
  void ApplyClaim(const api::ObjectKey& key, const std::optional<json::Value>& object);
  bool BlocksDecision(const json::Value& request) const;
  bool IsBoundByNow(const api::ObjectKey& request, const api::ObjectKey& pod, std::string_view uid);
  bool HoldsDevices(const api::ObjectKey& pod, std::string_view uid);
  void ApplyFailure(const api::ObjectKey& key, const json::Value& request);
  void NoteStart(const json::Value& pod, const engine::PodSpec& spec);
  void TellStarts();
  base::Time PlacedAt(const json::Value& pod) const;
  // Hides the pod from the engine during its bind back-off.
  bool IsHeld(const api::ObjectKey& pod);

  kube::Runtime runtime_;
  const Options& options_;
  const Partition partition_;
  engine::Engine& engine_;
  Assumptions& assumptions_;
  const std::function<void()> on_change_;

  std::mutex mutex_;   // Guards the sources' changed keys and told_.
  bool told_ = false;  // on_change_ was called since changes were last applied.
  std::deque<Source> sources_;
  Source* pods_ = nullptr;
  Source* groups_ = nullptr;
  Source* queues_ = nullptr;
  Source* nodes_source_ = nullptr;
  Source* bind_requests_ = nullptr;

  ForeignGroups foreign_;
  PriorityClasses priority_classes_;
  PodReader pod_reader_;
  std::map<std::string, engine::QueueUsage, std::less<>> nodes_;  // What each has.
  std::map<std::string, engine::NumaTopology> numa_;              // By node.
  PodUids pod_uids_;
  std::map<api::ObjectKey, std::string> group_uids_;
  std::vector<json::Value> stale_requests_;
  // Failed requests whose pods are, or may be, bound nevertheless.
  std::set<api::ObjectKey> carried_out_;
  std::vector<Question> questions_;              // Open ones.
  std::map<std::string, bool> answers_;          // By id, not used yet.
  std::map<api::ObjectKey, base::Time> starts_;  // Of groups without a recorded start.
  BindBackoff backoff_;
  kube::TaskScope scope_;
};

}  // namespace coppice::services::scheduler
