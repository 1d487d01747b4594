#include <fmt/format.h>

#include <algorithm>

#include "api/foreign/names.h"
#include "api/key/kubeflow.h"
#include "kube/object.h"
#include "services/common/names.h"
#include "services/grouper/groups/default_grouper.h"
#include "services/grouper/groups/segments.h"
#include "services/grouper/groups/values.h"
#include "services/grouper/kinds/families.h"
#include "services/grouper/kinds/kubeflow.h"

namespace coppice::services::grouper {
namespace {

constexpr std::string_view kReplicaType = api::foreign::kKubeflowReplicaType;
constexpr std::string_view kReplicaIndex = api::foreign::kKubeflowReplicaIndex;

using view::kubeflow::PyTorchJob;

constexpr std::string_view kMaster = "Master";
constexpr std::string_view kWorker = "Worker";

view::kubeflow::ReplicaSpec Role(PyTorchJob job, std::string_view role) {
  return job.spec().pytorchReplicaSpecs()[role];
}

TextMap WorkerAnnotations(PyTorchJob job) {
  return Role(job, kWorker).template_().metadata().annotations();
}

base::Result<int64_t> TotalMinimum(PyTorchJob job) {
  const view::kubeflow::PyTorchJobSpec spec = job.spec();
  const json::Value& policy =
      spec.runPolicy().schedulingPolicy().Json()[key::kubeflow::SchedulingPolicy::minAvailable];
  if (policy.IsInt()) return policy.AsInt();
  const json::Value& elastic =
      spec.elasticPolicy().Json()[key::kubeflow::ElasticPolicy::minReplicas];
  COPPICE_ASSIGN(
      const int64_t sum,
      KubeflowMinimum(
          spec.runPolicy(),
          {key::kubeflow::PyTorchJobSpec::pytorchReplicaSpecs, spec.pytorchReplicaSpecs()}, {}));
  return elastic.IsInt() ? elastic.AsInt() : sum;
}

bool IsPodOf(const json::Value& pod, std::string_view type) {
  return kube::Label(pod, kReplicaType) == type;
}

std::vector<std::string> PodIf(bool belongs, const json::Value& pod) {
  if (!belongs) return {};
  return {std::string(kube::Name(pod))};
}

base::Result<std::optional<int64_t>> WorkerSegmentSize(PyTorchJob job, const json::Value& pod) {
  std::string_view text = kube::Annotation(pod, names::kSegmentSize);
  if (text.empty()) text = WorkerAnnotations(job)[names::kSegmentSize];
  if (text.empty()) return std::optional<int64_t>();
  const std::optional<int64_t> size = ParseInt(text);
  if (!size || *size <= 0) return BadValue(names::kSegmentSize, text, "a positive integer");
  return size;
}

std::optional<TopologyConstraint> WorkerSegmentTopology(PyTorchJob job, const json::Value& pod) {
  const TextMap own = Object(pod).metadata().annotations();
  const TextMap worker = WorkerAnnotations(job);
  return SegmentConstraint({own, worker, job.metadata().annotations()}, {own, worker});
}

base::Result<int64_t> SegmentOfPod(const json::Value& pod, int64_t size) {
  const std::string_view text = kube::Label(pod, kReplicaIndex);
  const std::optional<int64_t> index = ParseInt(text);
  if (!index || *index < 0) return BadValue(kReplicaIndex, text, "a replica index");
  return *index / size;
}

SubGroup Segment(int64_t index, int64_t size, int64_t replicas, int64_t worker_minimum) {
  SubGroup segment{.name = fmt::format("worker-{}", index), .parent = "worker"};
  const bool required = index * size < worker_minimum;
  if (required) segment.min_available = std::min(size, replicas - index * size);
  return segment;
}

base::Status AddWorkerSegments(PyTorchJob job, const json::Value& pod, int64_t size,
                               int64_t worker_minimum, Metadata& metadata) {
  const int64_t replicas = Role(job, kWorker).replicas(1);
  const int64_t count = (replicas + size - 1) / size;
  COPPICE_TRY(CheckSegmentCount(count));
  metadata.sub_groups.push_back({.name = "worker", .min_sub_group = count});
  const std::optional<TopologyConstraint> topology = WorkerSegmentTopology(job, pod);
  const size_t first = metadata.sub_groups.size();
  for (int64_t i = 0; i < count; ++i) {
    metadata.sub_groups.push_back(Segment(i, size, replicas, worker_minimum));
    metadata.sub_groups.back().topology = topology;
  }
  if (!IsPodOf(pod, "worker")) return {};
  COPPICE_ASSIGN(const int64_t own, SegmentOfPod(pod, size));
  if (own < count) metadata.sub_groups[first + own].pods = PodIf(true, pod);
  return {};
}

base::Status AddWorkers(PyTorchJob job, const json::Value& pod, int64_t worker_minimum,
                        Metadata& metadata) {
  COPPICE_ASSIGN(const std::optional<int64_t> size, WorkerSegmentSize(job, pod));
  if (size && Role(job, kWorker).replicas(1) > 0) {
    return AddWorkerSegments(job, pod, *size, worker_minimum, metadata);
  }
  metadata.sub_groups.push_back({.name = "worker",
                                 .min_available = worker_minimum,
                                 .pods = PodIf(IsPodOf(pod, "worker"), pod)});
  return {};
}

}  // namespace

base::Result<Metadata> GroupPyTorch(const Context& context, const Workload& workload) {
  const PyTorchJob job(workload.top_owner);
  const json::Value& pod = workload.pod;
  COPPICE_ASSIGN(Metadata metadata, GroupByTopOwner(context, workload.top_owner, pod));
  COPPICE_ASSIGN(metadata.min_available, TotalMinimum(job));
  if (!job.spec().pytorchReplicaSpecs().Json().IsObject()) {
    return base::InvalidArgument("spec.pytorchReplicaSpecs is missing");
  }
  COPPICE_ASSIGN(
      const int64_t masters,
      IntOr(Role(job, kMaster).Json()[key::kubeflow::ReplicaSpec::replicas], 0, "replicas"));
  if (masters > 0) {
    metadata.sub_groups.push_back(
        {.name = "master", .min_available = masters, .pods = PodIf(IsPodOf(pod, "master"), pod)});
  }
  if (!Role(job, kWorker).Json().IsNull()) {
    const int64_t worker_minimum = std::max<int64_t>(0, metadata.min_available - masters);
    COPPICE_TRY(AddWorkers(job, pod, worker_minimum, metadata));
  }
  return metadata;
}

}  // namespace coppice::services::grouper
