// What the credentials of a kubelet are good for: its own node, the pods bound to it and what those
// reference.
#include "server/authorization/node_authorizer.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/well_known.h"
#include "kube/object.h"
#include "server/auth/bootstrap.h"
#include "server/core/core.h"
#include "server/server_testing.h"

namespace coppice::server {
namespace {

using base::ErrorCode;
using testing::HasSubstr;

const api::Resource kSlices{"resource.k8s.io", "v1", "resourceslices", "ResourceSlice", false};
const api::Resource kAttachments{"storage.k8s.io", "v1", "volumeattachments", "VolumeAttachment",
                                 false};
const api::Resource kCsiNodes{"storage.k8s.io", "v1", "csinodes", "CSINode", false};
const api::Resource kNodeReviews{"authorization.k8s.io", "v1", "subjectaccessreviews",
                                 "SubjectAccessReview", false};

constexpr const char* kPodOfNode = R"(
metadata: {name: NAME, namespace: default, labels: {a: b}}
spec:
  nodeName: NODE
  imagePullSecrets: [{name: NAME-pull}]
  containers:
  - {name: c, image: i, env: [{name: A, valueFrom: {secretKeyRef: {name: NAME-env, key: k}}}],
     envFrom: [{configMapRef: {name: NAME-map}}]}
  volumes:
  - {name: s, secret: {secretName: NAME-volume}}
  - {name: p, projected: {sources: [{secret: {name: NAME-projected}}]}}
  - {name: t, projected: {sources: [{serviceAccountToken: {path: t, audience: vault}}]}}
  - {name: v, persistentVolumeClaim: {claimName: NAME-claim}}
  resourceClaims: [{name: d, resourceClaimName: NAME-device}]
)";

std::string Replaced(std::string text, std::string_view what, std::string_view with) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size()) {
    text.replace(at, what.size(), with);
  }
  return text;
}

class NodeCredentialsTest : public testing::Test {
 protected:
  NodeCredentialsTest() {
    server_.stepper.RunFor(std::chrono::seconds(1));
    server_.MustCreate(api::kServiceAccounts, "metadata: {name: other, namespace: default}");
    for (const char* node : {"n1", "n2"}) {
      server_.MustCreate(api::kNodes, fmt::format("metadata: {{name: {}}}", node));
      const std::string name = fmt::format("on-{}", node);
      Make(api::kPods, name, Replaced(kPodOfNode, "NODE", node));
      for (const char* secret : {"pull", "env", "volume", "projected", "disk"}) {
        Make(api::kSecrets, fmt::format("{}-{}", name, secret));
      }
      Make(api::kConfigMaps, name + "-map");
      Make(api::kPersistentVolumeClaims, name + "-claim", R"(
metadata: {name: NAME, namespace: default}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, volumeName: NAME})");
      server_.MustCreate(api::kPersistentVolumes, Replaced(R"(
metadata: {name: NAME-claim}
spec: {accessModes: [ReadWriteOnce], capacity: {storage: 1Gi}, claimRef: {namespace: default,
  name: NAME-claim}, csi: {driver: d, volumeHandle: h,
  nodePublishSecretRef: {namespace: default, name: NAME-disk}}})",
                                                           "NAME", name));
      Make(api::kResourceClaims, name + "-device", R"(
metadata: {name: NAME, namespace: default}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: c}}]}})");
      server_.MustCreate(
          kAttachments,
          fmt::format("{{metadata: {{name: {0}}}, spec: {{attacher: d, nodeName: {0}, source: "
                      "{{persistentVolumeName: x}}}}}}",
                      node));
    }
    Make(api::kSecrets, "unrelated");
    kubelet_ = ClientOf("n1");
  }
  void Make(const api::Resource& resource, const std::string& name,
            std::string_view text = "metadata: {name: NAME, namespace: default}") {
    server_.MustCreate(resource, Replaced(std::string(text), "NAME", name));
  }
  std::unique_ptr<kube::Client> ClientOf(const std::string& node) {
    return server_.server->NewClient(
        server_.stepper, {"system:node:" + node, {"system:nodes", "system:authenticated"}, "", {}});
  }
  bool Reads(const api::Resource& resource, const std::string& name) {
    const auto got = kubelet_->Get(resource, {resource.namespaced ? "default" : "", name});
    EXPECT_TRUE(got || got.Is(ErrorCode::kForbidden)) << got.error().message();
    return got.ok();
  }
  base::Status TokenFor(const std::string& account, const std::string& pod, std::string uid,
                        const char* audience = nullptr) {
    json::Value request = Doc("{apiVersion: authentication.k8s.io/v1, kind: TokenRequest}");
    request.Mutable("metadata").Set("name", account).Set("namespace", "default");
    json::Value& spec = request.Mutable("spec");
    if (audience) spec.Set("audiences", json::Value::Array({audience}));
    spec.Set(
        "boundObjectRef",
        json::Value::Object({{"apiVersion", "v1"}, {"kind", "Pod"}, {"name", pod}, {"uid", uid}}));
    const auto made = kubelet_->Create(api::kServiceAccounts, request, {.subresource = "token"});
    return made ? base::Status() : base::Status(made.error());
  }
  std::string UidOf(const api::Resource& resource, const std::string& name) {
    const std::string ns = resource.namespaced ? "default" : "";
    return std::string(kube::Uid(*server_->Get(resource, {ns, name})));
  }

  TestServer server_;
  std::unique_ptr<kube::Client> kubelet_;
};

