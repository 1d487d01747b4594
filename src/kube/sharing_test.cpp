#include "kube/sharing.h"

#include <gtest/gtest.h>

#include "json/parse.h"
#include "json/write.h"

namespace coppice::kube {
namespace {

using json::Value;

Value Json(std::string_view text) { return *json::Parse(text); }

TEST(SharingPool, EqualPartsBecomeOne) {
  SharingPool pool;
  const Value a =
      pool.Share(Json(R"({"name":"a","spec":{"image":"a long image name","l":[1,2]}})"));
  const Value b =
      pool.Share(Json(R"({"name":"b","spec":{"image":"a long image name","l":[1,2]}})"));
  EXPECT_TRUE(a["spec"].SameAs(b["spec"]));
  EXPECT_FALSE(a.SameAs(b));
  EXPECT_EQ(json::Write(b), R"({"name":"b","spec":{"image":"a long image name","l":[1,2]}})");
}

TEST(SharingPool, DifferentPartsStayApart) {
  SharingPool pool;
  const Value a =
      pool.Share(Json(R"([{"x":1},{"x":1.5},{"x":"1"},{"x":true},{"x":null},{"y":1}])"));
  for (size_t i = 0; i < a.size(); ++i) {
    for (size_t j = i + 1; j < a.size(); ++j) EXPECT_FALSE(a.At(i).SameAs(a.At(j)));
  }
}

TEST(SharingPool, WritingToOneCopyDoesNotShowInTheOther) {
  SharingPool pool;
  Value a = pool.Share(Json(R"({"spec":{"n":1}})"));
  const Value b = pool.Share(Json(R"({"spec":{"n":1}})"));
  a.Mutable("spec").Set("n", 2);
  EXPECT_EQ(b["spec"]["n"].AsInt(), 1);
}

TEST(SharingPool, StaysBoundedAndKeepsWhatIsInUse) {
  SharingPool pool(100);
  const Value first = pool.Share(Json(R"({"template":"the one in use"})"));
  for (int i = 0; i < 1000; ++i) {
    pool.Share(Json(R"({"unique":"something unique )" + std::to_string(i) + R"("})"));
    const Value again = pool.Share(Json(R"({"template":"the one in use"})"));
    ASSERT_TRUE(again.SameAs(first));
  }
  EXPECT_LE(pool.size(), 200u);
}

}  // namespace
}  // namespace coppice::kube
