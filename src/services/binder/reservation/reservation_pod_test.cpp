#include "services/binder/reservation/reservation_pod.h"

#include <gtest/gtest.h>

#include <set>

#include "services/binder/fixture_testing.h"

namespace coppice::services::binder {
namespace {

class ReservationPods : public BinderFixture {};

TEST_F(ReservationPods, FakeGpuNodesGetSleepers) {
  Start({.fake_gpu_nodes = true});
  AddSharingPod("p");
  Request("p", kHalf);
  cluster.Settle(std::chrono::seconds(1));
  const json::Value pod = cluster.List(api::kPods, "kai-resource-reservation").at(0);
  const json::Value& container = pod["spec"]["containers"].At(0);
  EXPECT_EQ(container["image"].AsString(), "ubuntu");
  EXPECT_EQ(container["args"], Doc("[sleep, infinity]"));
}

TEST_F(ReservationPods, AreMadeAsAsked) {
  cluster.Create(
      api::kRuntimeClasses,
      "{apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: nvidia}, handler: x}");
  Start({.reservation_resources = Doc("{requests: {cpu: 1m, nvidia.com/gpu: '3'}}"),
         .reservation_pod_security_context = Doc("{runAsUser: 7}"),
         .reservation_container_security_context = Doc("{readOnlyRootFilesystem: true}"),
         .runtime_class_name = "nvidia"});
  AddSharingPod("p");
  ASSERT_TRUE(cluster.client().Patch(
      api::kPods, {"default", "p"}, kube::PatchType::kMerge,
      Doc("spec: {tolerations: [{key: gpu, operator: Exists, effect: NoSchedule}]}")));
  Request("p", kHalf);
  cluster.Settle(std::chrono::seconds(1));
  const json::Value pod = cluster.List(api::kPods, "kai-resource-reservation").at(0);
  EXPECT_EQ(kube::Name(pod), "gpu-reservation-bb8a26907a9bbf15");  // `echo -n n1/g1 | sha256sum`.
  EXPECT_EQ(kube::Label(pod, "app"), "kai-resource-reservation");
  EXPECT_EQ(kube::Label(pod, "runai-gpu-group"), "g1");
  EXPECT_EQ(kube::Annotation(pod, "karpenter.sh/do-not-disrupt"), "true");
  EXPECT_EQ(pod["spec"]["nodeName"].AsString(), "n1");
  EXPECT_EQ(pod["spec"]["runtimeClassName"].AsString(), "nvidia");
  EXPECT_EQ(pod["spec"]["serviceAccountName"].AsString(), "kai-resource-reservation");
  EXPECT_EQ(pod["spec"]["tolerations"].At(0)["key"].AsString(), "gpu");
  EXPECT_EQ(pod["spec"]["securityContext"]["runAsUser"].AsInt(), 7);
  const json::Value& resources = pod["spec"]["containers"].At(0)["resources"];
  EXPECT_EQ(resources["requests"], Doc("{cpu: 1m, nvidia.com/gpu: '1'}"));
  EXPECT_EQ(resources["limits"]["nvidia.com/gpu"].AsString(), "1");
  const json::Value& container = pod["spec"]["containers"].At(0);
  EXPECT_EQ(container["name"].AsString(), "resource-reservation");
  EXPECT_EQ(container["imagePullPolicy"].AsString(), "IfNotPresent");
  EXPECT_TRUE(container["securityContext"]["readOnlyRootFilesystem"].AsBool());
  std::set<std::string> variables;
  for (const json::Value& variable : container["env"].Items()) {
    variables.insert(variable["name"].ToString());
  }
  EXPECT_EQ(variables, (std::set<std::string>{"POD_NAME", "POD_NAMESPACE"}));
}

}  // namespace
}  // namespace coppice::services::binder
