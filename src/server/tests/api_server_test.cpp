#include "server/api_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/well_known.h"
#include "kube/object.h"
#include "server/server_testing.h"

namespace coppice::server {
namespace {

using base::ErrorCode;
using testing::ElementsAre;

TEST(ApiServer, CreatesReadsAndListsPods) {
  TestServer server;
  const json::Value created = *server->Create(api::kPods, PodDoc("a"));
  EXPECT_EQ(created["metadata"]["creationTimestamp"].AsString(), "2026-01-01T00:00:00Z");
  EXPECT_EQ(created["metadata"]["uid"].AsString().size(), 36u);
  EXPECT_EQ(created["spec"]["restartPolicy"].AsString(), "Always");
  EXPECT_EQ(created["status"]["phase"].AsString(), "Pending");
  EXPECT_EQ(*server->Get(api::kPods, {"default", "a"}), created);
  const kube::ObjectList list = *server->List(api::kPods, {.ns = "default"});
  ASSERT_EQ(list.items.size(), 1u);
  EXPECT_EQ(list.resource_version, kube::ResourceVersion(created));
}

TEST(ApiServer, ErrorsUseTheWordsOfKubernetes) {
  TestServer server;
  EXPECT_EQ(server->Get(api::kPods, {"default", "a"}).error().message(), "pods \"a\" not found");
  EXPECT_EQ(server->Get(api::kDeployments, {"default", "a"}).error().message(),
            "deployments.apps \"a\" not found");
  ASSERT_TRUE(server->Create(api::kPods, PodDoc("a")));
  const auto twice = server->Create(api::kPods, PodDoc("a"));
  EXPECT_TRUE(twice.Is(ErrorCode::kAlreadyExists));
  EXPECT_EQ(twice.error().message(), "pods \"a\" already exists");
  EXPECT_EQ(server->Create(api::kPods, PodDoc("a", "nowhere")).error().message(),
            "namespaces \"nowhere\" not found");
}

TEST(ApiServer, AStaleUpdateIsAConflict) {
  TestServer server;
  const json::Value old = *server->Create(api::kPods, PodDoc("a"));
  json::Value next = old;
  next.Mutable("metadata").Mutable("labels").Set("x", "1");
  ASSERT_TRUE(server->Update(api::kPods, next));
  next.Mutable("metadata").Mutable("labels").Set("x", "2");
  const auto stale = server->Update(api::kPods, next);
  EXPECT_TRUE(stale.Is(ErrorCode::kConflict));
  EXPECT_EQ(stale.error().message(),
            "Operation cannot be fulfilled on pods \"a\": the object has been modified; please "
            "apply your changes to the latest version and try again");
}

TEST(ApiServer, AnUpdateThatChangesNothingWritesNothing) {
  TestServer server;
  const json::Value pod = *server->Create(api::kPods, PodDoc("a"));
  EXPECT_EQ(kube::ResourceVersion(*server->Update(api::kPods, pod)), kube::ResourceVersion(pod));
}

TEST(ApiServer, StatusAndSpecAreWrittenApart) {
  TestServer server;
  json::Value job = server.MustCreate(api::kJobs, R"(
apiVersion: batch/v1
kind: Job
metadata: {name: j, namespace: default}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}}
status: {active: 7}
)");
  EXPECT_FALSE(job["status"].Has("active"));
  EXPECT_EQ(kube::Generation(job), 1);
  json::Value next = job;
  next.Mutable("status").Set("active", 3);
  next.Mutable("spec").Set("suspend", true);
  next = *server->Update(api::kJobs, next, {.subresource = "status"});
  EXPECT_EQ(next["status"]["active"].AsInt(), 3);
  EXPECT_FALSE(next["spec"]["suspend"].AsBool());
  EXPECT_EQ(kube::Generation(next), 1);
  next.Mutable("spec").Set("suspend", true);
  next.Mutable("status").Set("active", 9);
  next = *server->Update(api::kJobs, next);
  EXPECT_EQ(next["status"]["active"].AsInt(), 3);
  EXPECT_EQ(kube::Generation(next), 2);
}

