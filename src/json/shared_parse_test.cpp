#include "json/shared_parse.h"

#include <gtest/gtest.h>

#include <random>

#include "json/parse.h"
#include "json/write.h"

namespace coppice::json {
namespace {

Value Shared(std::string_view text, PartPool& pool, const SharedParseOptions& options = {}) {
  auto value = ParseShared(text, pool, options);
  EXPECT_TRUE(value) << text;
  return value ? *value : Value();
}

TEST(ParseShared, ReadsWhatParseReads) {
  PartPool pool;
  for (const char* text : {
           "null",
           "true",
           "-17",
           "18446744073709551615",
           "1.5e3",
           R"("text")",
           R"("a longer text than fits, with \"escapes\" and \u00e9")",
           "[]",
           "{}",
           R"([1,[2,[3,[4,{"a":[5]}]]]])",
           R"({"b":1,"a":{"y":[{"z":null,"x":true}],"x":{}},"c":[{"deep":{"er":[[]]}}]})",
           R"({"same":1,"same":2})",
           R"( { "spaced" : [ 1 , 2 ] , "out" : { "a" : { "b" : { "c" : "d" } } } } )",
       }) {
    const Value expected = *Parse(text);
    for (int round = 0; round < 3; ++round) {
      EXPECT_EQ(Shared(text, pool), expected) << text << " in round " << round;
    }
  }
}

TEST(ParseShared, RefusesWhatParseRefuses) {
  PartPool pool;
  for (const char* text :
       {"", "{", R"({"a":})", "[1,]", R"({"a":1}x)", "\"\xff\"", R"({"a":"\q"})", "nul"}) {
    const auto refused = ParseShared(text, pool);
    ASSERT_FALSE(refused) << text;
    EXPECT_EQ(refused.error().message(), Parse(text).error().message());
  }
  const std::string deep = std::string(600, '[') + std::string(600, ']');
  EXPECT_FALSE(ParseShared(deep, pool));
}

TEST(ParseShared, EqualPartsAreOne) {
  PartPool pool;
  const char* text =
      R"({"spec":{"tolerations":[{"key":"a"}],"name":"%s"},"image":"a long name of an image"})";
  const Value a = Shared(text, pool);
  const Value b = Shared(text, pool);
  EXPECT_FALSE(a["spec"].SameAs(b["spec"])) << "parts near the root are not looked up";
  EXPECT_TRUE(a["spec"]["tolerations"].SameAs(b["spec"]["tolerations"]));
  EXPECT_TRUE(a["image"].SameAs(b["image"]));
}

TEST(ParseShared, LooksBelowTheObjectsOfAList) {
  PartPool pool;
  const Value list =
      Shared(R"({"items":[{"spec":{"a":[1]},"m":{"n":"x"}},{"spec":{"a":[1]},"m":{"n":"y"}}]})",
             pool, {.root_depth = 2});
  EXPECT_TRUE(list["items"].At(0)["spec"]["a"].SameAs(list["items"].At(1)["spec"]["a"]));
  EXPECT_EQ(list["items"].At(1)["m"]["n"].AsString(), "y");
}

TEST(ParseShared, LargePartsAreSharedFromTheThirdOn) {
  PartPool pool;
  const std::string text = R"({"a":{"b":{"long":")" + std::string(1000, 'x') + R"("}}})";
  const Value first = Shared(text, pool);
  const Value second = Shared(text, pool);
  const Value third = Shared(text, pool);
  EXPECT_FALSE(first["a"]["b"].SameAs(second["a"]["b"]));
  EXPECT_TRUE(second["a"]["b"].SameAs(third["a"]["b"]));
}

TEST(ParseShared, LeavesOutManagedFields) {
  PartPool pool;
  const Value value = Shared(R"({"metadata":{"managedFields":[{"manager":"x"}],"name":"a"}})", pool,
                             {.drop_managed_fields = true});
  EXPECT_EQ(Write(value), R"({"metadata":{"name":"a"}})");
}

// Damaged texts: what one parser takes the other takes, and reads alike.
TEST(ParseShared, AgreesWithParseOnDamagedTexts) {
  const std::string whole =
      R"({"items":[{"metadata":{"name":"a","labels":{"app":"x"},"uid":"\u00e9-0123456789abcdef"},)"
      R"("spec":{"list":[1,2.5,-3e2,true,null,{"k":"v"}],"map":{"a":{"b":[[],{}]}}}},)"
      R"({"metadata":{"name":"b","labels":{"app":"x"}},"spec":{"list":[1,2.5,-3e2]}}],"n":18446744073709551615})";
  std::mt19937 random(7);
  PartPool pool(64);
  int accepted = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text = whole;
    for (unsigned edits = random() % 3; edits > 0; --edits) {
      const size_t at = random() % text.size();
      static constexpr std::string_view kBytes = "{}[]\",:\\0x \xff";
      switch (random() % 3) {
        case 0:
          text[at] = kBytes[random() % kBytes.size()];
          break;
        case 1:
          text.erase(at, 1 + random() % 8);
          break;
        default:
          text.insert(at, text.substr(random() % text.size(), random() % 8));
      }
    }
    const auto expected = Parse(text);
    const auto got = ParseShared(text, pool, {.root_depth = static_cast<int>(random() % 3)});
    ASSERT_EQ(got.ok(), expected.ok()) << text;
    if (!expected) continue;
    ++accepted;
    ASSERT_EQ(*got, *expected) << text;
  }
  EXPECT_GT(accepted, 1000);
}

// More different parts than the pool has room for: newer ones take the place of older ones.
TEST(ParseShared, AFullPoolForgets) {
  PartPool pool(16);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 1000; ++i) {
      const std::string n = std::to_string(i);
      const std::string text =
          R"({"spec":{"part":{"n":)" + n + R"(,"s":"a string that is long )" + n + R"("}}})";
      EXPECT_EQ(Write(Shared(text, pool)), text);
    }
  }
}

}  // namespace
}  // namespace coppice::json
