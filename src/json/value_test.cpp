#include "json/value.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "json/document_testing.h"
#include "json/parse.h"
#include "json/text_size.h"
#include "json/write.h"

namespace coppice::json {
namespace {

TEST(Value, AMembersTextMayBeTheKeyOfANewOne) {
  Value value = Value::Object({{"a", "first"}});
  for (int i = 0; i < 20; ++i) {  // Growing again and again.
    value.Mutable(value["a"].AsString());
    EXPECT_TRUE(value.Erase("first"));
    value.Set("k" + std::to_string(i), i);
  }
  EXPECT_EQ(value.size(), 21u);
  value.Mutable(value["a"].AsString()) = 1;
  EXPECT_EQ(value["first"].AsInt(), 1);
}

TEST(Value, MembersAreInTheOrderOfTheirNamesWhateverTheirLength) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    Value one_by_one = Value::Object();
    std::vector<Member> members;
    for (int i = 0; i < 30; ++i) {
      // Few letters, so that names begin alike; also such as compare below and above all others.
      std::string name(random() % 20, 'a');
      for (char& c : name) c = std::string_view("ab\x00\xff", 4)[random() % 4];
      one_by_one.Set(name, i);
      members.push_back({Value(name), i});
    }
    const Value at_once = Value::Object(std::move(members));
    EXPECT_EQ(at_once, one_by_one);
    EXPECT_TRUE(std::ranges::is_sorted(at_once.Members(), {}, &Member::name));
    EXPECT_TRUE(std::ranges::is_sorted(one_by_one.Members(), {}, &Member::name));
    for (const Member& member : at_once.Members()) {
      EXPECT_TRUE(one_by_one[member.name()].SameAs(member.value));
    }
  }
}

// Short names are compared as two words: every length has its own way there.
TEST(Value, MembersAreFoundWhateverTheLengthOfTheirNames) {
  const std::string alphabet = "abcdefghijklmnopqrst";
  for (size_t length = 0; length <= alphabet.size(); ++length) {
    const std::string name = alphabet.substr(0, length);
    Value object = Value::Object();
    object.Set(name, 1);
    EXPECT_EQ(object[name].AsInt(), 1) << name;
    EXPECT_FALSE(object.Has(name + "z")) << name;
    for (size_t i = 0; i < length; ++i) {
      std::string other = name;
      other[i] = 'Z';
      EXPECT_FALSE(object.Has(other)) << other;
    }
    if (length == 0) continue;
    EXPECT_FALSE(object.Has(name.substr(1))) << name;
    EXPECT_FALSE(object.Has(name.substr(0, length - 1))) << name;
  }
}

