#include "hostile_testing.h"

#include <fmt/format.h>

#include "api/selectors/names.h"
#include "api/well_known.h"
#include "json/write.h"
#include "json/yaml/yaml.h"
#include "kube/object.h"

namespace coppice {
namespace {

using json::Value;

// Valid, each of a kind that a component reads. NAME is another one each time.
constexpr std::string_view kTemplates[] = {
    R"({apiVersion: v1, kind: Pod, metadata: {labels: {kai.scheduler/queue: mallory}},
        spec: {schedulerName: kai-scheduler, containers: [{name: c, image: i, env: [{name: A, value: b}],
        resources: {limits: {nvidia.com/gpu: 1}, requests: {cpu: 1m, memory: 1Mi}}}],
        tolerations: [{key: a, operator: Exists}], nodeSelector: {a: b},
        affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [
          {matchExpressions: [{key: a, operator: In, values: [b]}]}]}},
          podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [
          {labelSelector: {matchLabels: {a: b}}, topologyKey: kubernetes.io/hostname}]}}}})",
    R"({apiVersion: v1, kind: Pod, metadata: {labels: {kai.scheduler/queue: mallory},
        annotations: {gpu-fraction: '0.5'}},
        spec: {schedulerName: kai-scheduler, containers: [{name: c, image: i}]}})",
    R"({apiVersion: v1, kind: Pod, metadata: {labels: {kai.scheduler/queue: mallory},
        annotations: {gpu-memory: '100', gpu-fraction-num-devices: '2'}},
        spec: {schedulerName: kai-scheduler, containers: [{name: c, image: i}]}})",
    R"({apiVersion: v1, kind: Pod, metadata: {labels: {kai.scheduler/queue: mallory}},
        spec: {schedulerName: kai-scheduler, nodeName: node-1, containers: [{name: c, image: i}]}})",
    R"({apiVersion: v1, kind: Pod, metadata: {annotations: {pod-group-name: g},
        labels: {kai.scheduler/queue: mallory, kai.scheduler/subgroup-name: a}},
        spec: {schedulerName: kai-scheduler, containers: [{name: c, image: i}]}})",
    R"({apiVersion: v1, kind: Pod, metadata: {labels: {grove.io/podgang: gang}},
        spec: {schedulerName: grove-scheduler, containers: [{name: c, image: i}]}})",
    R"({apiVersion: v1, kind: Pod, metadata: {labels: {kai.scheduler/queue: mallory}},
        spec: {schedulerName: kai-scheduler, resourceClaims: [{name: d, resourceClaimName: claim}],
        containers: [{name: c, image: i, resources: {claims: [{name: d}]}}],
        volumes: [{name: v, persistentVolumeClaim: {claimName: volume}}]}})",
    R"({apiVersion: scheduling.run.ai/v2alpha2, kind: PodGroup, metadata: {name: g},
        spec: {queue: mallory, minSubGroup: 1, priorityClassName: train, preemptibility: preemptible,
        schedulingBackoff: 1, markUnschedulable: true, topologyConstraint: {topology: default,
        requiredTopologyLevel: rack}, subGroups: [{name: a, minMember: 1, parent: b},
        {name: b, minSubGroup: 1}, {name: c, minMember: 2, parent: b}]}})",
    R"({apiVersion: scheduling.run.ai/v2alpha2, kind: PodGroup, metadata: {name: g},
        spec: {queue: mallory, minMember: 1}})",
    R"({apiVersion: v1, kind: Pod, metadata: {labels: {kai.scheduler/queue: mallory},
        annotations: {gpu-fraction: '0.5'}},
        spec: {schedulerName: kai-scheduler, nodeSelector: {no: where},
        containers: [{name: c, image: i}]}})",
    R"({apiVersion: scheduling.run.ai/v1alpha2, kind: BindRequest,
        spec: {podName: NAME, selectedNode: node-1, receivedResourceType: Fraction,
        selectedGPUGroups: [g1], receivedGPU: {count: 1, portion: '0.50'}, backoffLimit: 2}})",
    R"({apiVersion: scheduling.run.ai/v1alpha2, kind: BindRequest,
        spec: {podName: late-0, selectedNode: node-2, receivedResourceType: Regular,
        resourceClaimAllocations: [{name: d, allocation: {devices: {results: [{request: r,
        driver: gpu.example.com, pool: p, device: d}]}}}],
        receivedGPU: {count: 1, portion: '1.00'}}})",
    R"({apiVersion: scheduling.run.ai/v2, kind: Queue, spec: {parentQueue: mallory, priority: 1,
        displayName: x, preemptMinRuntime: 1s, reclaimMinRuntime: 1s,
        resources: {gpu: {quota: 1, limit: 1, overQuotaWeight: 1},
        cpu: {quota: 1, limit: 1, overQuotaWeight: 1}, memory: {quota: 1, limit: 1,
        overQuotaWeight: 1}}}})",
    R"({apiVersion: kai.scheduler/v1alpha1, kind: Topology,
        spec: {levels: [{nodeLabel: a, alias: x}, {nodeLabel: kubernetes.io/hostname}]}})",
    R"({apiVersion: scheduler.grove.io/v1alpha1, kind: PodGang, metadata: {name: gang},
        spec: {priorityClassName: train, topologyConstraint: {packConstraint: {required: rack}},
        podgroups: [{name: x, minReplicas: 1, podReferences: [{namespace: mallory, name: p}]},
        {name: y, minReplicas: 1, podReferences: [{namespace: default, name: late-0}]}],
        topologyConstraintGroupConfigs: [{name: t, podGroupNames: [x, y]}]}})",
    R"({apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, spec: {replicas: 1, template: {
        cliqueStartupType: CliqueStartupTypeExplicit, terminationDelay: 1m,
        topologyConstraint: {topologyName: default, packDomain: rack},
        podCliqueScalingGroups: [{name: sg, cliqueNames: [a], replicas: 1, minAvailable: 1}],
        cliques: [
        {name: a, spec: {roleName: a, replicas: 1, minAvailable: 1, podSpec: {containers: [{name: c, image: i}]}}},
        {name: b, labels: {a: b}, spec: {roleName: b, replicas: 1, startsAfter: [a], podSpec:
        {schedulerName: kai-scheduler, containers: [{name: c, image: i}]}}}]}}})",
    R"({apiVersion: grove.io/v1alpha1, kind: PodClique, spec: {roleName: r, replicas: 1,
        minAvailable: 1, startsAfter: [x], podSpec: {containers: [{name: c, image: i}]}}})",
    R"({apiVersion: grove.io/v1alpha1, kind: PodCliqueScalingGroup, metadata: {labels:
        {app.kubernetes.io/part-of: NAME}}, spec: {replicas: 1, minAvailable: 1,
        cliqueNames: [a]}})",
    R"({apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: claim},
        spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu.example.com, count: 1,
        selectors: [{cel: {expression: "device.driver == 'gpu.example.com'"}}]}}],
        constraints: [{matchAttribute: gpu.example.com/x, requests: [r]}]}}})",
    R"({apiVersion: v1, kind: ConfigMap, metadata: {name: NAME-shared-gpu},
        data: {RUNAI_NUM_OF_GPUS: '0.5'}})",
    R"({apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: volume},
        spec: {accessModes: [ReadWriteOnce], storageClassName: standard,
        resources: {requests: {storage: 1Gi}}}})",
    R"({apiVersion: batch/v1, kind: Job, metadata: {labels: {kai.scheduler/queue: mallory},
        annotations: {kai.scheduler/batch-min-member: '1'}},
        spec: {parallelism: 2, completions: 2, backoffLimit: 1, template: {metadata: {labels: {a: b}},
        spec: {schedulerName: kai-scheduler, restartPolicy: Never, containers: [{name: c, image: i}]}}}})",
    R"({apiVersion: apps/v1, kind: Deployment, metadata: {labels: {kai.scheduler/queue: mallory}},
        spec: {replicas: 2, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b},
        ownerReferences: []}, spec: {schedulerName: kai-scheduler, containers: [{name: c, image: i}]}}}})",
    R"({apiVersion: apps/v1, kind: StatefulSet, metadata: {labels: {kai.scheduler/queue: mallory}},
        spec: {replicas: 2, serviceName: s, podManagementPolicy: Parallel, selector: {matchLabels:
        {a: c}}, template: {metadata: {labels: {a: c}, annotations: {gpu-fraction: '0.5'}}, spec:
        {schedulerName: kai-scheduler, containers: [{name: c, image: i}]}}}})",
    R"({apiVersion: apps/v1, kind: ReplicaSet, metadata: {labels: {kai.scheduler/queue: mallory}},
        spec: {replicas: 2, selector: {matchLabels: {a: d}}, template: {metadata: {labels: {a: d}},
        spec: {schedulerName: kai-scheduler, containers: [{name: c, image: i}]}}}})",
    R"({apiVersion: batch/v1, kind: CronJob, spec: {schedule: '0 0 1 1 *', suspend: false,
        timeZone: Europe/Berlin, startingDeadlineSeconds: 10, concurrencyPolicy: Replace,
        jobTemplate: {metadata: {labels: {kai.scheduler/queue: mallory}}, spec: {template: {spec:
        {schedulerName: kai-scheduler, restartPolicy: Never, containers: [{name: c, image: i}]}}}}}})",
    R"({apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, spec: {minReplicas: 1,
        maxReplicas: 3, scaleTargetRef: {apiVersion: grove.io/v1alpha1, kind: PodClique, name: m-1},
        metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization,
        averageUtilization: 50}}}]}})",
    R"({apiVersion: policy/v1, kind: PodDisruptionBudget, spec: {minAvailable: 1,
        selector: {matchLabels: {a: b}}}})",
    R"({apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {name: template},
        spec: {metadata: {labels: {kai.scheduler/queue: mallory}}, spec: {devices: {requests:
        [{name: r, firstAvailable: [{name: x, deviceClassName: gpu.example.com, count: 1},
        {name: y, deviceClassName: none}]}], config: [{requests: [r], opaque: {driver: d,
        parameters: {a: b}}}]}}}})",
    R"({apiVersion: v1, kind: Pod, metadata: {labels: {kai.scheduler/queue: mallory}},
        spec: {schedulerName: kai-scheduler, priorityClassName: train, resourceClaims: [{name: d,
        resourceClaimTemplateName: template}], schedulingGates: [{name: a}], overhead: {cpu: 1m},
        initContainers: [{name: n, image: i, restartPolicy: Always, resources: {requests: {cpu: 1m}}}],
        containers: [{name: c, image: i, ports: [{containerPort: 80, hostPort: 80}], resources:
        {claims: [{name: d, request: r}], limits: {nvidia.com/mig-1g.5gb: 1}}}],
        topologySpreadConstraints: [{maxSkew: 1, topologyKey: rack, whenUnsatisfiable: DoNotSchedule,
        labelSelector: {matchLabels: {a: b}}}]}})",
    R"({apiVersion: grove.io/v1alpha1, kind: ClusterTopologyBinding, spec: {levels: [{domain: rack,
        key: a}, {domain: host, key: kubernetes.io/hostname}], schedulerTopologyReferences:
        [{schedulerName: kai-scheduler, topologyReference: NAME}]}})",
    R"({apiVersion: resource.k8s.io/v1, kind: ResourceSlice, spec: {driver: evil.example.com,
        nodeName: NAME, pool: {name: NAME, generation: 1, resourceSliceCount: 1}, devices: [{name: d,
        attributes: {x: {string: a}, y: {int: 1}, z: {version: 1.0.0}}, capacity: {m: {value: 1Gi}}}],
        sharedCounters: []}})",
    // A node that someone has broken into. Nobody tolerates its taint.
    R"({apiVersion: v1, kind: Node, metadata: {labels: {kubernetes.io/hostname: NAME,
        nvidia.com/gpu.count: '8', nvidia.com/gpu.memory: '80000', rack: r}},
        spec: {unschedulable: false, podCIDR: 10.0.0.0/24, taints: [{key: a, effect: NoSchedule}]},
        status: {capacity: {cpu: '8', memory: 8Gi, nvidia.com/gpu: '8', pods: '110'}, allocatable:
        {cpu: '8', memory: 8Gi, nvidia.com/gpu: '8', pods: '110'}, conditions: [{type: Ready,
        status: 'True', reason: x, message: y, lastTransitionTime: '2026-01-01T00:00:00Z'}],
        addresses: [{type: InternalIP, address: 10.0.0.1}], nodeInfo: {architecture: amd64}}})",
};

