#include "engine/explain_job.h"

#include <algorithm>

namespace coppice::engine {
namespace {

double Gpus(double thousandths) { return thousandths / kGpuUnit; }

class Explainer {
 public:
  Explainer(Session& session, Allocator& allocator, JobId id)
      : session_(session),
        cluster_(session.cluster),
        allocator_(allocator),
        gang_(cluster_, id),
        statement_(session) {
    out_.group = session.KeyOf(id);
  }

  Explanation Run() {
    const Job& job = gang_.job();
    if (!gang_.HasPending()) return Say(Verdict::kPlaceable, "Scheduled", "nothing waits");
    if (job.queue == kNone || !cluster_.queues[job.queue].exists) {
      return Say(Verdict::kNotNow, "QueueDoesNotExist", job.errors.Text());
    }
    if (!gang_.Ready()) {
      return Say(Verdict::kNotNow, "NotReady",
                 "fewer pods exist, or have lost their gates, than the gang needs");
    }
    Measure();
    JobErrors errors;
    const bool fits = Try(true, &errors);
    if (fits) return Say(Verdict::kPlaceable, "Scheduled", "the next cycle places it");
    const FitError first = errors.errors.empty() ? FitError{} : errors.errors.front();
    if (first.queue) return SayQueue(first);
    if (FitsWhenEmpty()) return SayNotNow(errors);
    return Say(Verdict::kNever,
               TooLarge()      ? "PodTooLarge"
               : Constrained() ? "Topology"
                               : "Resources",
               errors.Text());
  }

 private:
  Explanation Say(Verdict verdict, std::string reason, std::string message) {
    out_.verdict = verdict;
    out_.reason = std::move(reason);
    out_.message = std::move(message);
    return out_;
  }

  bool Try(bool real, JobErrors* errors) {
    const bool placed =
        allocator_.AllocateJob(statement_, gang_, cluster_.node_order, real, errors);
    statement_.Discard();
    return placed;
  }

  // The same question with every other pod of every node on its way out.
  bool FitsWhenEmpty() {
    for (TaskId id = 0; id < static_cast<TaskId>(cluster_.tasks.size()); ++id) {
      const Task& task = cluster_.tasks[id];
      if (task.node != kNone && task.job != kNone && IsActive(task.status)) {
        statement_.Evict(id);
      }
    }
    return Try(false, nullptr);
  }

  void Measure() {
    const Quantities request = gang_.InitialRequest(true);
    double free = 0, largest = 0, capacity = 0;
    for (const NodeId node : cluster_.node_order) {
      const double idle = Gpus(static_cast<double>(cluster_.IdleGpuSum(node)));
      free += idle;
      largest = std::max(largest, idle);
      const double all = Gpus(static_cast<double>(cluster_.amounts.allocatable(node)[kGpu]));
      capacity += all;
      largest_node_ = std::max(largest_node_, all);
    }
    for (const TaskId task : gang_.TasksToAllocate(true)) {
      const double gpus = Gpus(static_cast<double>(cluster_.RequestedQuota(cluster_.tasks[task])));
      largest_pod_ = std::max(largest_pod_, gpus);
    }
    out_.evidence = {{"requestedGpus", Gpus(request[2])},
                     {"freeGpus", free},
                     {"totalGpus", capacity},
                     {"largestFreeNode", largest},
                     {"largestPod", largest_pod_}};
  }

  bool TooLarge() const { return largest_pod_ > largest_node_; }

  bool Constrained() const {
    const Job& job = gang_.job();
    const auto required = [](const auto& part) { return part.constraint.required != 0; };
    return std::any_of(job.sets.begin(), job.sets.end(), required) ||
           std::any_of(job.pod_sets.begin(), job.pod_sets.end(), required);
  }

  Explanation SayQueue(const FitError& error) {
    const auto gpu = [](const std::map<std::string, double>& amounts) {
      const auto found = amounts.find("nvidia.com/gpu");
      return found == amounts.end() ? 0.0 : found->second;
    };
    const bool limit = error.reason == "OverLimit";
    const auto& queue = *error.queue;
    const double bound = gpu(limit ? queue.limits : queue.deserved);
    const double used = gpu(limit ? queue.allocated : queue.allocated_non_preemptible);
    const double wanted =
        gpu(limit ? queue.group_requested : queue.group_requested_non_preemptible);
    out_.evidence[limit ? "limit" : "quota"] = bound;
    out_.evidence["allocated"] = used;
    if (used + wanted > bound) {
      out_.changes.push_back(
          {limit ? "raiseLimit" : "raiseQuota", queue.name, used + wanted - bound});
    }
    return Say(Verdict::kNotNow, limit ? "Limit" : "Quota", error.message);
  }

  Explanation SayNotNow(const JobErrors& errors) {
    const double missing = out_.evidence["requestedGpus"] - out_.evidence["freeGpus"];
    if (missing > 0) {
      out_.changes.push_back({"freeGpus", "", missing});
      return Say(Verdict::kNotNow, "Resources", errors.Text());
    }
    if (Constrained()) return Say(Verdict::kNotNow, "Topology", errors.Text());
    const bool scattered = out_.evidence["requestedGpus"] > 0;
    return Say(Verdict::kNotNow, scattered ? "Fragmentation" : "Resources", errors.Text());
  }

  Session& session_;
  Cluster& cluster_;
  Allocator& allocator_;
  Gang gang_;
  Statement statement_;
  Explanation out_;
  double largest_node_ = 0;
  double largest_pod_ = 0;
};

}  // namespace

Explanation ExplainJob(Session& session, Allocator& allocator, JobId job) {
  return Explainer(session, allocator, job).Run();
}

}  // namespace coppice::engine
