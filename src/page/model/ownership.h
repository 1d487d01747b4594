#pragma once

#include <string>

#include "page/facts/facts.h"

namespace coppice::page {

// The workload that a pod belongs to, as text: its set or Deployment, the owner of its PodGroup or
// Job, its PodGroup, or the pod itself.
std::string WorkloadOf(const Facts& facts, const api::ObjectKey& key, const PodFacts& pod);

// The workload of a Job: the JobSet, say, that made it, or the Job itself.
std::string WorkloadOfJob(const api::ObjectKey& key, const OwnerFacts& job);

}  // namespace coppice::page
