#pragma once

#include <fmt/format.h>

#include <string>

// A pod as a controller makes it and a kubelet reports it, for measurements: a hundred pods per
// owner, fifty namespaces. With the managedFields that a server adds it has about 5.7 KB of JSON.
namespace coppice::kube {

inline std::string RealisticPodNamespace(int i) { return fmt::format("team-{}", i / 100 % 50); }
inline std::string RealisticPodName(int i) {
  return fmt::format("inference-{}-decode-{:05}", i / 100, i);
}

// The members of the metadata that a client sends.
inline std::string RealisticPodMetadata(int i) {
  return fmt::format(
      R"("name":"{3}","namespace":"{4}","generateName":"inference-{0}-decode-","labels":{{)"
      R"("app.kubernetes.io/name":"inference-{0}","app.kubernetes.io/managed-by":"grove-operator",)"
      R"("grove.io/podclique":"inference-{0}-decode","grove.io/podgang":"inference-{0}",)"
      R"("pod-template-hash":"7c9f8d6b5","kai.scheduler/queue":"team-{2}"}},"annotations":{{)"
      R"("kubectl.kubernetes.io/default-container":"main","prometheus.io/scrape":"true"}},)"
      R"("ownerReferences":[{{"apiVersion":"grove.io/v1alpha1","kind":"PodClique","name":)"
      R"("inference-{0}-decode","uid":"6f1c2b6e-1111-4222-8333-{0:012}","controller":true,)"
      R"("blockOwnerDeletion":true}}])",
      i / 100, i, i / 100 % 50, RealisticPodName(i), RealisticPodNamespace(i));
}

// `node_name` may be empty.
inline std::string RealisticPodSpec(int i, const std::string& node_name) {
  const std::string node = node_name.empty() ? "" : fmt::format(R"("nodeName":"{}",)", node_name);
  return fmt::format(
      R"({{"volumes":[{{"name":"kube-api-access-{1:05}","projected":{{"sources":[)"
      R"({{"serviceAccountToken":{{"expirationSeconds":3607,"path":"token"}}}},{{"configMap":{{"name":)"
      R"("kube-root-ca.crt","items":[{{"key":"ca.crt","path":"ca.crt"}}]}}}},{{"downwardAPI":{{"items":[)"
      R"({{"path":"namespace","fieldRef":{{"apiVersion":"v1","fieldPath":"metadata.namespace"}}}}]}}}}],)"
      R"("defaultMode":420}}}},{{"name":"shm","emptyDir":{{"medium":"Memory","sizeLimit":"64Gi"}}}}],)"
      R"("containers":[{{"name":"main","image":"registry.example.com/inference/server:25.06-py3",)"
      R"("args":["--model","/models/llama","--tensor-parallel-size","8","--port","8000"],"ports":)"
      R"([{{"containerPort":8000,"protocol":"TCP"}}],"env":[{{"name":"RANK","value":"{1}"}},{{"name":)"
      R"("POD_NAMESPACE","valueFrom":{{"fieldRef":{{"apiVersion":"v1","fieldPath":"metadata.namespace"}}}}}},)"
      R"({{"name":"NCCL_DEBUG","value":"INFO"}},{{"name":"LEADER_ADDRESS","value":)"
      R"("inference-{0}-leader-0.inference-{0}"}}],"resources":{{"limits":{{"cpu":"16","memory":"128Gi",)"
      R"("nvidia.com/gpu":"8"}},"requests":{{"cpu":"16","memory":"128Gi","nvidia.com/gpu":"8"}}}},)"
      R"("volumeMounts":[{{"name":"shm","mountPath":"/dev/shm"}},{{"name":"kube-api-access-{1:05}",)"
      R"("readOnly":true,"mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}}],)"
      R"("terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File",)"
      R"("imagePullPolicy":"IfNotPresent"}}],"restartPolicy":"Always","terminationGracePeriodSeconds":30,)"
      R"("dnsPolicy":"ClusterFirst","serviceAccountName":"default","serviceAccount":"default",)"
      R"({2}"securityContext":{{}},"schedulerName":"kai-scheduler",)"
      R"("tolerations":[{{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute",)"
      R"("tolerationSeconds":300}},{{"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":)"
      R"("NoExecute","tolerationSeconds":300}}],"priority":0,"enableServiceLinks":true,)"
      R"("preemptionPolicy":"PreemptLowerPriority"}})",
      i / 100, i, node);
}

inline std::string RealisticPodStatus(int i) {
  return fmt::format(
      R"({{"phase":"Running","conditions":[)"
      R"({{"type":"Initialized","status":"True","lastProbeTime":null,"lastTransitionTime":)"
      R"("2026-01-02T03:04:06Z"}},{{"type":"Ready","status":"True","lastProbeTime":null,)"
      R"("lastTransitionTime":"2026-01-02T03:05:06Z"}},{{"type":"ContainersReady","status":"True",)"
      R"("lastProbeTime":null,"lastTransitionTime":"2026-01-02T03:05:06Z"}},{{"type":"PodScheduled",)"
      R"("status":"True","lastProbeTime":null,"lastTransitionTime":"2026-01-02T03:04:05Z"}}],"hostIP":)"
      R"("10.0.{1}.{2}","podIP":"10.{3}.{1}.{2}","podIPs":[{{"ip":"10.{3}.{1}.{2}"}}],"startTime":)"
      R"("2026-01-02T03:04:06Z","containerStatuses":[{{"name":"main","state":{{"running":{{"startedAt":)"
      R"("2026-01-02T03:04:30Z"}}}},"lastState":{{}},"ready":true,"restartCount":0,"image":)"
      R"("registry.example.com/inference/server:25.06-py3","imageID":)"
      R"("registry.example.com/inference/server@sha256:0123456789abcdef0123456789abcdef0123456789abcdef",)"
      R"("containerID":"containerd://{0:064x}","started":true}}],"qosClass":"Guaranteed"}})",
      i, i / 250 % 250, i % 250, i / 62500 + 1);
}

inline std::string RealisticPodNode(int i) { return fmt::format("gpu-node-{:04}", i / 8 % 5000); }

}  // namespace coppice::kube
