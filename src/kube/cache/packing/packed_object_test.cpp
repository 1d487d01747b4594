#include "kube/cache/packing/packed_object.h"

#include <gtest/gtest.h>

#include "json/parse.h"
#include "json/write.h"
#include "kube/cache/object_set.h"
#include "kube/cache/packing/realistic_pod_testing.h"
#include "kube/cache/packing/trim.h"

namespace coppice::kube {
namespace {

json::Value RealisticPod(int i, const std::string& node) {
  return *json::Parse(fmt::format(
      R"({{"apiVersion":"v1","kind":"RealisticPod","metadata":{{{},"uid":"{}"}},"spec":{},"status":{}}})",
      RealisticPodMetadata(i), i, RealisticPodSpec(i, node), RealisticPodStatus(i)));
}

TEST(PackedObject, IsTheObjectAgain) {
  ObjectPacker packer;
  for (const json::Value& object :
       {RealisticPod(1, "n1"), RealisticPod(2, ""), *json::Parse(R"({"metadata": {"name": "a"}})"),
        *json::Parse(R"({"metadata": {"name": "a"}, "spec": {"nodeName": null}, "status": {}})"),
        *json::Parse(R"({"metadata": null, "spec": 3})")}) {
    EXPECT_EQ(json::Write(packer.Pack(object).Unpack()), json::Write(object));
  }
}

TEST(PackedObject, PodsOfOneTemplateShareTheirBase) {
  ObjectPacker packer;
  const auto pack = [&](int i) { return packer.Pack(WithCommonTokenName(RealisticPod(i, "n1"))); };
  const PackedObject one = pack(1), other = pack(2);
  EXPECT_TRUE(one.base.SameAs(other.base));
  // Another owner, whose name is in the labels.
  EXPECT_FALSE(one.base.SameAs(pack(101).base));
}

TEST(PackedObject, TokensOfAllPodsHaveOneName) {
  const json::Value one = WithCommonTokenName(RealisticPod(1, "n1"));
  const json::Value other = WithCommonTokenName(RealisticPod(2, "n1"));
  EXPECT_EQ(one["spec"]["volumes"], other["spec"]["volumes"]);
  EXPECT_EQ(one["spec"]["containers"].At(0)["volumeMounts"],
            other["spec"]["containers"].At(0)["volumeMounts"]);
  EXPECT_EQ(one["spec"]["containers"].At(0)["volumeMounts"].At(1)["name"],
            one["spec"]["volumes"].At(0)["name"]);
  const json::Value without = *json::Parse(R"({"spec": {"volumes": [{"name": "data"}]}})");
  EXPECT_TRUE(WithCommonTokenName(without).SameAs(without));
}

TEST(PackedObject, ASetFindsWhatItHolds) {
  ObjectSet set(true);
  for (int i = 0; i < 20; ++i) set.Put(RealisticPod(i, "n1"));
  set.Put(RealisticPod(7, "n2"));
  EXPECT_EQ(set.size(), 20u);
  const ObjectSet::Slot* found = set.Find({RealisticPodNamespace(7), RealisticPodName(7)});
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(json::Write(found->object()), json::Write(RealisticPod(7, "n2")));
  set.Erase(*found);
  EXPECT_EQ(set.Find({RealisticPodNamespace(7), RealisticPodName(7)}), nullptr);
}

}  // namespace
}  // namespace coppice::kube
