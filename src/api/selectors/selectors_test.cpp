#include <gtest/gtest.h>

#include "api/selectors/field_selector.h"
#include "api/selectors/label_selector.h"
#include "api/selectors/names.h"
#include "json/document_testing.h"
#include "json/parse.h"
#include "json/yaml/yaml.h"

namespace coppice::api {
namespace {

using json::Doc;

bool Matches(std::string_view selector, std::string_view labels) {
  return LabelSelector::Parse(selector)->Matches(Doc(labels));
}

std::string LabelError(std::string_view selector) {
  const auto parsed = LabelSelector::Parse(selector);
  return parsed ? "" : parsed.error().message();
}

TEST(LabelSelector, MatchesEachOperator) {
  EXPECT_TRUE(Matches("", R"({})"));
  EXPECT_TRUE(Matches("a=b", R"({"a":"b"})"));
  EXPECT_TRUE(Matches("a==b", R"({"a":"b"})"));
  EXPECT_FALSE(Matches("a=b", R"({"a":"c"})"));
  EXPECT_FALSE(Matches("a=", R"({})"));
  EXPECT_TRUE(Matches("a=", R"({"a":""})"));
  EXPECT_TRUE(Matches("a!=b", R"({})"));
  EXPECT_FALSE(Matches("a!=b", R"({"a":"b"})"));
  EXPECT_TRUE(Matches("a in (x, y)", R"({"a":"y"})"));
  EXPECT_FALSE(Matches("a in (x, y)", R"({"a":"z"})"));
  EXPECT_TRUE(Matches("a notin (x,y)", R"({})"));
  EXPECT_FALSE(Matches("a notin (x,y)", R"({"a":"x"})"));
  EXPECT_TRUE(Matches("a", R"({"a":""})"));
  EXPECT_TRUE(Matches("!a", R"({"b":""})"));
  EXPECT_FALSE(Matches("!a", R"({"a":""})"));
  EXPECT_TRUE(Matches("a>1,a<3", R"({"a":"2"})"));
  EXPECT_FALSE(Matches("a>1", R"({"a":"word"})"));
  EXPECT_TRUE(Matches("in in (in,notin)", R"({"in":"notin"})"));
  EXPECT_TRUE(Matches("a in (,x)", R"({"a":""})"));
}

TEST(LabelSelector, AllRequirementsMustHold) {
  EXPECT_TRUE(Matches("a=b,c!=d,e in (x,y),!f,g", R"({"a":"b","e":"x","g":"1"})"));
  EXPECT_FALSE(Matches("a=b,c!=d,e in (x,y),!f,g", R"({"a":"b","e":"x","g":"1","f":""})"));
}

TEST(LabelSelector, ErrorsSayWhatWasExpected) {
  EXPECT_EQ(LabelError(",a"), "found ',', expected: !, identifier, or 'end of string'");
  EXPECT_EQ(LabelError("a,"), "found '', expected: identifier after ','");
  EXPECT_EQ(LabelError("a in x"), "unable to parse requirement: found 'x' expected: '('");
  EXPECT_EQ(LabelError("a b c"),
            "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt");
  EXPECT_EQ(LabelError("a=b c"), "found 'c', expected: ',' or 'end of string'");
  EXPECT_EQ(LabelError("!(a)"), "unable to parse requirement: found '(', expected: identifier");
  EXPECT_EQ(LabelError("a in ()"),
            "unable to parse requirement: values: Invalid value: []: for 'in', 'notin' operators, "
            "values set can't be empty");
  EXPECT_EQ(LabelError("a>b"),
            "unable to parse requirement: values[0]: Invalid value: \"b\": for 'Gt', 'Lt' "
            "operators, the value must be an integer");
  EXPECT_NE(LabelError("a=b/c").find("values[0][a]: Invalid value: \"b/c\": a valid label must be"),
            std::string::npos);
}

TEST(LabelSelector, StringFormParsesBack) {
  const std::string_view text = "a=b,c!=d,e in (x,y),!f,g,h>1";
  EXPECT_EQ(LabelSelector::Parse(text)->ToString(), text);
}

TEST(LabelSelector, ReadsTheObjectForm) {
  const auto selector = LabelSelector::FromObject(Doc(
      R"({"matchLabels":{"a":"b"},"matchExpressions":[{"key":"c","operator":"NotIn","values":["d"]},
          {"key":"e","operator":"Exists"}]})"));
  ASSERT_TRUE(selector);
  EXPECT_EQ(selector->ToString(), "a=b,c notin (d),e");
  EXPECT_FALSE(LabelSelector::FromObject(json::Value())->Matches(Doc("{}")));
  EXPECT_TRUE(LabelSelector::FromObject(Doc("{}"))->Matches(Doc("{}")));
  const auto bad =
      LabelSelector::FromObject(Doc(R"({"matchExpressions":[{"key":"c","operator":"Near"}]})"));
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().message(), "\"Near\" is not a valid label selector operator");
}

