#include "engine/shares/shares.h"

#include <algorithm>
#include <cmath>

#include "engine/shares/fair_share.h"
#include "engine/state/jobs/status.h"

namespace coppice::engine {
namespace {

constexpr double kMegabyte = 1e6;

double Scaled(double value, double unit) { return value == kUnlimited ? value : value * unit; }

// In the user's units: devices instead of thousandths.
double InUnits(double value, int resource) { return resource == 2 ? value / kGpuUnit : value; }

}  // namespace

void Shares::Open(const std::map<std::string, QueueUsage>& usage) {
  ReadQuotas(usage);
  CountTotals();
  CountJobs();
  Divide(total_, cluster_.queues().roots());
}

void Shares::ReadQuotas(const std::map<std::string, QueueUsage>& usage) {
  for (QueueId id = 0; id < static_cast<QueueId>(cluster_.queues().size()); ++id) {
    if (!cluster_.queues()[id].exists) continue;
    const QueueSpec& spec = *cluster_.queues()[id].spec;
    QueueAmounts& queue = cluster_.AmountsOf(id);
    const auto memory = [](double value) { return std::max(-1.0, value * kMegabyte); };
    queue.deserved = {
        {spec.cpu.quota, memory(spec.memory.quota), Scaled(spec.gpu.quota, kGpuUnit)}};
    queue.limit = {{spec.cpu.limit, memory(spec.memory.limit), Scaled(spec.gpu.limit, kGpuUnit)}};
    queue.weight = {
        {spec.cpu.over_quota_weight, spec.memory.over_quota_weight, spec.gpu.over_quota_weight}};
    queue.usage = {};
    if (auto used = usage.find(spec.name); used != usage.end()) {
      queue.usage = {{used->second.cpu, used->second.memory, used->second.gpu}};
    }
    queue.allocated = queue.allocated_non_preemptible = {};
    queue.request = queue.fair_share = {};
  }
}

void Shares::CountTotals() {
  Sums total;
  for (NodeId id : cluster_.node_order()) {
    const Node& node = cluster_.nodes()[id];
    if (!node.ready) continue;
    auto amounts = cluster_.amounts().allocatable(id);
    const bool no_gpus = cluster_.configuration().restrict_node_scheduling && !node.gpu_worker;
    total.Add(
        {{amounts[kCpu], amounts[kMemory], no_gpus ? 0 : TotalGpus(cluster_.resources(), amounts)}},
        +1);
    total.Add(cluster_.nodes().ForeignUse(id), -1);
  }
  total_ = total.ToQuantities();
}

void Shares::CountJobs() {
  for (JobId id : cluster_.job_order()) {
    const Job& job = cluster_.jobs()[id];
    if (job.queue == kNone) continue;
    Sums allocated;
    Sums pending;
    double memory_requests = 0;
    for (const auto& pod_set : job.pod_sets) {
      for (TaskId task_id : pod_set.tasks) {
        const Task& task = cluster_.tasks()[task_id];
        if (IsAllocated(task.status)) {
          allocated.Add(cluster_.AcceptedOf(task, task.node), +1);
        } else if (task.status == TaskStatus::kPending) {
          const PodClass& cls = cluster_.ClassOf(task);
          pending.Add({{cls.request[kCpu], cls.request[kMemory], cls.all_gpus}}, +1);
          if (cls.gpu.memory_mib > 0 && cluster_.nodes().min_gpu_memory()) {
            memory_requests += static_cast<double>(cls.gpu.count * cls.gpu.memory_mib * kGpuUnit) /
                               static_cast<double>(*cluster_.nodes().min_gpu_memory());
          }
        }
      }
    }
    Quantities request = allocated.ToQuantities() + pending.ToQuantities();
    request[2] += memory_requests;
    for (QueueId at = job.queue; at != kNone; at = cluster_.queues()[at].parent) {
      QueueAmounts& queue = cluster_.AmountsOf(at);
      queue.allocated.Add(allocated, +1);
      if (!job.preemptible) queue.allocated_non_preemptible.Add(allocated, +1);
      queue.request += request;
    }
  }
}

void Shares::Divide(const Quantities& total, std::span<const QueueId> siblings) {
  if (siblings.empty()) return;
  std::vector<ShareRequest> requests(siblings.size());
  // Upstream divides CPU and memory in whole units too: millicores and bytes.
  const bool whole = cluster_.configuration().compatibility.Keeps(Quirk::kShareUnits);
  for (int resource = 0; resource < 3; ++resource) {
    for (size_t i = 0; i < siblings.size(); ++i) {
      const Queue& queue = cluster_.queues()[siblings[i]];
      requests[i] = {queue.deserved[resource], queue.limit[resource],   queue.weight[resource],
                     queue.usage[resource],    queue.request[resource], queue.priority,
                     queue.creation,           queue.name_rank,         0};
    }
    const double unit = resource == 2 ? kGpuUnit : whole ? 1 : 0;
    DivideFairShare(total[resource], plugins_.usage_weight, unit, requests,
                    whole ? Leftover::kWholeUnits : Leftover::kAsRequested);
    for (size_t i = 0; i < siblings.size(); ++i) {
      cluster_.AmountsOf(siblings[i]).fair_share[resource] = requests[i].fair_share;
    }
  }
  for (QueueId id : siblings) {
    Divide(cluster_.queues()[id].fair_share, cluster_.queues()[id].children);
  }
}

double Shares::Share(const Queue& queue, int resource) const {
  const double deserved = queue.deserved[resource], limit = queue.limit[resource];
  if (deserved == kUnlimited) return limit;
  const double share = std::max(deserved, queue.fair_share[resource]);
  return limit == kUnlimited ? share : std::min(share, limit);
}

Quantities Shares::SharesOf(const Queue& queue) const {
  return {{Share(queue, 0), Share(queue, 1), Share(queue, 2)}};
}

double Shares::DominantShare(const Queue& queue, const Quantities& allocated) const {
  double dominant = 0;
  for (int i = 0; i < 3; ++i) {
    double share = Share(queue, i);
    if (share == kUnlimited) share = total_[i];
    const double part = share == 0 ? InUnits(allocated[i], i) * 1000 : allocated[i] / share;
    dominant = std::max(dominant, part);
  }
  return dominant;
}

bool Shares::Violates(const Queue& queue, const Quantities& allocated) const {
  for (int i = 0; i < 3; ++i) {
    if (Share(queue, i) == 0 && allocated[i] > 0) return true;
  }
  return false;
}

int Shares::Compare(QueueId l, QueueId r, const Quantities& jl, const Quantities& jr,
                    const Sums& vl, const Sums& vr) const {
  const Queue& left = cluster_.queues()[l];
  const Queue& right = cluster_.queues()[r];
  const auto prefer = [](bool l_first) { return l_first ? -1 : 1; };
  const Quantities al = left.allocated.ToQuantities(), ar = right.allocated.ToQuantities();

  const auto over_used = [](const Queue& queue, const Quantities& allocated) {
    for (int i = 0; i < 3; ++i) {
      if (!(queue.fair_share[i] < allocated[i])) return false;
    }
    return true;
  };
  const bool ol = over_used(left, al), orr = over_used(right, ar);
  if (ol != orr) return prefer(!ol);
  const Quantities with_l = al + jl, with_r = ar + jr;
  const bool sl = WithinAll(with_l, left.deserved), sr = WithinAll(with_r, right.deserved);
  if (sl != sr) return prefer(sl);
  if (left.priority != right.priority) return prefer(left.priority > right.priority);
  const bool bl = Violates(left, with_l), br = Violates(right, with_r);
  if (bl != br) return prefer(!bl);
  double dl = DominantShare(left, with_l - vl.ToQuantities());
  double dr = DominantShare(right, with_r - vr.ToQuantities());
  if (dl != dr) return prefer(dl < dr);
  dl = DominantShare(left, al);
  dr = DominantShare(right, ar);
  if (dl != dr) return prefer(dl < dr);
  const bool l_within = WithinAll(SharesOf(left), SharesOf(right));
  const bool r_within = WithinAll(SharesOf(right), SharesOf(left));
  if (l_within != r_within) return prefer(l_within);
  if (left.creation != right.creation) return prefer(left.creation < right.creation);
  // Upstream always puts the right one first.
  if (cluster_.configuration().compatibility.Keeps(Quirk::kEqualQueueAges)) return prefer(false);
  return prefer(left.name_rank < right.name_rank);
}

void Shares::TakeSnapshot() {
  allocated_before_.resize(cluster_.queues().size());
  non_preemptible_before_.resize(cluster_.queues().size());
  for (size_t i = 0; i < cluster_.queues().size(); ++i) {
    allocated_before_[i] = cluster_.queues()[i].allocated;
    non_preemptible_before_[i] = cluster_.queues()[i].allocated_non_preemptible;
  }
}

}  // namespace coppice::engine