// What an owner of a namespace writes below its objects.
struct StatusTemplate {
  std::string_view kind, text;
};
constexpr StatusTemplate kStatuses[] = {
    {"Pod",
     R"({phase: Running, reason: x, nominatedNodeName: node-1, startTime: '2026-01-01T00:00:00Z',
        conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable, message: m},
        {type: Ready, status: 'True'}], containerStatuses: [{name: c, image: i, imageID: i, ready: true,
        restartCount: 1, state: {terminated: {exitCode: 1}}}], resourceClaimStatuses: [{name: d,
        resourceClaimName: claim}]})"},
    {"PodGroup", R"({phase: Running, pending: 1, running: 1, succeeded: 1, failed: 1,
        schedulingConditions: [{type: UnschedulableOnNodePool, status: 'True', nodePool: default,
        reason: r, message: m, transitionID: '1', lastTransitionTime: '2026-01-01T00:00:00Z',
        reasons: [{reason: x, message: y}]}], resourcesStatus: {allocated: {nvidia.com/gpu: 1},
        allocatedNonPreemptible: {cpu: 1}, requested: {memory: 1Gi}}})"},
    {"BindRequest", "{phase: Failed, reason: x, failedAttempts: 1}"},
    {"Queue", R"({childQueues: [victim, mallory], requested: {nvidia.com/gpu: 1}, allocated:
        {nvidia.com/gpu: 1}, allocatedNonPreemptible: {nvidia.com/gpu: 1}})"},
    {"PodGang", R"({phase: Running, placementScore: 1.0, conditions: [{type: Scheduled,
        status: 'True', reason: x, message: y, lastTransitionTime: '2026-01-01T00:00:00Z'},
        {type: Initialized, status: 'True', reason: x, message: y, lastTransitionTime:
        '2026-01-01T00:00:00Z'}]})"},
    {"PodCliqueSet",
     R"({replicas: 1, updatedReplicas: 1, availableReplicas: 1, observedGeneration: 1,
        currentGenerationHash: x, updateProgress: {updateStartedAt: '2026-01-01T00:00:00Z',
        currentlyUpdating: [{replicaIndex: 0, updateStartedAt: '2026-01-01T00:00:00Z'}]}})"},
    {"PodClique", R"({replicas: 1, readyReplicas: 1, scheduledReplicas: 1, updatedReplicas: 1,
        observedGeneration: 1, currentPodTemplateHash: x, currentPodCliqueSetGenerationHash: y,
        conditions: [{type: MinAvailableBreached, status: 'True', reason: x, message: y,
        lastTransitionTime: '2026-01-01T00:00:00Z'}]})"},
    {"PodCliqueScalingGroup", R"({replicas: 1, scheduledReplicas: 1, availableReplicas: 1,
        updatedReplicas: 1, observedGeneration: 1, selector: a=b})"},
    {"ResourceClaim", R"({allocation: {devices: {results: [{request: r, driver: evil.example.com,
        pool: p, device: d}]}, nodeSelector: {nodeSelectorTerms: [{matchFields: [{key: metadata.name,
        operator: In, values: [node-1]}]}]}}, reservedFor: [{resource: pods, name: late-0, uid: x}]})"},
    {"Job", "{active: 1, succeeded: 1, failed: 1, startTime: '2026-01-01T00:00:00Z'}"},
    {"PersistentVolumeClaim",
     "{phase: Bound, accessModes: [ReadWriteOnce], capacity: {storage: 1Gi}}"},
    {"HorizontalPodAutoscaler", "{currentReplicas: 1, desiredReplicas: 3}"},
    {"ClusterTopologyBinding", "{observedGeneration: 1, schedulerTopologyStatuses: []}"},
    {"Node",
     R"({capacity: {cpu: '8', nvidia.com/gpu: '8'}, allocatable: {cpu: '8', nvidia.com/gpu: '8'},
        conditions: [{type: Ready, status: Unknown}], images: [{names: [i], sizeBytes: 1}]})"},
};

