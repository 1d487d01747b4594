#include "cli/demo_objects.h"

#include <fmt/format.h>

namespace coppice::cli::demo {

const std::string_view kQueues = R"yaml(
queues:
- {name: company}
- {name: serving, parent: company, gpus: 32}
- {name: training, parent: company, gpus: 32}
- {name: research, parent: company, gpus: 0}
)yaml";

const std::string_view kInference = R"yaml(
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata:
  name: chat
  namespace: default
  labels: {kai.scheduler/queue: serving}
spec:
  replicas: 1
  template:
    priorityClassName: inference
    cliqueStartupType: CliqueStartupTypeAnyOrder
    cliques:
    - name: router
      spec: {roleName: router, replicas: 2, minAvailable: 1, podSpec: {schedulerName: kai-scheduler, containers: [{name: main, image: router, resources: {requests: {cpu: "2"}}}]}}
    - name: pleader
      spec: {roleName: prefill-leader, replicas: 1, podSpec: {schedulerName: kai-scheduler, containers: [{name: main, image: prefill, resources: {limits: {nvidia.com/gpu: "4"}}}]}}
    - name: pworker
      spec: {roleName: prefill-worker, replicas: 2, podSpec: {schedulerName: kai-scheduler, containers: [{name: main, image: prefill, resources: {limits: {nvidia.com/gpu: "4"}}}]}}
    - name: dleader
      spec: {roleName: decode-leader, replicas: 1, podSpec: {schedulerName: kai-scheduler, containers: [{name: main, image: decode, resources: {limits: {nvidia.com/gpu: "2"}}}]}}
    - name: dworker
      spec: {roleName: decode-worker, replicas: 4, podSpec: {schedulerName: kai-scheduler, containers: [{name: main, image: decode, resources: {limits: {nvidia.com/gpu: "2"}}}]}}
    podCliqueScalingGroups:
    - {name: prefill, cliqueNames: [pleader, pworker], replicas: 1, minAvailable: 1, topologyConstraint: {topologyName: default, pack: {required: rack}}}
    - {name: decode, cliqueNames: [dleader, dworker], replicas: 1, minAvailable: 1, topologyConstraint: {topologyName: default, pack: {required: rack}}}
)yaml";

const std::string_view kResearch = R"yaml(
apiVersion: batch/v1
kind: Job
metadata: {name: sweep, namespace: default, labels: {kai.scheduler/queue: research, priorityClassName: train}}
spec:
  parallelism: 64
  completions: 64
  template:
    metadata: {labels: {kai.scheduler/queue: research, priorityClassName: train}}
    spec:
      schedulerName: kai-scheduler
      restartPolicy: Never
      containers: [{name: main, image: sweep, resources: {limits: {nvidia.com/gpu: "1"}}}]
)yaml";

std::string TrainingGang(const TrainingOptions& options) {
  const std::string_view constraint =
      options.one_rack ? "topologyConstraint: {topologyName: default, pack: {required: rack}}" : "";
  return fmt::format(R"yaml(
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata:
  name: {}
  namespace: default
  labels: {{kai.scheduler/queue: training}}
spec:
  replicas: 1
  template:
    priorityClassName: {}
    {}
    cliques:
    - name: worker
      spec: {{roleName: worker, replicas: {}, podSpec: {{schedulerName: kai-scheduler, containers: [{{name: main, image: train, resources: {{limits: {{nvidia.com/gpu: "8"}}}}}}]}}}}
)yaml",
                     options.name, options.priority, constraint, options.workers);
}

}  // namespace coppice::cli::demo