TEST_F(NodeCredentialsTest, ReadWhatThePodsOfTheNodeReference) {
  for (const char* secret : {"pull", "env", "volume", "projected", "disk"}) {
    EXPECT_TRUE(Reads(api::kSecrets, fmt::format("on-n1-{}", secret))) << secret;
    EXPECT_FALSE(Reads(api::kSecrets, fmt::format("on-n2-{}", secret))) << secret;
  }
  for (const auto& [resource, suffix] :
       std::vector<std::pair<api::Resource, std::string>>{{api::kConfigMaps, "-map"},
                                                          {api::kPersistentVolumeClaims, "-claim"},
                                                          {api::kPersistentVolumes, "-claim"},
                                                          {api::kResourceClaims, "-device"},
                                                          {api::kPods, ""}}) {
    EXPECT_TRUE(Reads(resource, "on-n1" + suffix)) << resource.plural;
    EXPECT_FALSE(Reads(resource, "on-n2" + suffix)) << resource.plural;
  }
  EXPECT_TRUE(Reads(api::kServiceAccounts, "default"));
  EXPECT_FALSE(Reads(api::kServiceAccounts, "other"));
  EXPECT_TRUE(Reads(kAttachments, "n1"));
  EXPECT_FALSE(Reads(kAttachments, "n2"));
  EXPECT_EQ(kubelet_->Get(api::kSecrets, {"default", "unrelated"}).error().message(),
            "secrets \"unrelated\" is forbidden: User \"system:node:n1\" cannot get resource "
            "\"secrets\" in API group \"\" in the namespace \"default\": no relationship found "
            "between node 'n1' and this object");
  for (const api::Resource& resource : {api::kSecrets, api::kConfigMaps}) {
    EXPECT_TRUE(kubelet_->List(resource, {.ns = "default"}).Is(ErrorCode::kForbidden));
    EXPECT_TRUE(kubelet_->List(resource, {}).Is(ErrorCode::kForbidden));
  }
}

TEST_F(NodeCredentialsTest, FollowThePods) {
  EXPECT_TRUE(Reads(api::kSecrets, "on-n1-env"));
  ASSERT_TRUE(server_->Delete(api::kPods, {"default", "on-n1"}, {.grace_period_seconds = 0}));
  EXPECT_FALSE(Reads(api::kSecrets, "on-n1-env"));
  Make(api::kPods, "late", R"(
metadata: {name: NAME, namespace: default}
spec: {containers: [{name: c, image: i}], volumes: [{name: s, secret: {secretName: unrelated}}]})");
  EXPECT_FALSE(Reads(api::kSecrets, "unrelated")) << "it is not bound yet";
  ASSERT_TRUE(server_->Create(
      api::kPods,
      Doc("{apiVersion: v1, kind: Binding, metadata: {name: late, namespace: default}, target: "
          "{kind: Node, name: n1}}"),
      {.subresource = "binding"}));
  EXPECT_TRUE(Reads(api::kSecrets, "unrelated"));
}