TEST(ApiServer, WatchSeesWhatHappensInOrder) {
  TestServer server;
  ASSERT_TRUE(server->Create(api::kPods, PodDoc("a")));
  RecordingSink sink;
  auto watch = server->StartWatch(api::kPods, {.ns = "default", .send_initial_events = true}, sink);
  server.stepper.RunUntilIdle();
  EXPECT_THAT(sink.seen, ElementsAre("ADDED a", "BOOKMARK"));
  EXPECT_EQ(kube::Annotation(sink.objects.back(), "k8s.io/initial-events-end"), "true");
  ASSERT_TRUE(server->Create(api::kPods, PodDoc("b")));
  ASSERT_TRUE(server->Patch(api::kPods, {"default", "b"}, kube::PatchType::kMerge,
                            Doc("{metadata: {labels: {x: '1'}}}")));
  ASSERT_TRUE(server->Delete(api::kPods, {"default", "a"}));
  server.stepper.RunUntilIdle();
  EXPECT_THAT(sink.seen, ElementsAre("ADDED a", "BOOKMARK", "ADDED b", "MODIFIED b", "DELETED a"));
}

TEST(ApiServer, WatchWithASelectorSeesObjectsEnterAndLeave) {
  TestServer server;
  RecordingSink sink;
  const std::string from = server->List(api::kPods)->resource_version;
  auto watch =
      server->StartWatch(api::kPods, {.label_selector = "x=1", .resource_version = from}, sink);
  ASSERT_TRUE(server->Create(api::kPods, PodDoc("a")));
  for (const char* patch : {"{metadata: {labels: {x: '1'}}}", "{metadata: {labels: {z: w}}}",
                            "{metadata: {labels: {x: null}}}"}) {
    ASSERT_TRUE(server->Patch(api::kPods, {"default", "a"}, kube::PatchType::kMerge, Doc(patch)));
  }
  server.stepper.RunUntilIdle();
  EXPECT_THAT(sink.seen, ElementsAre("ADDED a", "MODIFIED a", "DELETED a"));
}

TEST(ApiServer, AWatchThatFellBehindIsGone) {
  TestServer server(0, {.watch_history = 4});
  const std::string from = server->List(api::kPods)->resource_version;
  for (int i = 0; i < 10; ++i)
    ASSERT_TRUE(server->Create(api::kPods, PodDoc("p" + std::to_string(i))));
  RecordingSink sink;
  auto watch = server->StartWatch(api::kPods, {.resource_version = from}, sink);
  server.stepper.RunUntilIdle();
  ASSERT_TRUE(sink.end.has_value());
  EXPECT_TRUE(sink.end->Is(ErrorCode::kGone));
}

TEST(ApiServer, PagesShowOneStateOfTheStore) {
  TestServer server;
  for (const char* name : {"a", "b", "c", "d"})
    ASSERT_TRUE(server->Create(api::kPods, PodDoc(name)));
  kube::ObjectList page = *server->List(api::kPods, {.ns = "default", .limit = 2});
  ASSERT_FALSE(page.continue_token.empty());
  ASSERT_TRUE(server->Delete(api::kPods, {"default", "c"}));
  ASSERT_TRUE(server->Create(api::kPods, PodDoc("bb")));
  const std::string version = page.resource_version;
  page = *server->List(api::kPods,
                       {.ns = "default", .limit = 5, .continue_token = page.continue_token});
  ASSERT_EQ(page.items.size(), 2u);
  EXPECT_EQ(kube::Name(page.items[0]), "c");
  EXPECT_EQ(kube::Name(page.items[1]), "d");
  EXPECT_EQ(page.resource_version, version);
}

