#include "json/yaml/yaml.h"

#include <gtest/gtest.h>

#include "json/parse.h"
#include "json/write.h"

namespace coppice::json {
namespace {

std::string AsJson(std::string_view yaml) {
  const auto value = ParseYaml(yaml);
  return value ? Write(*value) : value.error().message();
}

std::string Rewritten(std::string_view json) { return WriteYaml(*Parse(json)); }

TEST(Yaml, ResolvesScalarsAsKubernetesDoes) {
  EXPECT_EQ(AsJson("[yes, on, True, y, no, Off, false, n]"),
            "[true,true,true,true,false,false,false,false]");
  EXPECT_EQ(AsJson("[~, null, Null]"), "[null,null,null]");
  EXPECT_EQ(AsJson("a:"), R"({"a":null})");
  EXPECT_EQ(AsJson("[010, 0o10, 0x1F, 1_000, 0b101, +5, -0x10, 08]"), "[8,8,31,1000,5,5,-16,8]");
  EXPECT_EQ(AsJson("[1e3, .5, 1., 1.0, 12e03, -.5]"), "[1000,0.5,1,1,12000,-0.5]");
  EXPECT_EQ(AsJson("[0x, 1.2.3, 1e400, 12:30:45, 2001-12-14, 100m, '=']"),
            R"(["0x","1.2.3","1e400","12:30:45","2001-12-14","100m","="])");
  EXPECT_EQ(AsJson(R"(["1", 'true', !!str 5, !!binary aGk=])"), R"(["1","true","5","hi"])");
}

TEST(Yaml, KeysBecomeStrings) {
  EXPECT_EQ(AsJson("1: a\ntrue: b\n2.5: c\n\"x\": d\n"),
            R"({"1":"a","2.5":"c","true":"b","x":"d"})");
  EXPECT_EQ(AsJson("[a]: b"), "yaml: line 1: a key must be a string, a number or a boolean");
}

TEST(Yaml, ExpandsAnchorsAndMergeKeys) {
  EXPECT_EQ(AsJson("a: &x {b: 1, d: 0}\nc: {<<: *x, d: 2}\ne: *x\n"),
            R"({"a":{"b":1,"d":0},"c":{"b":1,"d":2},"e":{"b":1,"d":0}})");
  EXPECT_EQ(AsJson("a: *x"), "yaml: line 1: unknown anchor 'x' referenced");
}

TEST(Yaml, RefusesAliasesThatExplode) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    bomb += fmt::format("a{0}: &a{0} [*a{1},*a{1},*a{1},*a{1},*a{1},*a{1},*a{1},*a{1},*a{1}]\n", i,
                        i - 1);
  }
  EXPECT_NE(AsJson(bomb).find("document contains excessive aliasing"), std::string::npos);
}