// As many as a request can hold, each of them twice.
TEST(Value, OfKeysThatOccurTwiceTheLastStays) {
  std::vector<Member> members;
  for (int i = 0; i < 200'000; ++i) {
    members.push_back({"k" + std::to_string(i), i});
    members.push_back({"k" + std::to_string(i), -i});
  }
  const auto start = std::chrono::steady_clock::now();
  const Value object = Value::Object(std::move(members));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  EXPECT_EQ(object.size(), 200'000u);
  for (const int i : {0, 1, 77'777, 199'999}) {
    EXPECT_EQ(object["k" + std::to_string(i)].AsInt(), -i);
  }
}

TEST(Value, ReadsMissingAndWrongTypesAsNothing) {
  const Value pod = Doc(R"({"spec":{"nodeName":"n1","list":[1,2]}})");
  EXPECT_EQ(pod["spec"]["nodeName"].AsString(), "n1");
  EXPECT_TRUE(pod["status"]["phase"].IsNull());
  EXPECT_EQ(pod["spec"]["nodeName"].AsInt(7), 7);
  EXPECT_EQ(pod["spec"]["list"].At(1).AsInt(), 2);
  EXPECT_TRUE(pod["spec"]["list"].At(5).IsNull());
}

TEST(Value, WritingOneCopyLeavesTheOther) {
  const Value a =
      Doc(R"({"metadata":{"labels":{"x":"a long enough string to live on the heap"}}})");
  Value b = a;
  b.Mutable("metadata").Mutable("labels").Set("x", "other");
  EXPECT_EQ(a["metadata"]["labels"]["x"].AsString(), "a long enough string to live on the heap");
  EXPECT_EQ(b["metadata"]["labels"]["x"].AsString(), "other");
  EXPECT_FALSE(a == b);
}

TEST(Value, EmptyObjectsCostNothingAndAreTheirOwnWhenWrittenTo) {
  Value a = Value::Object();
  Value b = Doc("{}");
  EXPECT_TRUE(a.SameAs(b));
  a.Set("x", 1);
  b.MutableMembers().push_back({Value("y"), 2});
  EXPECT_EQ(Write(a), R"({"x":1})");
  EXPECT_EQ(Write(b), R"({"y":2})");
  EXPECT_TRUE(Value::Object().empty());
}

TEST(Value, AssigningAPartOfItselfWorks) {
  Value a = Doc(R"({"inner":{"deep":[1,2,3]}})");
  a = a["inner"];
  EXPECT_EQ(Write(a), R"({"deep":[1,2,3]})");
}

TEST(Value, EqualityIgnoresKeyOrderAndNumberForm) {
  EXPECT_EQ(Doc(R"({"b":1,"a":[true,null]})"), Doc(R"({"a":[true,null],"b":1.0})"));
  EXPECT_FALSE(Doc("1") == Doc("true"));
  EXPECT_FALSE(Doc("null") == Doc("{}"));
}

TEST(Value, EraseAndDefaults) {
  Value v = Value::Object({{"a", 1}, {"b", 2}});
  EXPECT_TRUE(v.Erase("a"));
  EXPECT_FALSE(v.Erase("a"));
  v.SetDefault("b", 3).SetDefault("c", Value::Array({1}));
  EXPECT_EQ(Write(v), R"({"b":2,"c":[1]})");
}

TEST(TextSize, IsAboutTheLengthOfTheText) {
  const std::string text =
      R"({"a":"a short text","b":[1,true,null,{"c":{}}],"d":"12345678901234567890"})";
  const Value value = *Parse(text);
  const TextSize size = SizeAsText(value, 1000);
  EXPECT_NEAR(static_cast<double>(size.bytes), static_cast<double>(text.size()), 20);
  EXPECT_EQ(size.depth, 4U);
  EXPECT_GT(SizeAsText(value, 10).bytes, 10U);
  EXPECT_EQ(SizeAsText(Value(1), 10).depth, 1U);
}

TEST(TextSize, IsTheSameWhenOnlyTheDifferenceIsMeasured) {
  const Value before =
      *Parse(R"({"a":{"x":"12345678901234567890"},"b":[1,{"y":2}],"c":"c","e":{}})");
  for (const char* text : {R"({"a":{"x":"12345678901234567890"},"b":[1,{"y":2}],"c":"c","e":{}})",
                           R"({"a":{"x":"1","z":[]},"b":[1],"c":{"d":{}},"d":5})",
                           R"({"0":true,"b":[1,{"y":[3]},4],"f":"f"})", R"([1])", R"({})"}) {
    const Value value = *Parse(text);
    const size_t size = SizeAsText(value, 1000).bytes;
    EXPECT_EQ(SizeAsText(value, before, SizeAsText(before, 1000).bytes, 1000).bytes, size) << text;
  }
  Value changed = before;
  changed.Mutable("a").Set("deep", *Parse("[[[]]]"));
  EXPECT_EQ(SizeAsText(changed, before, SizeAsText(before, 1000).bytes, 1000).depth, 5U);
  EXPECT_GT(SizeAsText(changed, before, SizeAsText(before, 1000).bytes, 20).bytes, 20U);
}

TEST(Parse, LastDuplicateWinsAndIsReported) {
  std::vector<std::string> duplicates;
  const Value v = *Parse(R"({"m":{"a":1,"b":2,"a":3}})", {.duplicates = &duplicates});
  EXPECT_EQ(Write(v), R"({"m":{"a":3,"b":2}})");
  EXPECT_EQ(duplicates, std::vector<std::string>{"m.a"});
}

TEST(Parse, RefusesBadInput) {
  for (std::string text : {std::string("{"), std::string("[1,]"), std::string("{\"a\":\xff}"),
                           std::string(""), std::string(600, '['), std::string("1 2")}) {
    EXPECT_FALSE(Parse(text).ok()) << text;
  }
}

TEST(Write, HugeNumbersReadBack) {
  const Value huge = Doc("1515555555555555555511.15");
  const auto again = Parse(Write(huge));
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, huge);
}

TEST(Write, EscapesAndRoundTrips) {
  const std::string text = R"({"a":"q\"\\\n\u0001","b":[1.5,-2,1e+300,{}],"c":[]})";
  EXPECT_EQ(Write(Doc(text)), text);
  EXPECT_EQ(Doc(WritePretty(Doc(text))), Doc(text));
}

}  // namespace
}  // namespace coppice::json