TEST(ApiServer, PagesCountWhatASelectorTakes) {
  TestServer server;
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) {
    json::Value pod = PodDoc(name);
    if (*name % 2 != 0) pod.Mutable("metadata").Mutable("labels").Set("odd", "yes");
    ASSERT_TRUE(server->Create(api::kPods, pod));
  }
  std::vector<std::string> pages;
  kube::ListOptions options{.ns = "default", .label_selector = "odd=yes", .limit = 1};
  do {
    const kube::ObjectList page = *server->List(api::kPods, options);
    std::string names;
    for (const json::Value& pod : page.items) names += kube::Name(pod);
    pages.push_back(names);
    options.continue_token = page.continue_token;
    // From here on the list shows the past.
    ASSERT_TRUE(server->Create(api::kPods, PodDoc("z" + std::to_string(pages.size()))));
  } while (!options.continue_token.empty());
  EXPECT_THAT(pages, ElementsAre("a", "c", "e", ""));
  EXPECT_TRUE(server->List(api::kPods, {.ns = "default", .label_selector = "odd=no", .limit = 1})
                  ->continue_token.empty());
}

// A page of one, of thousands that a selector leaves out, while others write: no page is read for
// each of them.
TEST(ApiServer, SmallPagesOfNothingAreQuick) {
  TestServer server;
  json::Value map = Doc("{apiVersion: v1, kind: ConfigMap, metadata: {namespace: default}}");
  const auto create = [&](const std::string& name) {
    map.Mutable("metadata").Set("name", name);
    return server->Create(api::kConfigMaps, map).ok();
  };
  for (int i = 0; i < 5000; ++i) ASSERT_TRUE(create("m" + std::to_string(i)));
  const kube::ObjectList first = *server->List(api::kConfigMaps, {.ns = "default", .limit = 1});
  ASSERT_TRUE(create("n"));
  const auto start = std::chrono::steady_clock::now();
  ASSERT_TRUE(server->List(api::kConfigMaps, {.ns = "default",
                                              .label_selector = "no=thing",
                                              .limit = 1,
                                              .continue_token = first.continue_token}));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
}

TEST(ApiServer, FinalizersHoldADeletedObject) {
  TestServer server;
  server.MustCreate(api::kConfigMaps, R"(
apiVersion: v1
kind: ConfigMap
metadata: {name: c, namespace: default, finalizers: [example.com/hold]}
)");
  ASSERT_TRUE(server->Delete(api::kConfigMaps, {"default", "c"}));
  EXPECT_TRUE(kube::IsDeleting(*server->Get(api::kConfigMaps, {"default", "c"})));
  ASSERT_TRUE(server->Patch(api::kConfigMaps, {"default", "c"}, kube::PatchType::kMerge,
                            Doc("{metadata: {finalizers: null}}")));
  EXPECT_TRUE(server->Get(api::kConfigMaps, {"default", "c"}).Is(ErrorCode::kNotFound));
}

TEST(ApiServer, ScheduledPodsAreDeletedGracefully) {
  TestServer server;
  ASSERT_TRUE(server->Create(api::kPods, PodDoc("a")));
  json::Value binding = Doc(R"(
{apiVersion: v1, kind: Binding, metadata: {name: a, namespace: default}, target: {kind: Node, name: n1}}
)");
  ASSERT_TRUE(server->Create(api::kPods, binding, {.subresource = "binding"}));
  json::Value pod = *server->Get(api::kPods, {"default", "a"});
  EXPECT_EQ(pod["spec"]["nodeName"].AsString(), "n1");
  EXPECT_TRUE(kube::ConditionIs(pod, "PodScheduled", "True"));
  EXPECT_EQ(server->Create(api::kPods, binding, {.subresource = "binding"}).error().message(),
            "Operation cannot be fulfilled on pods/binding \"a\": pod a is already assigned to "
            "node \"n1\"");
  ASSERT_TRUE(server->Delete(api::kPods, {"default", "a"}));
  pod = *server->Get(api::kPods, {"default", "a"});
  EXPECT_EQ(pod["metadata"]["deletionGracePeriodSeconds"].AsInt(), 30);
  EXPECT_EQ(pod["metadata"]["deletionTimestamp"].AsString(), "2026-01-01T00:00:30Z");
  ASSERT_TRUE(server->Delete(api::kPods, {"default", "a"}, {.grace_period_seconds = 0}));
  EXPECT_TRUE(server->Get(api::kPods, {"default", "a"}).Is(ErrorCode::kNotFound));
}