// Ten thousand times the same megabyte: small as long as nobody writes it down.
TEST(Yaml, RefusesAliasesOfLongText) {
  std::string bomb = "a: &a " + std::string(1 << 20, 'x') + "\nb: [";
  for (int i = 0; i < 10'000; ++i) bomb += "*a,";
  EXPECT_NE(AsJson(bomb + "]\n").find("document contains excessive aliasing"), std::string::npos);
  EXPECT_EQ(AsJson("a: &a [x, {k: z}]\nb: [*a, *a]\n"),
            R"({"a":["x",{"k":"z"}],"b":[["x",{"k":"z"}],["x",{"k":"z"}]]})");
}

// Each list is within the limit, and holds the one before it at its end.
TEST(Yaml, RefusesAliasesThatNestTooDeep) {
  std::string chain = "a0: &a0 x\n";
  for (int i = 1; i < 40; ++i) {
    chain += fmt::format("a{}: &a{} {}*a{}{}\n", i, i, std::string(500, '['), i - 1,
                         std::string(500, ']'));
  }
  EXPECT_EQ(AsJson(chain), "yaml: line 3: exceeded max depth");
  EXPECT_EQ(AsJson("a: &a [[x]]\nb: &b {c: *a}\nd: [*b, *a]\n"),
            R"({"a":[["x"]],"b":{"c":[["x"]]},"d":[{"c":[["x"]]},[["x"]]]})");
}

TEST(Yaml, RefusesAbsurdDepth) {
  EXPECT_EQ(AsJson(std::string(600, '[')).substr(0, 32), "yaml: line 1: exceeded max depth");
}

TEST(Yaml, ErrorsCarryTheLine) {
  EXPECT_EQ(AsJson("a: 1\n b: 2\n"),
            "yaml: line 2: mapping values are not allowed in this context");
  EXPECT_EQ(AsJson("a\nb: 2\n"), "yaml: line 2: mapping values are not allowed in this context");
  EXPECT_EQ(AsJson("a: 1\n\tb: 2\n"),
            "yaml: line 2: found a tab character that violates indentation");
  EXPECT_EQ(AsJson("a: \"\xff\"\n"), "yaml: invalid leading UTF-8 octet");
}

TEST(Yaml, SplitsDocumentsAndSkipsEmptyOnes) {
  const auto documents = ParseYamlDocuments("---\na: 1\n---\n# nothing\n---\nb: 2\n...\n");
  ASSERT_TRUE(documents);
  ASSERT_EQ(documents->size(), 2u);
  EXPECT_EQ(Write((*documents)[1]), R"({"b":2})");
  EXPECT_TRUE(ParseYaml("")->IsNull());
}

TEST(Yaml, ReportsKeysThatOccurTwice) {
  std::vector<std::string> duplicates;
  const auto value =
      ParseYaml("a: {b: 1, b: 2}\nl:\n- c: 1\n  c: 2\n", {.duplicates = &duplicates});
  ASSERT_TRUE(value);
  EXPECT_EQ(duplicates, (std::vector<std::string>{"a.b", "l[0].c"}));
  EXPECT_EQ((*value)["a"]["b"].AsInt(), 2);
}

TEST(Yaml, WritesBlocksAsKubectlDoes) {
  EXPECT_EQ(Rewritten(R"({"z":[{"a":1,"b":[["x"],{}]}],"l":[],"m":{},"o":null,"t":true,"f":0.5})"),
            "f: 0.5\nl: []\nm: {}\no: null\nt: true\nz:\n- a: 1\n  b:\n  - - x\n  - {}\n");
}

TEST(Yaml, QuotesWhatWouldReadBackDifferently) {
  EXPECT_EQ(Rewritten(R"(["yes","null","1e3","0x1","1:30","2001-12-14","","1.5","~"])"),
            "- \"yes\"\n- \"null\"\n- \"1e3\"\n- \"0x1\"\n- \"1:30\"\n- \"2001-12-14\"\n- \"\"\n"
            "- \"1.5\"\n- \"~\"\n");
  EXPECT_EQ(Rewritten(R"(["x: y","- z","#q","it's","a:b","100m","1:60","=","tab\there"])"),
            "- 'x: y'\n- '- z'\n- '#q'\n- it's\n- a:b\n- 100m\n- 1:60\n- =\n- \"tab\\there\"\n");
  EXPECT_EQ(Rewritten(R"({"a":"line\nbreak","b":"line\nbreak\n"})"),
            "a: |-\n  line\n  break\nb: |\n  line\n  break\n");
}

TEST(Yaml, WhatIsWrittenReadsBackEqual) {
  const Value value = *Parse(
      R"({"a":["","yes","\n","a\n\n"," x ","é","\u0001","1_0","-","?","a#b","a: b\nc"],"1":{"true":[[]]},
          "long":"aaaaaaaaaaaaaaaaaaaaaaa bbbbbbbbbbbbbbbbbbbbbbbbbbbb ccccccccccccccccccccc dddddddddd eeee"})");
  const auto again = ParseYaml(WriteYaml(value));
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, value);
}

}  // namespace
}  // namespace coppice::json
