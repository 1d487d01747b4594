#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "page/facts/pod_facts.h"

namespace coppice::page {

// Who holds which GPU of a node, as short text:
//   "12r4;13s1;~14r0.5+15r0.25"
// Workload 12 holds four GPUs, and they run ('r'); 13 holds one and starts ('s'); 14 and 15 share a
// GPU. 'e' means that the pod is being deleted. The rest is free.
class Cells {
 public:
  // `number`: of the pod's workload. `gpu_memory_mib`: of each GPU, for pods that ask for memory.
  void Add(const PodFacts& pod, int64_t number, double gpu_memory_mib);

  // GPUs that nobody else can have whole.
  double Held() const { return whole_ + static_cast<double>(shared_.size()); }
  // What is left of shared GPUs.
  double Parts() const;
  std::string ToString() const;

 private:
  using Holder = std::pair<int64_t, char>;  // Workload and state.

  double whole_ = 0;
  std::map<Holder, double> runs_;
  std::map<std::string, std::map<Holder, double>> shared_;  // By GPU group.
};

}  // namespace coppice::page