TEST_F(NodeCredentialsTest, ListOnlyTheirOwnPodsAndNode) {
  EXPECT_EQ(kubelet_->List(api::kPods, {.field_selector = "spec.nodeName=n1"})->items.size(), 1u);
  for (const char* selector :
       {"", "spec.nodeName=n2", "spec.nodeName!=n1", "status.phase=Pending"}) {
    EXPECT_TRUE(kubelet_->List(api::kPods, {.field_selector = selector}).Is(ErrorCode::kForbidden))
        << selector;
  }
  RecordingSink sink;
  EXPECT_TRUE(kubelet_->StartWatch(api::kPods, {.field_selector = "spec.nodeName=n1"}, sink).ok());
  EXPECT_FALSE(kubelet_->StartWatch(api::kPods, {}, sink).ok());
  EXPECT_TRUE(Reads(api::kNodes, "n1"));
  EXPECT_FALSE(Reads(api::kNodes, "n2"));
  EXPECT_TRUE(kubelet_->List(api::kNodes, {}).Is(ErrorCode::kForbidden));
  EXPECT_TRUE(
      kubelet_->DeleteCollection(api::kPods, {.ns = "default"}, {}).Is(ErrorCode::kForbidden));
  EXPECT_TRUE(kubelet_->Delete(api::kNodes, {"", "n1"}).Is(ErrorCode::kForbidden));
}

TEST_F(NodeCredentialsTest, WriteTheirOwnNodeAlone) {
  json::Value other = *server_->Get(api::kNodes, {"", "n2"});
  other.Mutable("metadata").Mutable("labels").Set("x", "y");
  EXPECT_THAT(kubelet_->Update(api::kNodes, other).error().message(),
              HasSubstr("node \"n1\" is not allowed to modify node \"n2\""));
  EXPECT_THAT(kubelet_->Update(api::kNodes, other, {.subresource = "status"}).error().message(),
              HasSubstr("node \"n1\" is not allowed to modify node \"n2\""));
  EXPECT_FALSE(kubelet_->Create(api::kNodes, Doc("metadata: {name: n3}")));
  const auto with_label = [&](const char* label, const char* subresource = "") {
    json::Value own = *server_->Get(api::kNodes, {"", "n1"});
    own.Mutable("metadata").Mutable("labels").Set(label, "v");
    return kubelet_->Update(api::kNodes, own, {.subresource = subresource});
  };
  for (const char* label : {"example.com/a", "kubernetes.io/hostname", "kubelet.kubernetes.io/a",
                            "topology.kubernetes.io/zone", "nvidia.com/gpu"}) {
    EXPECT_TRUE(with_label(label)) << label;
  }
  for (const char* label :
       {"node-restriction.kubernetes.io/a", "x.node-restriction.kubernetes.io/a",
        "node-role.kubernetes.io/control-plane", "k8s.io/a", "kubernetes.io/a"}) {
    EXPECT_THAT(with_label(label).error().message(),
                HasSubstr(fmt::format("is not allowed to modify labels: {}", label)));
    EXPECT_FALSE(with_label(label, "status")) << label;
  }
  json::Value own = *server_->Get(api::kNodes, {"", "n1"});
  own.Mutable("spec").Set("taints", json::Value::Array({Doc("{key: a, effect: NoSchedule}")}));
  EXPECT_THAT(kubelet_->Update(api::kNodes, own).error().message(),
              HasSubstr("node \"n1\" is not allowed to modify taints"));
  own = *server_->Get(api::kNodes, {"", "n1"});
  own.Mutable("metadata")
      .Set("ownerReferences",
           json::Value::Array({Doc("{apiVersion: v1, kind: ConfigMap, name: gone, uid: x}")}));
  EXPECT_THAT(kubelet_->Update(api::kNodes, own).error().message(),
              HasSubstr("is not allowed to modify ownerReferences"));
}

TEST_F(NodeCredentialsTest, RegisterTheirOwnNode) {
  const auto n3 = ClientOf("n3");
  EXPECT_THAT(n3->Create(api::kNodes, Doc("metadata: {name: n3, labels: "
                                          "{node-restriction.kubernetes.io/a: b}}"))
                  .error()
                  .message(),
              HasSubstr("node \"n3\" is not allowed to set the following labels: "
                        "node-restriction.kubernetes.io/a"));
  EXPECT_TRUE(n3->Get(api::kNodes, {"", "n3"}).Is(ErrorCode::kNotFound));
  EXPECT_TRUE(
      n3->Create(api::kNodes, Doc("metadata: {name: n3, labels: {kubernetes.io/os: linux}}")));
}

