#include "cli/demo_objects.h"

namespace coppice::cli::demo {

const std::string_view kQueues = R"yaml(
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: company}
spec:
  resources:
    gpu: {quota: -1, limit: -1, overQuotaWeight: 1}
    cpu: {quota: -1, limit: -1, overQuotaWeight: 1}
    memory: {quota: -1, limit: -1, overQuotaWeight: 1}
---
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: serving}
spec:
  parentQueue: company
  resources:
    gpu: {quota: 32, limit: -1, overQuotaWeight: 1}
    cpu: {quota: -1, limit: -1, overQuotaWeight: 1}
    memory: {quota: -1, limit: -1, overQuotaWeight: 1}
---
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: training}
spec:
  parentQueue: company
  resources:
    gpu: {quota: 32, limit: -1, overQuotaWeight: 1}
    cpu: {quota: -1, limit: -1, overQuotaWeight: 1}
    memory: {quota: -1, limit: -1, overQuotaWeight: 1}
---
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: research}
spec:
  parentQueue: company
  resources:
    gpu: {quota: 0, limit: -1, overQuotaWeight: 1}
    cpu: {quota: -1, limit: -1, overQuotaWeight: 1}
    memory: {quota: -1, limit: -1, overQuotaWeight: 1}
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

const std::string_view kTraining = R"yaml(
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata:
  name: pretrain
  namespace: default
  labels: {kai.scheduler/queue: training}
spec:
  replicas: 1
  template:
    priorityClassName: build
    cliques:
    - name: worker
      spec: {roleName: worker, replicas: 4, podSpec: {schedulerName: kai-scheduler, containers: [{name: main, image: train, resources: {limits: {nvidia.com/gpu: "8"}}}]}}
)yaml";

const std::string_view kImpossible = R"yaml(
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata:
  name: too-big
  namespace: default
  labels: {kai.scheduler/queue: training}
spec:
  replicas: 1
  template:
    topologyConstraint: {topologyName: default, pack: {required: rack}}
    cliques:
    - name: worker
      spec: {roleName: worker, replicas: 3, podSpec: {schedulerName: kai-scheduler, containers: [{name: main, image: train, resources: {limits: {nvidia.com/gpu: "8"}}}]}}
)yaml";

}  // namespace coppice::cli::demo
