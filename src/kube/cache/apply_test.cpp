#include "kube/cache/apply.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/well_known.h"
#include "json/document_testing.h"
#include "json/write.h"
#include "kube/cache/informer.h"
#include "kube/client/fake_client_testing.h"
#include "kube/executor/stepper.h"
#include "kube/object.h"

namespace coppice::kube {
namespace {

using base::ErrorCode;
using json::Value;

const ObjectKey kAppliedKey{"ns", "a"};

using json::Doc;

std::string PatchText(std::string_view before, std::string_view after) {
  return json::Write(MergePatchBetween(Doc(before), Doc(after)));
}

TEST(MergePatchBetween, HoldsOnlyWhatDiffers) {
  EXPECT_EQ(PatchText(R"({"a":1,"b":{"c":2}})", R"({"a":1,"b":{"c":2}})"), "{}");
  EXPECT_EQ(PatchText(R"({"a":1,"b":{"c":2,"d":3}})", R"({"a":1,"b":{"c":9,"d":3}})"),
            R"({"b":{"c":9}})");
  EXPECT_EQ(PatchText(R"({"a":1,"b":{"c":2}})", R"({"b":{}})"), R"({"a":null,"b":{"c":null}})");
  EXPECT_EQ(PatchText(R"({"a":[1,2]})", R"({"a":[1,3]})"), R"({"a":[1,3]})");
  EXPECT_EQ(PatchText(R"({"a":{"b":1}})", R"({"a":5})"), R"({"a":5})");
  EXPECT_EQ(PatchText(R"({})", R"({"a":{"b":null,"c":1}})"), R"({"a":{"c":1}})");
  EXPECT_EQ(PatchText(R"({"a":1})", R"({"a":null})"), R"({"a":null})");
}

struct ApplyTest : testing::Test {
  FakeClient client;