TEST_F(NodeCredentialsTest, WriteTheStatusOfTheirOwnPods) {
  const auto status = [&](const char* pod, const std::function<void(json::Value&)>& change) {
    json::Value object = *server_->Get(api::kPods, {"default", pod});
    change(object);
    return kubelet_->Update(api::kPods, object, {.subresource = "status"});
  };
  const auto runs = [](json::Value& pod) { pod.Mutable("status").Set("phase", "Running"); };
  EXPECT_TRUE(status("on-n1", runs));
  EXPECT_THAT(status("on-n2", runs).error().message(),
              HasSubstr("node \"n1\" can only update pod status for pods with spec.nodeName set to "
                        "itself"));
  EXPECT_THAT(
      status("on-n1",
             [](json::Value& pod) { pod.Mutable("metadata").Mutable("labels").Set("a", "c"); })
          .error()
          .message(),
      HasSubstr("cannot update labels through pod status"));
  EXPECT_THAT(status("on-n1",
                     [](json::Value& pod) {
                       pod.Mutable("status").Set(
                           "resourceClaimStatuses",
                           json::Value::Array({Doc("{name: d, resourceClaimName: on-n2-device}")}));
                     })
                  .error()
                  .message(),
              HasSubstr("cannot update resource claim statuses"));
  EXPECT_FALSE(Reads(api::kResourceClaims, "on-n2-device"));
  json::Value pod = *server_->Get(api::kPods, {"default", "on-n1"});
  EXPECT_TRUE(kubelet_->Update(api::kPods, pod).Is(ErrorCode::kForbidden));
}

TEST_F(NodeCredentialsTest, DeleteAndEvictTheirOwnPods) {
  EXPECT_THAT(kubelet_->Delete(api::kPods, {"default", "on-n2"}).error().message(),
              HasSubstr("node \"n1\" can only delete pods with spec.nodeName set to itself"));
  const auto evict = [&](const char* pod) {
    return kubelet_->Create(
        api::kPods,
        Doc(fmt::format("{{apiVersion: policy/v1, kind: Eviction, metadata: {{name: {}, namespace: "
                        "default}}}}",
                        pod)),
        {.subresource = "eviction"});
  };
  EXPECT_THAT(evict("on-n2").error().message(),
              HasSubstr("can only evict pods with spec.nodeName set to itself"));
  EXPECT_TRUE(evict("on-n1"));
  EXPECT_TRUE(kubelet_->Delete(api::kPods, {"default", "on-n1"}, {.grace_period_seconds = 0}));
}

TEST_F(NodeCredentialsTest, CreateMirrorPodsThatReferenceNothing) {
  const json::Value mirror = Doc(fmt::format(R"(
metadata: {{name: mirror, namespace: default, annotations: {{kubernetes.io/config.mirror: x}},
  ownerReferences: [{{apiVersion: v1, kind: Node, name: n1, uid: "{}", controller: true}}]}}
spec: {{nodeName: n1, containers: [{{name: c, image: i}}]}})",
                                             UidOf(api::kNodes, "n1")));
  const auto refused = [&](const std::function<void(json::Value&)>& change) {
    json::Value pod = mirror;
    change(pod);
    const auto made = kubelet_->Create(api::kPods, pod);
    return made ? std::string() : std::string(made.error().message());
  };
  EXPECT_THAT(refused([](json::Value& pod) { pod.Mutable("metadata").Erase("annotations"); }),
              HasSubstr("can only create mirror pods"));
  EXPECT_THAT(refused([](json::Value& pod) { pod.Mutable("spec").Set("nodeName", "n2"); }),
              HasSubstr("can only create pods with spec.nodeName set to itself"));
  EXPECT_THAT(refused([](json::Value& pod) { pod.Mutable("metadata").Erase("ownerReferences"); }),
              HasSubstr("an owner reference set to itself"));
  EXPECT_THAT(refused([](json::Value& pod) {
                pod.Mutable("metadata").Mutable("ownerReferences").MutableAt(0).Set("uid", "x");
              }),
              HasSubstr("UID mismatch"));
  const auto with_volume = [](const char* volume) {
    return [volume](json::Value& pod) {
      pod.Mutable("spec").Set("volumes", json::Value::Array({Doc(volume)}));
    };
  };
  EXPECT_THAT(refused(with_volume("{name: s, secret: {secretName: unrelated}}")),
              HasSubstr("reference secrets"));
  EXPECT_THAT(refused(with_volume("{name: s, configMap: {name: unrelated}}")),
              HasSubstr("reference configmaps"));
  EXPECT_THAT(refused(with_volume("{name: s, persistentVolumeClaim: {claimName: on-n2-claim}}")),
              HasSubstr("reference persistentvolumeclaims"));
  EXPECT_THAT(refused([](json::Value& pod) {
                pod.Mutable("spec").Set(
                    "resourceClaims",
                    json::Value::Array({Doc("{name: d, resourceClaimName: on-n2-device}")}));
              }),
              HasSubstr("reference resourceclaims"));
  EXPECT_THAT(
      refused([](json::Value& pod) { pod.Mutable("spec").Set("serviceAccountName", "other"); }),
      HasSubstr("reference"));
  EXPECT_EQ(refused([](json::Value&) {}), "");
}

