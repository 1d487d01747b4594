#include "services/grouper/karta/jq.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "json/parse.h"
#include "json/write.h"

namespace coppice::services::grouper {
namespace {

std::string Output(std::string_view expression, std::string_view input) {
  const auto jq = Jq::Parse(expression);
  if (!jq) return "parse: " + jq.error().message();
  const auto values = jq->Evaluate(*json::Parse(input));
  if (!values) return "error";
  std::string out;
  for (const json::Value& value : *values) out += (out.empty() ? "" : " ") + json::Write(value);
  return out;
}

TEST(JqTest, PathsPipesAndAlternatives) {
  EXPECT_EQ(Output(".a.b", R"({"a":{"b":1}})"), "1");
  EXPECT_EQ(Output(R"(.metadata.labels["x/y"])", R"({"metadata":{"labels":{"x/y":"v"}}})"),
            "\"v\"");
  EXPECT_EQ(Output(".a[]", R"({"a":[1,2]})"), "1 2");
  EXPECT_EQ(Output(".a[-1], .a[5]", R"({"a":[1,2]})"), "2 null");
  EXPECT_EQ(Output(".a.b // 3", "{}"), "3");
  EXPECT_EQ(Output(".a | .b", R"({"a":{"b":true}})"), "true");
  EXPECT_EQ(Output(".[\"a\"].b?", R"({"a":1})"), "");
  EXPECT_EQ(Output(".a.b", R"({"a":1})"), "error");
}

TEST(JqTest, Calculates) {
  EXPECT_EQ(Output(".a + 2 * 3", R"({"a":1})"), "7");
  EXPECT_EQ(Output("[.[].n] | add", R"([{"n":1},{"n":2.5}])"), "3.5");
  EXPECT_EQ(Output("(.a // 0) > 0 and .b == \"x\"", R"({"a":1,"b":"x"})"), "true");
  EXPECT_EQ(Output("if .a then 1 elif .b then 2 else 3 end", R"({"b":true})"), "2");
  EXPECT_EQ(Output("map(select(.n > 1)) | length", R"([{"n":1},{"n":2},{"n":3}])"), "2");
  EXPECT_EQ(Output("to_entries | map(.value.replicas) | max",
                   R"({"a":{"replicas":2},"b":{"replicas":7}})"),
            "7");
  EXPECT_EQ(Output("keys", R"({"b":1,"a":2})"), R"(["a","b"])");
  EXPECT_EQ(Output(".a | tonumber", R"({"a":"12"})"), "12");
  EXPECT_EQ(Output(".a | split(\"-\") | last", R"({"a":"x-y-3"})"), "\"3\"");
  EXPECT_EQ(Output("any(. > 2), all(. > 2)", "[1,3]"), "true false");
  EXPECT_EQ(Output("1 / 0", "{}"), "error");
}

TEST(JqTest, RefusesWhatRunsLongOrWrites) {
  for (const char* bad :
       {"del(.a)", "range(10)", "paths", "recurse", "walk(.)", "repeat(.)", "..", ".a = 1",
        ".a |= 1", ".a += 1", ".a //= 1", ".a[", "(.a", "nothing", "", "if . then 1", "\"open"}) {
    EXPECT_EQ(Output(bad, "{}").substr(0, 6), "parse:") << bad;
  }
  EXPECT_EQ(Output(std::string(100, '(') + "." + std::string(100, ')'), "{}").substr(0, 6),
            "parse:");
}

std::string Repeated(int times, std::string_view text) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

// A few bytes of expression that ask for far more than there is.
TEST(JqTest, WhatGrowsWithoutEndFails) {
  const std::string list = "[" + Repeated(999, "1,") + "1]";
  for (const std::string& bad : std::vector<std::string>{
           "\"text\"" + Repeated(100, "|.+."),  // 2^100 bytes.
           "[1]" + Repeated(100, "|.+."),       // 2^100 items.
           "1" + Repeated(100, "|.,."),         // 2^100 outputs.
           "[1]" + Repeated(100, "|[.,.]") + "|tostring",
           "[1]" + Repeated(100, "|[.,.]") + "|.==[.]",
           "(.[]+.[])+(.[]+.[])",  // A thousand items to the fourth.
           "[.[],.[],.[]]|join(\"" + std::string(3000, 's') + "\")|." + Repeated(9, "|.+."),
       }) {
    EXPECT_EQ(Output(bad, list), "error") << bad;
    EXPECT_EQ(Output("(" + bad + ")?", list), "error") << "not left out: " << bad;
    EXPECT_EQ(Output("(" + bad + ")//1", list), "error") << "no alternative: " << bad;
  }
  EXPECT_EQ(Output("map(.+1)|add", list), "2000") << "honest work is done";
}

}  // namespace
}  // namespace coppice::services::grouper