  Mutate SetText(std::string text) {
    return [text = std::move(text)](Value& object) -> base::Status {
      object.Mutable("data").Set("text", text);
      return {};
    };
  }
  Value Make(std::string_view text) {
    const Value object =
        NewObject(api::kConfigMaps, "ns", "a").Set("data", Value::Object({{"text", text}}));
    return *client.Create(api::kConfigMaps, object);
  }
  std::string TextNow() {
    return client.Get(api::kConfigMaps, kAppliedKey).value()["data"]["text"].ToString();
  }
  // Another writer gets in between.
  void Touch() {
    ASSERT_TRUE(
        Modify(client, api::kConfigMaps, kAppliedKey, [n = ++touches](Value& o) -> base::Status {
          o.Mutable("metadata").Mutable("labels").Set("touched", std::to_string(n));
          return {};
        }));
  }
  int touches = 0;
};

TEST_F(ApplyTest, CreatesThenPatchesThenWritesNothing) {
  const auto apply = [&](std::string text) {
    return *CreateOrPatch(client, api::kConfigMaps, kAppliedKey, nullptr, SetText(std::move(text)));
  };
  EXPECT_EQ(apply("x").written, Written::kCreated);
  EXPECT_EQ(apply("y").written, Written::kPatched);
  EXPECT_EQ(TextNow(), "y");
  const Applied again = apply("y");
  EXPECT_EQ(again.written, Written::kNothing);
  EXPECT_EQ(again.object["data"]["text"].AsString(), "y");
}

TEST_F(ApplyTest, RetriesWhenAnotherWriterGetsInBetween) {
  Make("x");
  int calls = 0;
  const auto applied = CreateOrPatch(client, api::kConfigMaps, kAppliedKey, nullptr,
                                     [&](Value& object) -> base::Status {
                                       if (++calls == 1) Touch();
                                       return SetText("mine")(object);
                                     });
  ASSERT_TRUE(applied);
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(TextNow(), "mine");
  EXPECT_EQ(Label(applied->object, "touched"), "1");
}

TEST_F(ApplyTest, GivesUpWhenConflictsDoNotEnd) {
  Make("x");
  const auto applied =
      Modify(client, api::kConfigMaps, kAppliedKey, [&](Value& object) -> base::Status {
        const auto other = client.Patch(api::kConfigMaps, kAppliedKey, PatchType::kMerge,
                                        Value::Object({{"n", ++touches}}));
        EXPECT_TRUE(other);
        return SetText("never")(object);
      });
  EXPECT_TRUE(applied.Is(ErrorCode::kConflict));
  EXPECT_EQ(touches, kConflictAttempts);
}

TEST_F(ApplyTest, LaggingCacheIsBypassed) {
  Stepper stepper;
  ReflectedInformer informer(client, stepper, api::kConfigMaps, {});
  informer.Start({});
  stepper.RunUntilIdle();
  Make("x");  // The informer has not heard of it yet.
  const auto applied =
      CreateOrPatch(client, api::kConfigMaps, kAppliedKey, &informer, SetText("y"));
  ASSERT_TRUE(applied);
  EXPECT_EQ(applied->written, Written::kPatched);
  stepper.RunUntilIdle();
  ASSERT_TRUE(client.Delete(api::kConfigMaps, kAppliedKey));
  const auto remade = CreateOrPatch(client, api::kConfigMaps, kAppliedKey, &informer, SetText("z"));
  ASSERT_TRUE(remade);
  EXPECT_EQ(remade->written, Written::kCreated);
}

TEST_F(ApplyTest, ErrorOfTheMutationEndsIt) {
  const auto refuse = [](Value&) -> base::Status { return base::Internal("no"); };
  EXPECT_TRUE(CreateOrPatch(client, api::kConfigMaps, kAppliedKey, nullptr, refuse)
                  .Is(ErrorCode::kInternal));
  EXPECT_TRUE(client.Get(api::kConfigMaps, kAppliedKey).Is(ErrorCode::kNotFound));
}

TEST_F(ApplyTest, StatusIsPatchedOnlyWhenItDiffersAndOnlyOnTheVersionSeen) {
  const Value object = Make("x");
  const Value status = Value::Object({{"ready", 1}});
  const auto first = PatchStatus(client, api::kConfigMaps, object, status);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->written, Written::kPatched);
  EXPECT_EQ(PatchStatus(client, api::kConfigMaps, first->object, status)->written,
            Written::kNothing);
  const Value other = Value::Object({{"ready", 2}});
  EXPECT_TRUE(PatchStatus(client, api::kConfigMaps, object, other).Is(ErrorCode::kConflict));
}

TEST_F(ApplyTest, FinalizersOfOthersStay) {
  Value object = Make("x");
  object = AddFinalizer(client, api::kConfigMaps, object, "theirs")->object;
  const Value stale = object;
  object = AddFinalizer(client, api::kConfigMaps, object, "ours")->object;
  EXPECT_EQ(AddFinalizer(client, api::kConfigMaps, object, "ours")->written, Written::kNothing);
  // Decided on an old version, which does not show ours yet: others must survive.
  Touch();
  ASSERT_TRUE(RemoveFinalizer(client, api::kConfigMaps, object, "ours"));
  const Value now = client.Get(api::kConfigMaps, kAppliedKey).value();
  EXPECT_EQ(json::Write(now["metadata"]["finalizers"]), R"(["theirs"])");
  ASSERT_TRUE(RemoveFinalizer(client, api::kConfigMaps, now, "theirs"));
  EXPECT_FALSE(client.Get(api::kConfigMaps, kAppliedKey).value()["metadata"].Has("finalizers"));
  ASSERT_TRUE(client.Delete(api::kConfigMaps, kAppliedKey));
  EXPECT_TRUE(RemoveFinalizer(client, api::kConfigMaps, stale, "theirs"));
}

TEST_F(ApplyTest, FinalizerIsNotAddedToASuccessorOfTheSameName) {
  const Value old = Make("x");
  ASSERT_TRUE(client.Delete(api::kConfigMaps, kAppliedKey));
  Make("y");
  EXPECT_TRUE(AddFinalizer(client, api::kConfigMaps, old, "ours").Is(ErrorCode::kConflict));
}

TEST_F(ApplyTest, DeletesExactlyThatObject) {
  const Value old = Make("x");
  EXPECT_TRUE(DeleteObject(client, api::kConfigMaps, old));
  EXPECT_TRUE(DeleteObject(client, api::kConfigMaps, old));
  Make("y");
  EXPECT_TRUE(DeleteObject(client, api::kConfigMaps, old));
  EXPECT_EQ(TextNow(), "y");
}

}  // namespace
}  // namespace coppice::kube
