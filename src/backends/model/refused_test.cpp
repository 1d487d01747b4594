// A backend that may not read or write its scheduler's objects reports it, does not affect other
// backends, and continues when it may.
#include "backends/model/refused.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/well_known.h"
#include "backends/gangs/rbac.h"
#include "backends/tests/example_testing.h"
#include "backends/tests/world_testing.h"
#include "backends/volcano/volcano.h"
#include "kube/metrics.h"
#include "kube/object.h"
#include "server/api_server.h"

namespace coppice::backends {
namespace {

using json::Value;
using testing::HasSubstr;
using testing::StartsWith;

constexpr char kBoth[] = "{scheduler: {profiles: [{name: kai-scheduler}, {name: volcano}]}}";
const api::Resource kClusterRoles{"rbac.authorization.k8s.io", "v1", "clusterroles", "ClusterRole",
                                  false};

// Both backends in one process, with the permissions that the test grants.
class Refused : public ::testing::Test {
 protected:
  Refused() : world_({.projects = {"grove", "kai", "volcano"}, .config = kBoth}) {
    world_.manager->Stop();
    world_.Create(Yaml(
        "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: "
        "{name: backends}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, "
        "name: backends}, subjects: [{kind: ServiceAccount, namespace: ai, name: backends}]}"));
    OpenQueue(world_, "default");
    whole_ = MakeClusterRole(*world_.backends->current(), "backends");
  }
  ~Refused() override {
    if (manager_) manager_->Stop();
    world_.stepper.RunUntilIdle();
  }

  // All permissions except these verbs on resources of this group.
  static Value Without(const Value& role, std::string_view group,
                       const std::set<std::string>& verbs) {
    Value less = role;
    for (Value& rule : less.Mutable("rules").MutableItems()) {
      if (rule["apiGroups"].At(0).AsString() != group) continue;
      Value left = Value::Array();
      for (const Value& verb : rule["verbs"].Items()) {
        if (!verbs.contains(verb.ToString())) left.Append(verb);
      }
      if (left.empty()) left.Append("deletecollection");
      rule.Set("verbs", left);
    }
    return less;
  }

  void Start(const Value& role) {
    world_.Create(role);
    client_ =
        world_.server->NewClient(world_.stepper, server::User::ServiceAccount("ai", "backends"));
    manager_ = kube::Manager::Make(*client_, world_.stepper);
    backends_ = *MakeBackends(*manager_, world_.backends->current()->config());
    ASSERT_TRUE(AddToManager(*manager_, *backends_, {}).ok());
    manager_->Start();
    world_.RunFor(std::chrono::seconds(5));
  }
  void Give(const Value& role) {
    world_.Patch(kClusterRoles, "", "backends", Value::Object({{"rules", role["rules"]}}));
  }

  void CreateGang(const std::string& scheduler, const std::string& name) {
    Value gang = ExampleGang(scheduler);
    gang.Mutable("metadata").Set("name", name);
    // Topology does not matter here, and needs more from Volcano.
    gang.Mutable("spec").Erase("topologyConstraint");
    gang.Mutable("spec").Erase("topologyConstraintGroupConfigs");
    for (Value& group : gang.Mutable("spec").Mutable("podgroups").MutableItems()) {
      group.Erase("topologyConstraint");
    }
    world_.CreateGang(gang);
    world_.Initialize("ai", name);
    world_.RunFor(std::chrono::seconds(5));
  }
  std::string SyncedOf(const std::string& gang) {
    const Value& synced = kube::Condition(world_.Get(api::kPodGangs, "ai", gang), "BackendSynced");
    return fmt::format("{} {}: {}", synced["status"].AsString(), synced["reason"].AsString(),
                       synced["message"].AsString());
  }

  World world_;
  Value whole_;
  std::unique_ptr<kube::Client> client_;
  std::unique_ptr<kube::Manager> manager_;
  std::unique_ptr<Backends> backends_;
};

TEST_F(Refused, ReadingHoldsItsOwnGangsAlone) {
  ASSERT_NO_FATAL_FAILURE(
      Start(Without(whole_, "scheduling.volcano.sh", {"get", "list", "watch"})));
  EXPECT_TRUE(manager_->Synced()) << "ready all the same";
  CreateGang("volcano", "v-0");
  CreateGang("kai-scheduler", "k-0");
  EXPECT_THAT(SyncedOf("v-0"), testing::AllOf(StartsWith("False BackendUnavailable"),
                                              HasSubstr("is forbidden: User")));
  EXPECT_THAT(SyncedOf("k-0"), StartsWith("True "));
  EXPECT_THAT(manager_->runtime().metrics.Text(),
              testing::AllOf(HasSubstr("coppice_backend_available{backend=\"volcano\"} 0"),
                             HasSubstr("coppice_backend_available{backend=\"kai\"} 1")));
  Give(whole_);
  world_.RunFor(std::chrono::minutes(1));
  EXPECT_THAT(SyncedOf("v-0"), StartsWith("True "));
  EXPECT_THAT(manager_->runtime().metrics.Text(),
              HasSubstr("coppice_backend_available{backend=\"volcano\"} 1"));
}

TEST_F(Refused, WritingIsToldWithTheServersWords) {
  ASSERT_NO_FATAL_FAILURE(Start(Without(whole_, "scheduling.volcano.sh", {"create", "patch"})));
  CreateGang("volcano", "v-0");
  CreateGang("kai-scheduler", "k-0");
  EXPECT_THAT(SyncedOf("v-0"),
              testing::AllOf(StartsWith("False RejectedByAPI"), HasSubstr("is forbidden")));
  EXPECT_THAT(SyncedOf("k-0"), StartsWith("True "));
  Give(whole_);
  world_.RunFor(std::chrono::minutes(1));
  EXPECT_THAT(SyncedOf("v-0"), StartsWith("True "));
}

// As after an upgrade of the scheduler to one that only serves a newer version.
TEST_F(Refused, AVersionThatIsNotServedAnyMoreHoldsItsOwnGangsAlone) {
  ASSERT_NO_FATAL_FAILURE(Start(whole_));
  CreateGang("volcano", "v-0");
  ASSERT_THAT(SyncedOf("v-0"), StartsWith("True "));
  const std::string name = volcano::kPodGroups.QualifiedName();
  const Value versions = world_.Get(api::kCustomResourceDefinitions, "", name)["spec"]["versions"];
  Value old = versions.At(0), newer = versions.At(0);
  ASSERT_EQ(old["name"].AsString(), "v1beta1");
  old.Set("served", false);
  newer.Set("name", "v1").Set("storage", false);
  const auto serve = [&](const Value& list) {
    world_.Patch(api::kCustomResourceDefinitions, "", name,
                 Value::Object({{"spec", Value::Object({{"versions", list}})}}));
    world_.RunFor(std::chrono::minutes(1));
  };
  serve(Value::Array({old, newer}));
  EXPECT_THAT(SyncedOf("v-0"), StartsWith("False BackendUnavailable"));
  CreateGang("kai-scheduler", "k-0");
  EXPECT_THAT(SyncedOf("k-0"), StartsWith("True "));
  EXPECT_TRUE(manager_->Synced());
  serve(versions);
  EXPECT_THAT(SyncedOf("v-0"), StartsWith("True "));
}

}  // namespace
}  // namespace coppice::backends
