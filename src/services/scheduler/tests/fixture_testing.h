#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "api/well_known.h"
#include "kube/object.h"
#include "services/scheduler/service.h"
#include "services/test_cluster_testing.h"

namespace coppice::services::scheduler {

// A scheduler among the services that it needs, on a cluster that starts out empty.
class SchedulerFixture : public ::testing::Test {
 protected:
  // Adds the grouper, the binder and the scheduler to the manager.
  std::shared_ptr<Service> AddScheduler(Options options, bool with_binder = true);
  // The same with a queue "team" below "root", started.
  void StartForTeam(Options options, bool with_binder = true);
  // A node with GPUs that only a device class offers, named "gpu-0" and so on.
  void AddDeviceNode(const std::string& name, int gpus);

  std::string NodeOf(std::string_view pod) {
    return cluster.Get(api::kPods, pod)["spec"]["nodeName"].ToString();
  }

  TestCluster cluster{1};
};

}  // namespace coppice::services::scheduler
