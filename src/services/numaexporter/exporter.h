#pragma once

#include <functional>
#include <map>
#include <string>

#include "kube/process/manager.h"
#include "services/numaexporter/pod_resources.h"

namespace coppice::services::numaexporter {

struct Options {
  std::string node_name;
  std::string socket = "/var/lib/kubelet/pod-resources/kubelet.sock";
  std::string sysfs_root = "/sys";
  base::Duration poll_interval = std::chrono::seconds(1);
  base::Duration drift_resync_interval = std::chrono::seconds(60);  // Zero: off.
};

using ListPods = std::function<base::Result<std::vector<PodResources>>()>;

// Writes the NUMA placement of this node's pods to the pods, and corrects changes by others.
class Exporter {
 public:
  Exporter(kube::Client& client, Options options, std::map<int, int> node_of_cpu, ListPods list);

  // One poll of the kubelet: writes what differs from what was written last.
  base::Status Poll();
  // Compares with the API itself.
  base::Status RepairDrift();

 private:
  base::Status Write(const api::ObjectKey& pod, const std::string& value);

  kube::Client& client_;
  const Options options_;
  const std::map<int, int> node_of_cpu_;
  const ListPods list_;
  std::map<api::ObjectKey, std::string> written_;
};

// Runs an exporter on the manager's executor. Fails when the node's CPUs cannot be read.
base::Status AddToManager(kube::Manager& manager, Options options);

}  // namespace coppice::services::numaexporter
