#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/model/input.h"
#include "engine/state/values/gpu_request.h"
#include "engine/state/values/names.h"
#include "engine/state/values/quantities.h"
#include "engine/state/values/resources.h"

namespace coppice::engine {

// Everything that pods of one template share, computed once.
struct PodClass {
  std::shared_ptr<const PodShape> shape;
  GpuRequest gpu;
  Amounts request;      // As requested (gpu entry: portions and claimed devices).
  Amounts without_gpu;  // The same with a zero gpu entry.
  // What the pod uses of its queue (including MIG slices) and of a node's GPUs. Excludes GPU shares
  // and memory requests, which count differently from node to node.
  Sums accepted;
  int64_t accepted_gpu = 0;
  int64_t quota = 0;     // GPUs as requested, in thousandths (S-20).
  int64_t all_gpus = 0;  // TotalGpus of the request.
  NameId namespace_name = 0;
  bool ours = false;         // Scheduled by this scheduler.
  bool reservation = false;  // Holds a GPU for others; is itself charged for none.
  bool utility = false;      // Reservation or scaling pod.
  bool cpu_only = false;     // Requests no GPU of any kind.
  bool has_node_affinity = false;
  bool has_pod_affinity = false;  // Any required affinity or anti-affinity term.
  bool has_host_ports = false;
  bool negative = false;  // Has a negative request, which counts as zero.
  std::vector<HostPort> host_ports;
  std::vector<std::string> config_maps;
  // Equal for pods that differ only in their requests (S-34).
  int32_t signature = 0;
};

class PodClasses {
 public:
  PodClasses(Names& names, ResourceIndex& index, std::string scheduler_name,
             std::string reservation_app);

  ClassId Classify(const std::shared_ptr<const PodShape>& shape, int64_t dra_count,
                   bool legacy_mig);
  const PodClass& operator[](ClassId id) const { return *classes_[id]; }
  size_t size() const { return classes_.size(); }

 private:
  struct Recent {
    std::shared_ptr<const PodShape> shape;
    int64_t dra_count = 0;
    bool legacy_mig = false;
    ClassId id = kNone;
  };
  ClassId Build(const std::shared_ptr<const PodShape>& shape, int64_t dra_count, bool legacy_mig);
  Amounts RequestOf(const PodShape& shape);
  int32_t SignatureOf(const PodShape& shape);
  void CountGpus(PodClass& cls) const;

  Names& names_;
  ResourceIndex& index_;
  std::string scheduler_name_;
  std::string reservation_app_;
  std::vector<std::unique_ptr<PodClass>> classes_;
  std::unordered_map<std::string, ClassId> by_content_;
  std::unordered_map<std::string, int32_t> signatures_;
  std::vector<Recent> recent_;  // Direct-mapped by address.
};

}  // namespace coppice::engine
