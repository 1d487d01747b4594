#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "engine/engine.h"

namespace coppice::engine {

// What becomes of a cluster: a copy of an engine, on which the cycles to come are run and their
// decisions carried out at once. A pod that is bound runs. A pod that is evicted is gone, and its
// owner creates it again, so that it waits. Changes nothing outside. Not thread-safe.
class Future {
 public:
  // The engine must keep its inputs; called between its cycles.
  Future(const Engine& engine, base::Time now) : engine_(engine.Fork()), now_(now) {}

  Engine& engine() { return engine_; }
  const Ledger& objects() const { return *engine_.inputs(); }
  base::Time now() const { return now_; }
  void AdvanceTo(base::Time time) { now_ = std::max(now_, time); }

  // Runs cycles until one decides nothing, at most `most`. Returns how many it ran.
  int Settle(int most);
  // The result of the last cycle.
  const CycleResult& last() const { return last_; }

  // The node becomes unschedulable; `drain` also evicts its pods that are in a group.
  void Cordon(const std::string& node, bool drain);
  // The node is gone, and its pods with it.
  void Fail(const std::string& node);
  // The group's work is done: all its pods are gone.
  void Finish(const InputKey& group);
  bool HasMinimum(const InputKey& group) { return engine_.HasMinimum(group.first, group.second); }

  // Why a pod lost its place, by its uid at the start.
  struct Loss {
    PodKey pod;
    GroupKey group;
    std::string node;
    std::string why;
    int cycle = 0;  // 0: before the first.
  };
  const std::map<std::string, Loss>& losses() const { return losses_; }
  // The cycle in which each pod was bound, by its uid at the start.
  const std::map<std::string, int>& bound() const { return bound_; }
  // The groups that got their first pod on a node since the last call.
  std::set<InputKey> TakeStarted() { return std::exchange(started_, {}); }

  // Where each pod is that has a node, by its uid at the start.
  std::map<std::string, std::string> Places() const;
  // The uid at the start of a pod that was created again.
  static std::string_view Origin(std::string_view uid) { return uid.substr(0, uid.find('\x01')); }
  static bool IsPlaced(const PodSpec& pod);

 private:
  void CarryOut();
  void Evict(const PodSpec& pod, const std::string& why);
  void EvictFrom(const std::string& node, const std::string& why, bool with_single);
  void RemoveTerminated();

  Engine engine_;
  base::Time now_;
  CycleResult last_;
  int cycle_ = 0;
  std::map<std::string, Loss> losses_;
  std::map<std::string, int> bound_;
  std::set<InputKey> started_;
};

}  // namespace coppice::engine
