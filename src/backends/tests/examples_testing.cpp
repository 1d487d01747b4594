#include "backends/gangs/gang_builder.h"
#include "backends/tests/world_testing.h"
#include "kube/object.h"

namespace coppice::backends {

using json::Value;

Value ExampleGang(const std::string& scheduler) {
  Value gang = Yaml(R"(
apiVersion: scheduler.grove.io/v1alpha1
kind: PodGang
metadata:
  name: llm-0
  namespace: ai
  uid: 11111111-1111-4111-8111-111111111111
  labels: {grove.io/podcliqueset-replica-index: "0"}
  annotations: {grove.io/topology-name: dc1}
spec:
  priorityClassName: gang-high
  topologyConstraint: {packConstraint: {required: topology.kubernetes.io/rack}}
  podgroups:
  - {name: llm-0-fe, minReplicas: 2, podReferences: [{namespace: ai, name: fe-a}, {namespace: ai, name: fe-b}, {namespace: ai, name: fe-c}]}
  - name: llm-0-pf-0-wk
    minReplicas: 4
    podReferences: [{namespace: ai, name: w0-a}, {namespace: ai, name: w0-b}, {namespace: ai, name: w0-c}, {namespace: ai, name: w0-d}]
    topologyConstraint: {packConstraint: {preferred: kubernetes.io/hostname}}
)");
  gang.Mutable("metadata").Mutable("labels").Set("grove.io/scheduler-name", scheduler);
  return gang;
}

Value ExampleScaledGang(const std::string& scheduler) {
  Value gang = Yaml(R"(
apiVersion: scheduler.grove.io/v1alpha1
kind: PodGang
metadata:
  name: llm-0-pf-0
  namespace: ai
  uid: 22222222-2222-4222-8222-222222222222
  labels: {grove.io/base-podgang: llm-0}
  annotations: {grove.io/topology-name: dc1}
spec:
  priorityClassName: gang-high
  topologyConstraint: {packConstraint: {required: topology.kubernetes.io/rack}}
  podgroups:
  - name: llm-0-pf-1-wk
    minReplicas: 4
    podReferences: [{namespace: ai, name: w1-a}, {namespace: ai, name: w1-b}, {namespace: ai, name: w1-c}, {namespace: ai, name: w1-d}]
    topologyConstraint: {packConstraint: {preferred: kubernetes.io/hostname}}
)");
  gang.Mutable("metadata").Mutable("labels").Set("grove.io/scheduler-name", scheduler);
  return gang;
}

Value ExampleSet(const std::string& scheduler) {
  Value set = Yaml(R"(
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata:
  name: llm
  namespace: ai
  labels: {kai.scheduler/queue: team-a, yunikorn.apache.org/queue: root.team-a, kueue.x-k8s.io/queue-name: team-a, quota.scheduling.koordinator.sh/name: team-a}
  annotations: {scheduling.grove.io/volcano-queue: team-a}
spec:
  replicas: 1
  template:
    priorityClassName: gang-high
    topologyConstraint: {topologyName: dc1, pack: {required: rack}}
    cliques:
    - name: fe
      spec:
        roleName: fe
        replicas: 3
        minAvailable: 2
        podSpec: {containers: [{name: main, image: f, resources: {requests: {cpu: "2", memory: 4Gi}}}]}
    - name: wk
      topologyConstraint: {pack: {preferred: host}}
      spec:
        roleName: wk
        replicas: 4
        minAvailable: 4
        podSpec: {containers: [{name: main, image: w, resources: {requests: {cpu: "8", memory: 64Gi}, limits: {nvidia.com/gpu: "8"}}}]}
    podCliqueScalingGroups:
    - {name: pf, cliqueNames: [wk], replicas: 2, minAvailable: 1}
)");
  for (Value& clique : set.Mutable("spec").Mutable("template").Mutable("cliques").MutableItems()) {
    clique.Mutable("spec").Mutable("podSpec").Set("schedulerName", scheduler);
  }
  return set;
}

Value ExampleBinding() {
  return Yaml(R"(
apiVersion: grove.io/v1alpha1
kind: ClusterTopologyBinding
metadata: {name: dc1}
spec:
  levels:
  - {domain: zone, key: topology.kubernetes.io/zone}
  - {domain: rack, key: topology.kubernetes.io/rack}
  - {domain: host, key: kubernetes.io/hostname}
)");
}

GangInput ExampleInput(const Value& gang, const std::string& scheduler,
                       const Capabilities& capabilities, const Value& options) {
  GangInput input;
  input.gang = GangFromObject(gang);
  input.set = ExampleSet(scheduler);
  AddTemplates(input.set, input.gang);
  for (const std::string_view kind : {"labels", "annotations"}) {
    Value& metadata = kind == "labels" ? input.gang.labels : input.gang.annotations;
    for (const json::Member& member : input.set["metadata"][kind].Members()) {
      metadata.Set(member.name(), member.value);
    }
  }
  input.topology_binding = ExampleBinding();
  input.topology = LevelsFromBinding(input.topology_binding);
  input.capabilities = std::make_shared<Capabilities>(capabilities);
  input.cluster = std::make_shared<FixedView>(std::vector<Value>{});
  input.profile.name = scheduler;
  if (options.IsObject()) input.profile.options = options;
  return input;
}

std::vector<Value> WithoutTracking(const Translation& translation) {
  std::vector<Value> objects;
  for (const DesiredObject& desired : translation.objects) {
    Value object = desired.object;
    object.Mutable("metadata").Erase("labels");
    object.Mutable("metadata").Erase("annotations");
    objects.push_back(std::move(object));
  }
  return objects;
}

}  // namespace coppice::backends
