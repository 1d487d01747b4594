#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "json/value.h"

namespace coppice::page {

// What users call a workload: the topmost owner of its pods.
struct WorkloadId {
  std::string ns;
  std::string kind;  // "PodCliqueSet", "Job", "Deployment", "Pod", …
  std::string name;

  // "ns/Kind/name", as in the page's URLs.
  std::string ToString() const { return ns + "/" + kind + "/" + name; }
  // nullopt if it has another form.
  static std::optional<WorkloadId> Parse(std::string_view text);

  friend bool operator==(const WorkloadId&, const WorkloadId&) = default;
};

// The workload of a pod, as far as the pod itself tells: its set, its controller (the Deployment of
// a ReplicaSet), or the pod alone.
WorkloadId WorkloadOf(const json::Value& pod);

}  // namespace coppice::page