constexpr std::string_view kFinalizers[] = {"grove.io/podcliqueset.grove.io",
                                            "grove.io/podclique.grove.io",
                                            "grove.io/computedomain-finalizer",
                                            "foregroundDeletion",
                                            "orphan",
                                            "mallory.example.com/stays"};

// What components read in the metadata of objects.
constexpr std::string_view kLabels[] = {"runai-gpu-group",
                                        "runai-gpu-group/g1",
                                        "runai-gpu-group/x",
                                        "kai.scheduler/queue",
                                        "kai.scheduler/subgroup-name",
                                        "kai.scheduler/node-pool",
                                        "priorityClassName",
                                        "project",
                                        "kai.scheduler/preemptibility",
                                        "grove.io/podgang",
                                        "grove.io/base-podgang",
                                        "grove.io/podclique",
                                        "grove.io/podclique-pod-index",
                                        "grove.io/podcliqueset-replica-index",
                                        "grove.io/podcliquescalinggroup",
                                        "app.kubernetes.io/part-of",
                                        "app.kubernetes.io/managed-by",
                                        "leaderworkerset.sigs.k8s.io/worker-index",
                                        "grove.io/scheduler-name",
                                        "kubernetes.io/hostname",
                                        "nvidia.com/gpu.count",
                                        "nvidia.com/gpu.memory",
                                        "run.ai/gpu.memory",
                                        "beta.amd.com/gpu.vram",
                                        "rack",
                                        "grove.io/pod-template-hash",
                                        "grove.io/scheduler-backend",
                                        "app.kubernetes.io/component",
                                        "app.kubernetes.io/name",
                                        "yunikorn.apache.org/app-id",
                                        "ray.io/cluster",
                                        "jobset.sigs.k8s.io/jobset-name",
                                        "app"};
