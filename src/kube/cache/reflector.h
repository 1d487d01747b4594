#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "kube/cache/cache.h"
#include "kube/cache/object_set.h"
#include "kube/cache/packing/sharing.h"
#include "kube/client/client.h"
#include "kube/executor/backoff.h"
#include "kube/executor/strand.h"
#include "kube/executor/task_scope.h"
#include "kube/metrics.h"

namespace coppice::kube {

// Follows one resource on the server: lists it, then watches from there; resumes a watch where it
// ended, and lists again if the server has compacted that revision. With streaming lists, if the
// server supports them, the watch itself delivers the initial objects.
//
// All its work happens on the strand it is given, one step at a time.
class Reflector {
 public:
  struct Options {
    InformerOptions which;
    bool streaming_lists = true;
    int64_t page_size = 500;
    Backoff backoff{std::chrono::milliseconds(200), std::chrono::seconds(30)};
    // After this long without progress, a streaming list is abandoned for a plain one.
    base::Duration stream_patience = std::chrono::seconds(30);
    // Lets cached objects share their equal parts (sharing.h): less memory for some time per
    // object. For clients that parse what they return; in-process objects are shared with the
    // server.
    bool share_equal_parts = false;
    // Maximum number of unprocessed events; beyond it the watch is closed and resumed.
    size_t max_backlog = 1'000'000;
    // Resync interval: handlers get every object as an update without changes. 0: never.
    base::Duration resync{};
    Metrics* metrics = nullptr;
  };

  // Whether objects are kept packed: pods are the many, and look much alike.
  static bool Packs(const Options& options, const Resource& resource);

  // Receives what the server has, on the strand.
  class Target {
   public:
    virtual ~Target() = default;
    // A complete new list, of this version.
    virtual void Replace(ObjectSet objects, std::string_view version) = 0;
    // Events, perhaps none, and the version that the watch has reached with them.
    virtual void Apply(std::vector<WatchEvent> events, std::string_view version) = 0;
    // The object as Kept left it, if this process has written this version of it.
    virtual std::optional<json::Value> Written(const json::Value& object) = 0;
    // Whether the server lets us list and watch the resource. Not called for a watch that is
    // resumed at once.
    virtual void SetFollowing(base::Status following) = 0;
  };

  Reflector(Client& client, const Resource& resource, Options options, Strand& strand,
            TaskScope& scope, Target& target);
  ~Reflector();

  // The object as the cache keeps it. Thread-safe.
  json::Value Kept(json::Value object) const;

  // On the strand.
  void Start() { Connect(); }
  // After the scope was closed: ends the watch.
  void Stop();

 private:
  class Session;

  void Connect();
  void ListAll();
  base::Result<ObjectSet> ListPages(int64_t page_size, std::string& version);
  void StartStream();
  void StartWatch();
  void Open(const WatchOptions& options, bool streaming);
  void Drain(const std::shared_ptr<Session>& session);
  void Take(WatchEvent event, std::vector<WatchEvent>& batch);
  void FinishStream();
  void Ended(const base::Error& reason);
  void Failed(const base::Error& reason);
  void Recovered();
  void ProveLater(const std::shared_ptr<Session>& session);
  void ConnectAfter(base::Duration delay);
  void WatchPatience(const std::shared_ptr<Session>& session, uint64_t seen);
  json::Value Trimmed(json::Value object);
  json::Value Shared(json::Value object);
  base::Duration Jittered(base::Duration delay);
  void Count(const char* metric);

  Client& client_;
  const Resource resource_;
  const Options options_;
  Strand& strand_;
  TaskScope& scope_;
  Target& target_;

  bool streaming_;
  std::string version_;  // Where to resume; empty: start with a list.
  int failures_ = 0;
  std::mt19937_64 random_;
  std::shared_ptr<Session> session_;
  // The server's last rejection, and whether it was for a watch: then a successful list alone
  // proves nothing.
  std::string trouble_;
  bool trouble_in_watch_ = false;
  std::optional<ObjectSet> staged_;  // The streamed list so far.
  SharingPool pool_;
};

}  // namespace coppice::kube