// Someone else may make a pod that looks like a mirror pod; the node gets nothing by it.
TEST_F(NodeCredentialsTest, MirrorPodsGiveNoAccess) {
  server_.MustCreate(api::kPods, R"(
metadata: {name: mirror, namespace: default, annotations: {kubernetes.io/config.mirror: x}}
spec: {nodeName: n1, containers: [{name: c, image: i}],
  volumes: [{name: s, configMap: {name: on-n2-map}}]})");
  EXPECT_FALSE(Reads(api::kConfigMaps, "on-n2-map"));
}

TEST_F(NodeCredentialsTest, GetTokensForTheirPodsAlone) {
  const std::string own = UidOf(api::kPods, "on-n1"), other = UidOf(api::kPods, "on-n2");
  EXPECT_TRUE(TokenFor("default", "on-n1", own)) << "every pod mounts a token of its account";
  EXPECT_TRUE(TokenFor("default", "on-n1", own, "vault"));
  EXPECT_THAT(TokenFor("default", "on-n1", own, "bank").error().message(),
              HasSubstr("audience \"bank\" not found in pod spec volume"));
  EXPECT_THAT(TokenFor("default", "on-n1", "").error().message(),
              HasSubstr("node requested token with a pod binding without a uid"));
  EXPECT_THAT(TokenFor("default", "on-n2", other).error().message(),
              HasSubstr("node requested token bound to a pod scheduled on a different node"));
  EXPECT_THAT(TokenFor("other", "on-n1", own).error().message(),
              HasSubstr("no relationship found between node 'n1' and this object"));
  const json::Value unbound =
      Doc("{apiVersion: authentication.k8s.io/v1, kind: TokenRequest, metadata: {name: default, "
          "namespace: default}}");
  EXPECT_THAT(
      kubelet_->Create(api::kServiceAccounts, unbound, {.subresource = "token"}).error().message(),
      HasSubstr("node requested token not bound to a pod"));
}

TEST_F(NodeCredentialsTest, KeepTheirOwnLeaseCsiNodeAndSlices) {
  const auto create = [&](const api::Resource& resource, const std::string& text) {
    return kubelet_->Create(resource, Doc(text)).ok();
  };
  EXPECT_TRUE(create(api::kLeases, "metadata: {name: n1, namespace: kube-node-lease}"));
  EXPECT_FALSE(create(api::kLeases, "metadata: {name: n2, namespace: kube-node-lease}"));
  EXPECT_FALSE(create(api::kLeases, "metadata: {name: n1, namespace: kube-system}"));
  EXPECT_TRUE(kubelet_->Get(api::kLeases, {"kube-node-lease", "n1"}).ok());
  EXPECT_TRUE(kubelet_->Get(api::kLeases, {"kube-node-lease", "n2"}).Is(ErrorCode::kForbidden));
  EXPECT_TRUE(kubelet_->List(api::kLeases, {.ns = "kube-node-lease"}).Is(ErrorCode::kForbidden));
  EXPECT_TRUE(create(kCsiNodes, "{metadata: {name: n1}, spec: {drivers: []}}"));
  EXPECT_FALSE(create(kCsiNodes, "{metadata: {name: n2}, spec: {drivers: []}}"));
  const std::string slice =
      "{{metadata: {{name: s-{0}}}, spec: {{driver: d, nodeName: {0}, pool: {{name: p, generation: "
      "1, resourceSliceCount: 1}}}}}}";
  EXPECT_TRUE(create(kSlices, fmt::format(fmt::runtime(slice), "n1")));
  EXPECT_FALSE(create(kSlices, fmt::format(fmt::runtime(slice), "n2")));
  server_.MustCreate(kSlices, fmt::format(fmt::runtime(slice), "n2"));
  EXPECT_FALSE(kubelet_->Delete(kSlices, {"", "s-n2"}).ok());
  EXPECT_FALSE(kubelet_->DeleteCollection(kSlices, {}, {}).ok());
  EXPECT_TRUE(kubelet_->DeleteCollection(kSlices, {.field_selector = "spec.nodeName=n1"}, {}).ok());
  EXPECT_TRUE(server_->Get(kSlices, {"", "s-n2"}).ok());
}