constexpr std::string_view kAnnotations[] = {"pod-group-name",
                                             "gpu-fraction",
                                             "gpu-memory",
                                             "gpu-fraction-num-devices",
                                             "gpu-fraction-container-name",
                                             "runai/shared-gpu-configmap",
                                             "received-resource-type",
                                             "run.ai/reserve_for_gpu_index",
                                             "kai.scheduler/numa-placement-predicted",
                                             "kai.scheduler/numa-placement-observed",
                                             "kai.scheduler/stale-podgroup-timestamp",
                                             "kai.scheduler/last-start-timestamp",
                                             "kai.scheduler/last-eviction-timestamp",
                                             "kai.scheduler/topology",
                                             "kai.scheduler/topology-required-placement",
                                             "kai.scheduler/topology-preferred-placement",
                                             "kai.scheduler/segment-size",
                                             "kai.scheduler/batch-min-member",
                                             "kai.scheduler/top-owner-metadata",
                                             "kai.scheduler/skip-podgrouper",
                                             "kai.scheduler/preemption-delay",
                                             "kai.scheduler/staleness-grace-period",
                                             "grove.io/topology-name",
                                             "mps",
                                             "kai.scheduler/migrated-from",
                                             "kai.scheduler/accounting",
                                             "kai.scheduler/segment-topology-required-placement",
                                             "kai.scheduler/segment-topology-preferred-placement",
                                             "grove.io/adopted-hashes",
                                             "grove.io/copied-keys",
                                             "grove.io/mnnvl-group",
                                             "grove.io/immutable-hash",
                                             "grove.io/applied-hash",
                                             "grove.io/woken-at",
                                             "kubectl.kubernetes.io/last-applied-configuration",
                                             "batch.kubernetes.io/job-completion-index",
                                             "grove.io/source-generation",
                                             "grove.io/mirror-of"};