TEST(ApiServer, AnAbsurdGraceEndsSomeDay) {
  TestServer server;
  json::Value pod = PodDoc("a");
  pod.Mutable("spec").Set("nodeName", "n1");
  ASSERT_TRUE(server->Create(api::kPods, pod));
  ASSERT_TRUE(server->Delete(api::kPods, {"default", "a"}, {.grace_period_seconds = INT64_MAX}));
  EXPECT_EQ(
      (*server->Get(api::kPods, {"default", "a"}))["metadata"]["deletionTimestamp"].AsString(),
      "2094-01-19T03:14:07Z");
}

TEST(ApiServer, DeletePreconditionsProtectTheSuccessor) {
  TestServer server;
  ASSERT_TRUE(server->Create(api::kPods, PodDoc("a")));
  EXPECT_TRUE(
      server->Delete(api::kPods, {"default", "a"}, {.uid = "other"}).Is(ErrorCode::kConflict));
  EXPECT_TRUE(server->Get(api::kPods, {"default", "a"}));
}

json::Value Owned(std::string_view name, const json::Value& owner) {
  json::Value pod = PodDoc(name);
  pod.Mutable("metadata")
      .Set("ownerReferences", json::Value::Array({kube::MakeControllerReference(owner)}));
  return pod;
}

constexpr std::string_view kOwner =
    "{apiVersion: v1, kind: ConfigMap, metadata: {name: owner, namespace: default}}";

TEST(ApiServer, DependentsGoWithTheirOwner) {
  TestServer server;
  const json::Value owner = server.MustCreate(api::kConfigMaps, kOwner);
  ASSERT_TRUE(server->Create(api::kPods, Owned("a", owner)));
  ASSERT_TRUE(server->Delete(api::kConfigMaps, {"default", "owner"}));
  server.stepper.RunUntilIdle();
  EXPECT_TRUE(server->Get(api::kPods, {"default", "a"}).Is(ErrorCode::kNotFound));
}

TEST(ApiServer, ForegroundDeletionWaitsForDependents) {
  TestServer server;
  const json::Value owner = server.MustCreate(api::kConfigMaps, kOwner);
  json::Value pod = Owned("a", owner);
  pod.Mutable("metadata").Set("finalizers", json::Value::Array({"example.com/hold"}));
  ASSERT_TRUE(server->Create(api::kPods, pod));
  ASSERT_TRUE(
      server->Delete(api::kConfigMaps, {"default", "owner"}, {.propagation = "Foreground"}));
  server.stepper.RunUntilIdle();
  EXPECT_TRUE(kube::IsDeleting(*server->Get(api::kPods, {"default", "a"})));
  EXPECT_TRUE(kube::IsDeleting(*server->Get(api::kConfigMaps, {"default", "owner"})));
  ASSERT_TRUE(server->Patch(api::kPods, {"default", "a"}, kube::PatchType::kMerge,
                            Doc("{metadata: {finalizers: null}}")));
  server.stepper.RunUntilIdle();
  EXPECT_TRUE(server->Get(api::kConfigMaps, {"default", "owner"}).Is(ErrorCode::kNotFound));
}

TEST(ApiServer, OrphansStay) {
  TestServer server;
  const json::Value owner = server.MustCreate(api::kConfigMaps, kOwner);
  ASSERT_TRUE(server->Create(api::kPods, Owned("a", owner)));
  ASSERT_TRUE(server->Delete(api::kConfigMaps, {"default", "owner"}, {.propagation = "Orphan"}));
  server.stepper.RunUntilIdle();
  EXPECT_TRUE(server->Get(api::kConfigMaps, {"default", "owner"}).Is(ErrorCode::kNotFound));
  EXPECT_FALSE((*server->Get(api::kPods, {"default", "a"}))["metadata"].Has("ownerReferences"));
}

