#include "services/workloads/workloads.h"

#include "services/workloads/cron_job.h"
#include "services/workloads/deployment.h"
#include "services/workloads/job.h"
#include "services/workloads/replica_set.h"
#include "services/workloads/resource_claims.h"
#include "services/workloads/stateful_set.h"
#include "services/workloads/volumes.h"

namespace coppice::services::workloads {

void AddToManager(kube::Manager& manager) {
  AddReplicaSetController(manager);
  AddDeploymentController(manager);
  AddStatefulSetController(manager);
  AddJobController(manager);
  AddCronJobController(manager);
  AddResourceClaimController(manager);
  AddVolumeControllers(manager);
}

}  // namespace coppice::services::workloads