constexpr std::string_view kTexts[] = {"",
                                       " ",
                                       "-1",
                                       "0",
                                       "1",
                                       "NaN",
                                       "Inf",
                                       "1e999",
                                       "99999999999999999999",
                                       "0.0000000001",
                                       "1.5",
                                       "a/b/c",
                                       "../../x",
                                       "no-such-node",
                                       "node-1",
                                       "node-2",
                                       "default",
                                       "default-queue",
                                       "victim",
                                       "early-0",
                                       "late-0",
                                       "g",
                                       "gang",
                                       "mallory",
                                       "\xc3\xbc\xe2\x80\xae\xf0\x9f\x92\xa5",
                                       "{",
                                       "[1,2",
                                       "{\"name\": [",
                                       "[{\"zone\": 1}]",
                                       "true",
                                       "null",
                                       "2026-01-01T00:00:00Z",
                                       "9999-99-99T99:99:99Z",
                                       "-0001-01-01T00:00:00Z",
                                       "1h",
                                       "-1h",
                                       "99999999h",
                                       "1Ei",
                                       "-1Gi",
                                       "%s%n",
                                       "g1",
                                       "a,b=c",
                                       "x"};

constexpr int kTries = 10;

constexpr int64_t kNumbers[] = {-1,        0,         1,         2,       1000,  INT32_MAX,
                                INT32_MIN, INT64_MAX, INT64_MIN, 1 << 20, -1000, 4294967296};

