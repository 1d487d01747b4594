#include "kube/cache/packing/sharing.h"

#include <gtest/gtest.h>

#include "json/document_testing.h"
#include "json/write.h"

namespace coppice::kube {
namespace {

using json::Value;

using json::Doc;

TEST(SharingPool, EqualPartsBecomeOne) {
  SharingPool pool;
  const std::string_view first = R"({"name":"a","spec":{"c":{"image":"a long image","l":[1,2]}}})";
  const std::string_view second = R"({"name":"b","spec":{"c":{"image":"a long image","l":[1,2]}}})";
  const Value a = pool.Share(Doc(first));
  const Value b = pool.Share(Doc(second));
  EXPECT_TRUE(a["spec"]["c"].SameAs(b["spec"]["c"]));
  EXPECT_FALSE(a.SameAs(b));
  EXPECT_EQ(json::Write(a), first);
  EXPECT_EQ(json::Write(b), second);
}

TEST(SharingPool, DifferentPartsStayApart) {
  SharingPool pool;
  const Value parts = pool.Share(
      Doc(R"({"spec":[{"x":1},{"x":1.5},{"x":"1"},{"x":true},{"x":null},{"y":1}]})"))["spec"];
  for (size_t i = 0; i < parts.size(); ++i) {
    for (size_t j = i + 1; j < parts.size(); ++j) EXPECT_FALSE(parts.At(i).SameAs(parts.At(j)));
  }
}

TEST(SharingPool, WritingToOneCopyDoesNotShowInTheOther) {
  SharingPool pool;
  Value a = pool.Share(Doc(R"({"spec":{"t":{"n":1}}})"));
  const Value b = pool.Share(Doc(R"({"spec":{"t":{"n":1}}})"));
  ASSERT_TRUE(a["spec"]["t"].SameAs(b["spec"]["t"]));
  a.Mutable("spec").Mutable("t").Set("n", 2);
  EXPECT_EQ(b["spec"]["t"]["n"].AsInt(), 1);
}

TEST(SharingPool, StaysBoundedAndKeepsWhatIsInUse) {
  SharingPool pool(100);
  const std::string_view in_use = R"({"spec":{"t":{"template":"the one in use"}}})";
  const Value first = pool.Share(Doc(in_use));
  for (int i = 0; i < 1000; ++i) {
    pool.Share(Doc(R"({"unique":"something unique )" + std::to_string(i) + R"("})"));
    const Value again = pool.Share(Doc(in_use));
    ASSERT_TRUE(again["spec"]["t"].SameAs(first["spec"]["t"]));
  }
  EXPECT_LE(pool.size(), 200u);
}

}  // namespace
}  // namespace coppice::kube