TEST_F(NodeCredentialsTest, ClaimsChangeInSizeAlone) {
  json::Value claim = *server_->Get(api::kPersistentVolumeClaims, {"default", "on-n1-claim"});
  claim.Mutable("status").Mutable("capacity").Set("storage", "2Gi");
  EXPECT_TRUE(kubelet_->Update(api::kPersistentVolumeClaims, claim, {.subresource = "status"}));
  claim = *server_->Get(api::kPersistentVolumeClaims, {"default", "on-n1-claim"});
  claim.Mutable("status").Set("phase", "Lost");
  EXPECT_THAT(kubelet_->Update(api::kPersistentVolumeClaims, claim, {.subresource = "status"})
                  .error()
                  .message(),
              HasSubstr("is not allowed to update fields other than status.capacity"));
  EXPECT_FALSE(kubelet_->Update(api::kPersistentVolumeClaims, claim).ok());
}

TEST_F(NodeCredentialsTest, OthersAreNoNodes) {
  const auto reads = [&](const std::string& name, std::vector<std::string> groups) {
    return server_.server->NewClient(server_.stepper, {name, std::move(groups), "", {}})
        ->Get(api::kSecrets, {"default", "on-n1-env"})
        .ok();
  };
  EXPECT_FALSE(reads("system:node:n1", {"system:authenticated"}));
  EXPECT_FALSE(reads("n1", {"system:nodes", "system:authenticated"}));
  EXPECT_FALSE(reads("system:node:", {"system:nodes", "system:authenticated"}));
}

TEST_F(NodeCredentialsTest, ReviewsSayTheSame) {
  const auto review = [&](const char* attributes) {
    json::Value asked =
        Doc("{apiVersion: authorization.k8s.io/v1, kind: SubjectAccessReview, "
            "spec: {user: 'system:node:n1', groups: ['system:nodes']}}");
    asked.Mutable("spec").Set("resourceAttributes", Doc(attributes));
    return (*server_->Create(kNodeReviews, asked))["status"];
  };
  EXPECT_TRUE(
      review("{verb: get, resource: secrets, namespace: default, name: on-n1-env}")["allowed"]
          .AsBool());
  const json::Value refused =
      review("{verb: get, resource: secrets, namespace: default, name: on-n2-env}");
  EXPECT_FALSE(refused["allowed"].AsBool());
  EXPECT_EQ(refused["reason"].AsString(),
            "no relationship found between node 'n1' and this object");
  EXPECT_FALSE(review("{verb: list, resource: pods}")["allowed"].AsBool());
  EXPECT_TRUE(review("{verb: list, resource: pods, fieldSelector: {rawSelector: "
                     "spec.nodeName=n1}}")["allowed"]
                  .AsBool());
  EXPECT_TRUE(review("{verb: list, resource: pods, fieldSelector: {requirements: [{key: "
                     "spec.nodeName, operator: In, values: [n1]}]}}")["allowed"]
                  .AsBool());
}

// As earlier releases left it.
TEST_F(NodeCredentialsTest, HoldNoRoleOfAnOlderDatabase) {
  const api::Resource bindings{"rbac.authorization.k8s.io", "v1", "clusterrolebindings",
                               "ClusterRoleBinding", false};
  const auto bind = [&](const char* autoupdate) {
    json::Value binding = *server_->Get(bindings, {"", "system:node"});
    binding.Set("subjects",
                json::Value::Array({Doc("{apiGroup: rbac.authorization.k8s.io, kind: Group, name: "
                                        "'system:nodes'}")}));
    binding.Mutable("metadata")
        .Mutable("annotations")
        .Set("rbac.authorization.kubernetes.io/autoupdate", autoupdate);
    EXPECT_TRUE(server_->Update(bindings, binding));
    EXPECT_TRUE(Reads(api::kSecrets, "unrelated"));
    EXPECT_TRUE(EnsureBootstrapPolicy(server_.server->core()));
  };
  bind("true");
  EXPECT_FALSE(Reads(api::kSecrets, "unrelated"));
  bind("false");
  EXPECT_TRUE(Reads(api::kSecrets, "unrelated")) << "someone wants it";
}

}  // namespace
}  // namespace coppice::server