Value* Child(Value& parent, size_t index) {
  if (parent.IsArray()) return &parent.MutableItems()[index];
  return parent.FindMutable(std::string(parent.Members()[index].name()));
}

}  // namespace

std::string HostileUser::AnyText() {
  if (Chance(0.1)) return std::string(size_t{1} << Below(15), 'a');
  return std::string(kTexts[Below(std::size(kTexts))]);
}

Value HostileUser::AnyValue() {
  switch (Below(6)) {
    case 0:
      return kNumbers[Below(std::size(kNumbers))];
    case 1:
      return Chance(0.5) ? Value() : Value(Chance(0.5));
    case 2:
      return Chance(0.5) ? Value::Array() : Value::Object();
    case 3:
      return Value(1e300);
    default:
      return AnyText();
  }
}

// One that may be the value of a label.
std::string HostileUser::AnyLabel() {
  std::string text = AnyText();
  while (!api::LabelValueProblems(text).empty()) text = AnyText();
  return text;
}

// Its own objects, those of others, and what does not exist; also in circles.
Value HostileUser::AnyOwner() {
  Value owner =
      *json::ParseYaml("{apiVersion: batch/v1, kind: Job, name: job-0, uid: x, controller: true}");
  if (!made_.empty() && Chance(0.7)) {
    const Made& made = made_[Below(made_.size())];
    owner.Set("apiVersion", made.resource.ApiVersion()).Set("kind", made.resource.kind);
    owner.Set("name", made.key.name).Set("uid", made.uid);
  }
  if (Chance(0.3)) SpoilNode(owner, 2);
  return owner;
}

void HostileUser::SpoilMetadata(Value& object) {
  if (Chance(0.1)) {
    Value& metadata = object.Mutable("metadata");
    metadata.Set("ownerReferences", Value::Array());
    for (size_t i = 1 + Below(2); i > 0; --i)
      metadata.Mutable("ownerReferences").Append(AnyOwner());
    return;
  }
  if (Chance(0.05)) {
    object.Mutable("metadata")
        .Set("finalizers", Value::Array({kFinalizers[Below(std::size(kFinalizers))]}));
    return;
  }
  if (Chance(0.05)) {
    Value& labels = object.Mutable("metadata").Mutable("labels");
    for (int i = 0; i < 300; ++i) {
      labels.Set(fmt::format("runai-gpu-group/{}", i), fmt::format("g{}", i));
    }
  }
  const bool label = Chance(0.5);
  const std::string_view key =
      label ? kLabels[Below(std::size(kLabels))] : kAnnotations[Below(std::size(kAnnotations))];
  object.Mutable("metadata")
      .Mutable(label ? "labels" : "annotations")
      .Set(key, label ? AnyLabel() : AnyText());
}

// Goes down by chance, and there replaces, removes, repeats or multiplies.
void HostileUser::SpoilNode(Value& parent, int depth) {
  if (parent.size() == 0) return;
  const size_t index = Below(parent.size());
  Value* child = Child(parent, index);
  const bool container = child->IsObject() || child->IsArray();
  if (container && child->size() > 0 && (depth < 2 || Chance(0.8))) {
    return SpoilNode(*child, depth + 1);
  }
  switch (Below(4)) {
    case 0:
      if (parent.IsObject())
        return parent.Erase(std::string(parent.Members()[index].name())), void();
      [[fallthrough]];
    case 1:
      if (parent.IsArray()) {
        const Value copy = *child;
        for (size_t i = Chance(0.2) ? 300 : 1; i > 0; --i) parent.Append(copy);
        return;
      }
      [[fallthrough]];
    default:
      *child = AnyValue();
  }
}

