#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "kube/process/manager.h"
#include "page/board/board.h"
#include "page/cluster/fact_sources.h"
#include "page/cluster/picture.h"
#include "page/cluster/visible_client.h"
#include "page/model/history.h"
#include "page/model/numbers.h"

namespace coppice::page {

struct ClusterOptions {
  std::string kind = "cluster";  // Or "snapshot".
  std::string name;              // The server or the file, for people.
  std::string ns;                // Where to look if the user may not list all namespaces.
  services::scheduler::Options scheduler = PictureOptions();
  std::optional<base::Time> now;  // Of a snapshot.
};

// Reads a cluster and keeps the board up to date: a change is published soon after it is seen,
// together with others. Keeps what it has while the server is away, and says so. Thread-safe.
class Cluster {
 public:
  // All must outlive it.
  Cluster(kube::Client& client, kube::Executor& executor, Board& board, ClusterOptions options);
  ~Cluster() { Stop(); }

  // Returns at once; fails if the server cannot be reached.
  base::Status Start();
  void Stop();
  // Whether everything has been read.
  bool Synced() const { return manager_->Synced(); }

  VisibleClient& client() { return client_; }
  kube::Executor& executor() { return scope_.executor(); }
  const FactSources& facts() const { return facts_; }
  // From the cache.
  std::optional<json::Value> Pod(const api::ObjectKey& key) const;
  base::Time Now() const { return options_.now.value_or(scope_.executor().Now()); }
  // What the engine says about a group; nullopt if it does not know the group, or cannot see enough
  // of the cluster.
  std::optional<engine::Explanation> Explain(const api::ObjectKey& group,
                                             std::optional<base::Time> room_left_until = {});

 private:
  struct Explained {
    engine::Explanation explanation;
    base::Instant at;
  };

  void Changed();
  void Build();
  Answers AskEngine();
  SourceRow DescribeSource();
  void CheckConnection();
  void ExplainSome();
  bool SeesEnough() const;

  const ClusterOptions options_;
  Board& board_;
  VisibleClient client_;
  std::unique_ptr<kube::Manager> manager_;
  FactSources facts_;
  Picture picture_;
  std::atomic<bool> scheduled_ = false;   // A build is.
  std::atomic<bool> explaining_ = false;  // ExplainSome is scheduled.
  std::atomic<base::Duration> took_{};    // The last build.

  std::mutex mutex_;  // Held while building and explaining. Guards all below.
  Numbers numbers_;
  History history_;
  int64_t started_ = 0;
  std::optional<int64_t> away_since_;
  std::string away_because_;
  std::vector<api::ObjectKey> waiting_;
  std::unordered_map<api::ObjectKey, Explained, api::ObjectKeyHash> explained_;
  kube::TaskScope scope_;
};

}  // namespace coppice::page
