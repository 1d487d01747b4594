#pragma once

#include "services/grouper/groups/grouper.h"

// The groupers of the workload families (docs/behaviour/grouper.md#workload-kinds), one per file.
namespace coppice::services::grouper {

base::Result<Metadata> GroupPod(const Context&, const Workload&);
base::Result<Metadata> GroupDeployment(const Context&, const Workload&);
base::Result<Metadata> GroupNotebook(const Context&, const Workload&);
base::Result<Metadata> GroupSpotRequest(const Context&, const Workload&);
base::Result<Metadata> GroupAmlJob(const Context&, const Workload&);

base::Result<Metadata> GroupJob(const Context&, const Workload&);
base::Result<Metadata> GroupCronJob(const Context&, const Workload&);
base::Result<Metadata> GroupRunaiJob(const Context&, const Workload&);

base::Result<Metadata> GroupTensorFlow(const Context&, const Workload&);
base::Result<Metadata> GroupXgBoost(const Context&, const Workload&);
base::Result<Metadata> GroupJax(const Context&, const Workload&);
base::Result<Metadata> GroupMpi(const Context&, const Workload&);
base::Result<Metadata> GroupPyTorch(const Context&, const Workload&);

base::Result<Metadata> GroupJobSet(const Context&, const Workload&);
base::Result<Metadata> GroupLeaderWorkerSet(const Context&, const Workload&);
base::Result<Metadata> GroupRayCluster(const Context&, const Workload&);
base::Result<Metadata> GroupRayJob(const Context&, const Workload&);
base::Result<Metadata> GroupRayService(const Context&, const Workload&);
base::Result<Metadata> GroupKnative(const Context&, const Workload&);
base::Result<Metadata> GroupGrove(const Context&, const Workload&);

// Groups as the second-highest owner would, with the top owner's labels and annotations.
base::Result<Metadata> GroupWithoutTopOwner(const Context&, const Workload&);

}  // namespace coppice::services::grouper
