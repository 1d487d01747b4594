#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "kube/executor/executor.h"
#include "server/controllers/work_set.h"
#include "server/core/core.h"

namespace coppice::server {

// Deletes objects whose owners are gone, and handles the finalizers of foreground deletion and
// orphaning. Observes every change; acts in tasks on an executor.
class GarbageCollector {
 public:
  explicit GarbageCollector(Core& core);

  // Called for each change, under the store's lock.
  void Observe(const std::string& storage, const store::Change& change);
  void Start(kube::Executor& executor);
  void Stop() { work_.Stop(); }

 private:
  struct Owner {
    std::string api_version, kind, name, uid;
    bool blocks = false;
  };
  struct Node {
    std::string storage, name, ns;
    std::vector<Owner> owners;
    bool deleting = false, foreground = false, orphan = false;
  };
  enum class OwnerState { kSolid, kAbsent, kDeletingDependents, kUnknown };

  static Node NodeOf(const std::string& storage, const json::Value& object);
  void Note(const std::string& storage, const json::Value& object);
  void Forget(const std::string& uid);
  bool Process(const std::string& uid);
  bool ProcessForeground(const std::string& uid, const Node& node);
  bool ProcessOrphan(const std::string& uid, const Node& node);
  bool ProcessDependent(const std::string& uid, const Node& node);
  OwnerState StateOf(const Node& dependent, const Owner& owner) const;
  std::vector<std::string> DependentsOf(const std::string& uid) const;
  std::optional<Node> Find(const std::string& uid) const;
  bool DropOwners(const std::string& uid, const Node& node, const std::set<std::string>& owners);
  bool DropFinalizer(const Node& node, std::string_view finalizer);
  bool DeleteObject(const std::string& uid, const Node& node, const std::string& propagation);
  std::optional<Request> RequestFor(const Node& node) const;

  Core& core_;
  mutable std::mutex mutex_;  // Guards nodes_ and dependents_.
  std::unordered_map<std::string, Node> nodes_;
  std::unordered_map<std::string, std::set<std::string>> dependents_;
  WorkSet work_;
};

}  // namespace coppice::server