void HostileUser::Spoil(Value& object) {
  for (size_t i = Below(3); i > 0; --i) SpoilMetadata(object);
  for (size_t i = Below(3); i > 0; --i) {
    if (Value* spec = object.FindMutable(object.Has("spec") ? "spec" : "data")) SpoilNode(*spec, 0);
  }
  // Whoever may create queues may divide any of them, and a queue with children takes no workloads
  // (docs/behaviour/engine.md S-40). So the user gets no right to the queues of others.
  if (object["kind"].AsString() == "Queue" && object["spec"]["parentQueue"] == "victim") {
    object.Mutable("spec").Set("parentQueue", kNamespace);
  }
  if (object["kind"].AsString() != "Node") return;
  if (object.Has("status")) SpoilNode(object.Mutable("status"), 0);
  // Where a node's owner wants pods, they go; that is no harm to others.
  object.Mutable("spec").Set(
      "taints", Value::Array({Value::Object({{"key", "mallory"}, {"effect", "NoSchedule"}})}));
}

// False if the kind has no status that anyone reads.
bool HostileUser::SpoilStatus(Value& object) {
  for (const StatusTemplate& each : kStatuses) {
    if (each.kind != object["kind"].AsString()) continue;
    object.Set("status", *json::ParseYaml(each.text));
    for (size_t i = Below(3); i > 0; --i) SpoilNode(object.Mutable("status"), 0);
    return true;
  }
  return false;
}

void HostileUser::Create() {
  for (int i = 0; i < kTries && !TryCreate(); ++i) continue;
}

void HostileUser::Change() {
  for (int i = 0; i < kTries && !made_.empty() && !TryChange(); ++i) continue;
}

bool HostileUser::TryCreate() {
  std::string text(kTemplates[Below(std::size(kTemplates))]);
  const std::string name = fmt::format("m-{}", ++count_);
  for (size_t at = text.find("NAME"); at != std::string::npos; at = text.find("NAME")) {
    text.replace(at, 4, name);
  }
  Value object = *json::ParseYaml(text);
  const auto resource =
      api::FindResource(object["kind"].AsString(), object["apiVersion"].AsString());
  Value& metadata = object.Mutable("metadata");
  if (resource->namespaced) metadata.Set("namespace", kNamespace);
  if (!metadata.Has("name") || Chance(0.3)) metadata.Set("name", name);
  Spoil(object);
  const auto created = client_.Create(*resource, object);
  if (!created) return false;
  made_.push_back(
      {*resource, kube::KeyOf(object), std::string(kube::Uid(*created)), json::Write(object)});
  return true;
}

bool HostileUser::TryChange() {
  const Made made = made_[Below(made_.size())];
  auto object = client_.Get(made.resource, made.key);
  if (!object) return false;
  if (Chance(0.1)) {
    const char* const how[] = {"Background", "Foreground", "Orphan"};
    if (!client_.Delete(made.resource, made.key, {.propagation = how[Below(std::size(how))]})) {
      return false;
    }
    made_.push_back({made.resource, made.key, made.uid,
                     fmt::format("deleted: {} {}", made.resource.kind, made.key.name)});
    return true;
  }
  const bool status = Chance(0.4) && SpoilStatus(*object);
  if (!status) Spoil(*object);
  if (!client_.Update(made.resource, *object, {.subresource = status ? "status" : ""}))
    return false;
  made_.push_back({made.resource, made.key, made.uid, "changed: " + json::Write(*object)});
  return true;
}

std::string HostileUser::Taken() const {
  std::string out;
  for (const Made& made : made_) {
    out += fmt::format("{}\n", made.text.size() > 2000 ? made.text.substr(0, 2000) : made.text);
  }
  return out;
}

}  // namespace coppice
