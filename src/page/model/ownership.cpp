#include "page/model/ownership.h"

#include "page/facts/workload_id.h"

namespace coppice::page {
namespace {

// Kinds whose pods have groups of their own, which nobody thinks of as the workload.
bool IsKnownByItself(std::string_view kind) {
  return kind == "PodCliqueSet" || kind == "Deployment" || kind == "StatefulSet" ||
         kind == "DaemonSet";
}

std::string_view KindIn(std::string_view id) {
  const size_t first = id.find('/');
  return id.substr(first + 1, id.find('/', first + 1) - first - 1);
}

}  // namespace

std::string WorkloadOfJob(const api::ObjectKey& key, const OwnerFacts& job) {
  // Runs of a CronJob are workloads of their own.
  if (!job.owner.empty() && KindIn(job.owner) != "CronJob") return job.owner;
  return WorkloadId{key.ns, "Job", key.name}.ToString();
}

std::string WorkloadOf(const Facts& facts, const api::ObjectKey& key, const PodFacts& pod) {
  const std::string_view kind = KindIn(pod.workload);
  if (IsKnownByItself(kind)) return pod.workload;
  const auto group =
      pod.group.empty() ? facts.groups.end() : facts.groups.find({key.ns, pod.group});
  if (group != facts.groups.end() && !group->second.owner.empty() &&
      KindIn(group->second.owner) != "CronJob") {
    return group->second.owner;
  }
  if (kind == "Job") {
    const std::string name = pod.workload.substr(pod.workload.rfind('/') + 1);
    const auto job = facts.jobs.find({key.ns, name});
    if (job != facts.jobs.end()) return WorkloadOfJob(job->first, job->second);
  }
  if (kind == "Pod" && group != facts.groups.end() && group->second.min > 1) {
    return WorkloadId{key.ns, "PodGroup", pod.group}.ToString();
  }
  return pod.workload;
}

}  // namespace coppice::page
