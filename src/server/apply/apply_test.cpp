#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/well_known.h"
#include "json/write.h"
#include "kube/object.h"
#include "server/apply/field_set.h"
#include "server/server_testing.h"

namespace coppice::server {
namespace {

using base::ErrorCode;

json::Value Deployment(std::string_view spec) {
  json::Value object = Doc(R"(
apiVersion: apps/v1
kind: Deployment
metadata: {name: d, namespace: default}
)");
  return object.Set("spec", Doc(spec));
}

constexpr std::string_view kBase = R"({replicas: 2, selector: {matchLabels: {app: a}}, template: {
  metadata: {labels: {app: a}}, spec: {containers: [{name: main, image: one}]}}})";

class ApplyTest : public testing::Test {
 protected:
  base::Result<json::Value> Apply(const json::Value& object, std::string manager,
                                  bool force = false) {
    return server_->Patch(api::kDeployments, {"default", "d"}, kube::PatchType::kApply, object,
                          {.field_manager = std::move(manager), .force = force});
  }
  json::Value Get() { return *server_->Get(api::kDeployments, {"default", "d"}); }

  // Who owns what, as "manager operation {fields}".
  std::vector<std::string> Owners() {
    std::vector<std::string> owners;
    for (const json::Value& entry : Get()["metadata"]["managedFields"].Items()) {
      owners.push_back(entry["manager"].ToString() + " " + entry["operation"].ToString() + " " +
                       json::Write(entry["fieldsV1"]));
    }
    return owners;
  }

  TestServer server_;
};

TEST_F(ApplyTest, CreatesAndOwnsWhatItNames) {
  ASSERT_TRUE(Apply(Deployment(kBase), "me"));
  EXPECT_THAT(
      Owners(),
      testing::ElementsAre(
          R"(me Apply {"f:spec":{"f:replicas":{},"f:selector":{},"f:template":{"f:metadata":{"f:labels":)"
          R"({"f:app":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"main\"}":{".":{},"f:image":{},"f:name":{}}}}}}})"));
}

TEST_F(ApplyTest, ApplyingTheSameAgainWritesNothing) {
  const json::Value first = *Apply(Deployment(kBase), "me");
  EXPECT_EQ(*Apply(Deployment(kBase), "me"), first);
}

TEST_F(ApplyTest, FieldsNoLongerAppliedAreRemoved) {
  json::Value more = Deployment(kBase);
  more.Mutable("metadata").Set("labels", Doc("{x: '1', z: '2'}"));
  ASSERT_TRUE(Apply(more, "me"));
  more.Mutable("metadata").Set("labels", Doc("{x: '1'}"));
  ASSERT_TRUE(Apply(more, "me"));
  EXPECT_EQ(Get()["metadata"]["labels"], Doc("{x: '1'}"));
}

TEST_F(ApplyTest, SharedFieldsStayUntilTheLastOwnerLetsGo) {
  json::Value labelled = Deployment(kBase);
  labelled.Mutable("metadata").Set("labels", Doc("{x: '1'}"));
  ASSERT_TRUE(Apply(labelled, "me"));
  ASSERT_TRUE(Apply(labelled, "you"));
  ASSERT_TRUE(Apply(Deployment(kBase), "me"));
  EXPECT_EQ(kube::Label(Get(), "x"), "1");
  ASSERT_TRUE(Apply(Deployment(kBase), "you"));
  EXPECT_EQ(kube::Label(Get(), "x"), "");
}

TEST_F(ApplyTest, ChangingAnothersFieldIsAConflictUnlessForced) {
  ASSERT_TRUE(Apply(Deployment(kBase), "me"));
  json::Value scaled = Deployment("{replicas: 5}");
  const auto refused = Apply(scaled, "you");
  ASSERT_TRUE(refused.Is(ErrorCode::kConflict));
  EXPECT_EQ(refused.error().message(),
            "Apply failed with 1 conflict: conflict with \"me\": .spec.replicas");
  ASSERT_EQ(refused.error().causes().size(), 1u);
  EXPECT_EQ(refused.error().causes()[0].field, ".spec.replicas");
  ASSERT_TRUE(Apply(scaled, "you", true));
  EXPECT_EQ(Get()["spec"]["replicas"].AsInt(), 5);
  const auto back = Apply(Deployment(kBase), "me");
  EXPECT_TRUE(back.Is(ErrorCode::kConflict));
}

TEST_F(ApplyTest, UpdatesTakeOwnershipAndConflictsNameThem) {
  ASSERT_TRUE(Apply(Deployment(kBase), "me"));
  ASSERT_TRUE(server_->Patch(api::kDeployments, {"default", "d"}, kube::PatchType::kMerge,
                             Doc("{spec: {replicas: 7}}"), {.field_manager = "scaler"}));
  const auto refused = Apply(Deployment(kBase), "me");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(),
            "Apply failed with 1 conflict: conflict with \"scaler\" using apps/v1: .spec.replicas");
}

TEST_F(ApplyTest, ListItemsMergeByTheirKey) {
  ASSERT_TRUE(Apply(Deployment(kBase), "me"));
  json::Value sidecar = Deployment("{template: {spec: {containers: [{name: side, image: two}]}}}");
  ASSERT_TRUE(Apply(sidecar, "you"));
  json::Value spec = Get()["spec"]["template"]["spec"];
  ASSERT_EQ(spec["containers"].size(), 2u);
  EXPECT_EQ(spec["containers"].At(0)["name"].AsString(), "main");
  EXPECT_EQ(spec["containers"].At(1)["image"].AsString(), "two");
  ASSERT_TRUE(Apply(Deployment("{}"), "you"));
  spec = Get()["spec"]["template"]["spec"];
  ASSERT_EQ(spec["containers"].size(), 1u);
  EXPECT_EQ(spec["containers"].At(0)["name"].AsString(), "main");
}

TEST_F(ApplyTest, NeedsAManager) {
  EXPECT_TRUE(Apply(Deployment(kBase), "").Is(ErrorCode::kInvalid));
}

TEST_F(ApplyTest, StatusIsOwnedApart) {
  ASSERT_TRUE(Apply(Deployment(kBase), "me"));
  json::Value status = Deployment(kBase);
  status.Set("status", Doc("{observedGeneration: 1}"));
  ASSERT_TRUE(server_->Patch(api::kDeployments, {"default", "d"}, kube::PatchType::kApply, status,
                             {.subresource = "status", .field_manager = "me"}));
  EXPECT_THAT(Owners(), testing::Contains(R"(me Apply {"f:status":{"f:observedGeneration":{}}})"));
  EXPECT_EQ(Get()["status"]["observedGeneration"].AsInt(), 1);
}

TEST(FieldSet, ReadsWhatItWrites) {
  const json::Value fields = Doc(R"({"f:a": {".": {}, "f:b": {}}, "f:c": {"k:{\"n\":1}": {}}})");
  EXPECT_EQ(FieldSet::FromJson(fields).ToJson(), fields);
  EXPECT_THAT(FieldSet::FromJson(fields).Paths(), testing::ElementsAre(".a", ".a.b", ".c[n=1]"));
}

}  // namespace
}  // namespace coppice::server
