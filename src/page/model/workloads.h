#pragma once

#include <vector>

#include "page/facts/facts.h"
#include "page/model/answers.h"
#include "page/model/numbers.h"
#include "page/model/places.h"
#include "page/model/rows.h"

namespace coppice::page {

// The workloads of a cluster, from their pods and from the objects that stand for them, so that one
// without pods is there too. Lives for one build; all must outlive it.
class Workloads {
 public:
  Workloads(const Facts& facts, const Answers& answers, const Places& places, Numbers& numbers);

  // The number of a pod's workload.
  int64_t NumberOf(const api::ObjectKey& key, const PodFacts& pod) const;
  // By id.
  std::vector<WorkloadRow> Rows();
  // The engine's groups that wait, the oldest first.
  std::vector<api::ObjectKey> WaitingGroups() const;

 private:
  // A workload while its pods are counted.
  struct Count {
    WorkloadRow row;
    std::vector<std::string_view> nodes;
    std::vector<api::ObjectKey> waiting;  // The engine's groups of pods that wait.
    std::string pod_reason, pod_message;  // Of a pod that waits, or does not start.
    std::string owner_reason, owner_message;
    int64_t waits = 0, ends = 0, done = 0, failed = 0, active = 0;
    int64_t oldest_wait = 0;
    double owner_asks = 0;
    bool suspended = false, deleting = false, owner_done = false, owner_failed = false;
  };

  Count& At(const std::string& id);
  void AddPods();
  void AddPod(const api::ObjectKey& key, const PodFacts& pod, Count& count);
  void AddOwners();
  void AddOwner(const OwnerFacts& owner, Count& count);
  std::string QueueOf(const std::string& ns, const std::string& local_queue) const;
  const engine::Explanation* ExplanationOf(const Count& count) const;
  static std::string PhaseOf(const Count& count);
  void Finish(Count& count);
  void Explain(Count& count) const;

  const Facts& facts_;
  const Answers& answers_;
  const Places& places_;
  Numbers& numbers_;
  std::unordered_map<std::string, Count> counts_;
};

}  // namespace coppice::page