TEST(ApiServer, NamespacesHaveALife) {
  TestServer server;
  server.MustCreate(api::kNamespaces, "{apiVersion: v1, kind: Namespace, metadata: {name: team}}");
  EXPECT_TRUE(server->Get(api::kServiceAccounts, {"team", "default"}));
  EXPECT_TRUE(server->Get(api::kConfigMaps, {"team", "kube-root-ca.crt"}));
  ASSERT_TRUE(server->Create(api::kPods, PodDoc("a", "team")));
  ASSERT_TRUE(server->Delete(api::kNamespaces, {"", "team"}));
  EXPECT_EQ((*server->Get(api::kNamespaces, {"", "team"}))["status"]["phase"].AsString(),
            "Terminating");
  EXPECT_EQ(server->Create(api::kPods, PodDoc("b", "team")).error().message(),
            "pods \"b\" is forbidden: unable to create new content in namespace team because it is "
            "being terminated");
  server.stepper.RunUntilIdle();
  EXPECT_TRUE(server->Get(api::kNamespaces, {"", "team"}).Is(ErrorCode::kNotFound));
  EXPECT_TRUE(server->Get(api::kPods, {"team", "a"}).Is(ErrorCode::kNotFound));
}

constexpr std::string_view kScaledCrd = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: things, kind: Thing}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
    subresources: {status: {}, scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}}
)";
const api::Resource kScaledThings{"example.com", "v1", "things", "Thing", true};

TEST(ApiServer, ServesCustomResources) {
  TestServer server;
  ASSERT_TRUE(server.server->InstallCrd(Doc(kScaledCrd)));
  ASSERT_TRUE(server.server->InstallCrd(Doc(kScaledCrd)));
  const json::Value thing = server.MustCreate(kScaledThings, R"(
{apiVersion: example.com/v1, kind: Thing, metadata: {name: t, namespace: default}, spec: {replicas: 2}}
)");
  EXPECT_EQ(kube::Generation(thing), 1);
  json::Value scale = *server->Get(kScaledThings, {"default", "t"}, {.subresource = "scale"});
  EXPECT_EQ(scale["spec"]["replicas"].AsInt(), 2);
  scale.Mutable("spec").Set("replicas", 5);
  ASSERT_TRUE(server->Update(kScaledThings, scale, {.subresource = "scale"}));
  EXPECT_EQ((*server->Get(kScaledThings, {"default", "t"}))["spec"]["replicas"].AsInt(), 5);
  ASSERT_TRUE(server->Delete(api::kCustomResourceDefinitions, {"", "things.example.com"}));
  server.stepper.RunUntilIdle();
  EXPECT_TRUE(server->Get(kScaledThings, {"default", "t"}).Is(ErrorCode::kNotFound));
  EXPECT_TRUE(server->Get(api::kCustomResourceDefinitions, {"", "things.example.com"})
                  .Is(ErrorCode::kNotFound));
}

TEST(ApiServer, GeneratesNames) {
  TestServer server;
  json::Value pod = PodDoc("");
  pod.Mutable("metadata").Erase("name");
  pod.Mutable("metadata").Set("generateName", "a-");
  const json::Value created = *server->Create(api::kPods, pod);
  EXPECT_EQ(kube::Name(created).substr(0, 2), "a-");
  EXPECT_EQ(kube::Name(created).size(), 7u);
}

TEST(ApiServer, DryRunWritesNothing) {
  TestServer server;
  ASSERT_TRUE(server->Create(api::kPods, PodDoc("a"), {.dry_run = true}));
  EXPECT_TRUE(server->Get(api::kPods, {"default", "a"}).Is(ErrorCode::kNotFound));
}

TEST(ApiServer, Discovers) {
  TestServer server;
  EXPECT_EQ((*server->GetPath("/version"))["minor"].AsString(), "35");
  EXPECT_EQ((*server->GetPath("/apis/apps/v1"))["groupVersion"].AsString(), "apps/v1");
  EXPECT_TRUE(server->GetPath("/apis/nothing/v1").Is(ErrorCode::kNotFound));
}

}  // namespace
}  // namespace coppice::server