TEST(FieldSelector, ComparesFieldsAsText) {
  const auto pod = Doc(R"({"metadata":{"name":"x"},"spec":{"nodeName":"n","hostNetwork":true},
                           "status":{"phase":"Running"}})");
  const auto matches = [&](std::string_view text) {
    return FieldSelector::Parse(text)->Matches(pod);
  };
  EXPECT_TRUE(matches(""));
  EXPECT_TRUE(matches("metadata.name=x,status.phase!=Failed"));
  EXPECT_TRUE(matches("metadata.name==x"));
  EXPECT_FALSE(matches("spec.nodeName="));
  EXPECT_TRUE(matches("spec.schedulerName="));
  EXPECT_TRUE(matches("spec.hostNetwork=true"));
  EXPECT_FALSE(matches("metadata.name=y"));
}

TEST(FieldSelector, ExplainsWhatItCannotRead) {
  EXPECT_EQ(FieldSelector::Parse("a").error().message(),
            "invalid selector: 'a'; can't understand 'a'");
  EXPECT_EQ(FieldSelector::Parse("a=\\x").error().message(),
            "invalid field selector: invalid escape sequence: \\x");
  EXPECT_EQ(FieldSelector::Parse("spec.x=1")->Resolve({"metadata.name"}).error().message(),
            "field label not supported: spec.x");
}

TEST(FieldSelector, AbsentFieldsCompareAsTheirResourceDeclares) {
  const std::vector<SelectableField> fields{
      {"spec.unschedulable", "false"},
      {"status.successful", "0", "status.succeeded"},
      {"source", "", "source.component", "reportingComponent"},
  };
  const auto matches = [&](const char* selector, const char* object) {
    auto parsed = FieldSelector::Parse(selector);
    return parsed && parsed->Resolve(fields) && parsed->Matches(*json::ParseYaml(object));
  };
  EXPECT_TRUE(matches("spec.unschedulable=false", "{}"));
  EXPECT_FALSE(matches("spec.unschedulable!=false", "{}"));
  EXPECT_FALSE(matches("spec.unschedulable=false", "{spec: {unschedulable: true}}"));
  EXPECT_TRUE(matches("status.successful=0", "{}"));
  EXPECT_TRUE(matches("status.successful=2", "{status: {succeeded: 2}}"));
  EXPECT_TRUE(matches("source=kubelet", "{source: {component: kubelet}}"));
  EXPECT_TRUE(matches("source=scheduler", "{reportingComponent: scheduler}"));
  EXPECT_FALSE(
      matches("source=scheduler", "{source: {component: kubelet}, reportingComponent: scheduler}"));
}

TEST(FieldSelector, EscapesSeparatorsInValues) {
  const auto selector = FieldSelector::Parse("a=b\\,c\\=d");
  ASSERT_TRUE(selector);
  ASSERT_NE(selector->Demanded("a"), nullptr);
  EXPECT_EQ(*selector->Demanded("a"), "b,c=d");
  EXPECT_EQ(selector->ToString(), "a=b\\,c\\=d");
}

TEST(Names, SayWhatIsWrong) {
  EXPECT_TRUE(LabelKeyProblems("example.com/app").empty());
  EXPECT_EQ(LabelKeyProblems("/app").at(0), "prefix part must be non-empty");
  EXPECT_EQ(LabelKeyProblems("a/").at(0), "name part must be non-empty");
  EXPECT_EQ(Dns1123LabelProblems("A").at(0),
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "
            "and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', "
            "regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')");
  EXPECT_TRUE(Dns1123SubdomainProblems("a.b-c.d").empty());
  EXPECT_FALSE(Dns1123SubdomainProblems("a..b").empty());
  EXPECT_FALSE(Dns1035LabelProblems("1a").empty());
  EXPECT_EQ(LabelValueProblems(std::string(64, 'a')).at(0), "must be no more than 63 bytes");
}

}  // namespace
}  // namespace coppice::api
