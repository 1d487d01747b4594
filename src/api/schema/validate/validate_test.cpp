#include "api/schema/validate/validate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/schema/errors/field_error.h"
#include "api/schema/model/schema_document.h"
#include "api/schema/prune.h"
#include "json/document_testing.h"
#include "json/parse.h"
#include "json/write.h"

namespace coppice::api {
namespace {

using json::Doc;

// A schema whose spec has these properties; `more` goes into spec's own schema.
std::shared_ptr<const SchemaDocument> SpecWith(std::string_view properties,
                                               std::string_view more = "{}") {
  json::Value schema = Doc(R"({"type":"object","properties":{"spec":{"type":"object"}}})");
  json::Value& spec = schema.Mutable("properties").Mutable("spec");
  spec.Set("properties", Doc(properties));
  for (const auto more_document = Doc(more); const json::Member& member : more_document.Members()) {
    spec.Set(member.name(), member.value);
  }
  auto document = SchemaDocument::Parse(schema);
  EXPECT_TRUE(document) << (document ? "" : document.error().message());
  return *document;
}

// All complaints about spec.r of this schema, one per line; rules that could not be checked are not
// mentioned.
std::string Complaints(const std::shared_ptr<const SchemaDocument>& document, std::string_view spec,
                       std::string_view old = "") {
  const json::Value object = json::Value::Object({{"spec", Doc(spec)}});
  const json::Value before =
      old.empty() ? json::Value() : json::Value::Object({{"spec", Doc(old)}});
  std::string out;
  for (const auto& cause :
       ValidateObject(document->root(), object, old.empty() ? nullptr : &before)) {
    if (cause.message.starts_with("Invalid value: null: some validation rules")) continue;
    out += (out.empty() ? "" : "\n") + Describe(cause);
  }
  return out;
}

std::string OfField(std::string_view schema, std::string_view value) {
  return Complaints(SpecWith("{\"r\":" + std::string(schema) + "}"),
                    "{\"r\":" + std::string(value) + "}");
}

TEST(Validate, Types) {
  EXPECT_EQ(OfField(R"({"type":"integer"})", R"("x")"),
            R"(spec.r: Invalid value: "string": spec.r in body must be of type integer: "string")");
  EXPECT_EQ(
      OfField(R"({"type":"string"})", "1"),
      R"(spec.r: Invalid value: "integer": spec.r in body must be of type string: "integer")");
  EXPECT_EQ(OfField(R"({"type":"array","items":{"type":"string"}})", "[1]"),
            R"(spec.r[0]: Invalid value: "integer": spec.r[0] in body must be of type string: )"
            R"("integer")");
  EXPECT_EQ(OfField(R"({"type":"integer"})", "1.0"), "");
  EXPECT_EQ(OfField(R"({"type":"string","nullable":true})", "null"), "");
  EXPECT_EQ(OfField(R"({"x-kubernetes-int-or-string":true})", "true"),
            R"(spec.r: Invalid value: "boolean": spec.r in body must be of type integer,string: )"
            R"("boolean")");
  EXPECT_EQ(OfField(R"({"type":"integer","format":"int32"})", "3000000000"),
            R"(<nil>: Invalid value: "": Checked value must be of type integer with format int32 )"
            R"(in spec.r)");
}

TEST(Validate, Limits) {
  EXPECT_EQ(OfField(R"({"type":"integer","minimum":1})", "0"),
            "spec.r: Invalid value: 0: spec.r in body should be greater than or equal to 1");
  EXPECT_EQ(OfField(R"({"type":"integer","maximum":5,"exclusiveMaximum":true})", "5"),
            "spec.r: Invalid value: 5: spec.r in body should be less than 5");
  EXPECT_EQ(OfField(R"({"type":"string","maxLength":3})", R"("abcd")"),
            "spec.r: Too long: may not be more than 3 bytes");
  EXPECT_EQ(OfField(R"({"type":"string","minLength":2})", R"("é")"),
            "spec.r: Invalid value: \"é\": spec.r in body should be at least 2 chars long");
  EXPECT_EQ(OfField(R"({"type":"string","pattern":"^[a-z]+$"})", R"("A1")"),
            "spec.r: Invalid value: \"A1\": spec.r in body should match '^[a-z]+$'");
  EXPECT_EQ(OfField(R"({"type":"string","enum":["a","b"]})", R"("c")"),
            R"(spec.r: Unsupported value: "c": supported values: "a", "b")");
  EXPECT_EQ(OfField(R"({"type":"array","maxItems":1,"items":{"type":"integer"}})", "[1,2]"),
            "spec.r: Too many: 2: must have at most 1 item");
  EXPECT_EQ(OfField(R"({"type":"string","format":"date-time"})", R"("x")"),
            R"(spec.r: Invalid value: "x": spec.r in body must be of type date-time: "x")");
}

TEST(Validate, RequiredAndAlternatives) {
  EXPECT_EQ(Complaints(SpecWith(R"({"a":{"type":"string"}})", R"({"required":["a"]})"), "{}"),
            "spec.a: Required value");
  EXPECT_EQ(OfField(R"({"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},
                        "oneOf":[{"required":["a"]},{"required":["b"]}]})",
                    R"({"a":"1","b":"2"})"),
            R"(<nil>: Invalid value: "": "spec.r" must validate one and only one schema (oneOf). )"
            R"(Found 2 valid alternatives)");
  EXPECT_EQ(OfField(R"({"type":"string","not":{"enum":["a"]}})", R"("a")"),
            R"(<nil>: Invalid value: "": "spec.r" must not validate the schema (not))");
}

TEST(Validate, SetsAndMapListsHaveNoDuplicates) {
  EXPECT_EQ(OfField(R"({"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"set"})",
                    R"(["a","b","a"])"),
            R"(spec.r[2]: Duplicate value: "a")");
  EXPECT_EQ(OfField(R"({"type":"array","x-kubernetes-list-type":"map",
                        "x-kubernetes-list-map-keys":["name"],"items":{"type":"object",
                        "properties":{"name":{"type":"string"},"v":{"type":"integer"}}}})",
                    R"([{"name":"a","v":1},{"name":"a","v":2}])"),
            R"(spec.r[1]: Duplicate value: {"name":"a"})");
}

TEST(Validate, RulesSayWhatFailed) {
  const std::string_view ab = R"({"a":{"type":"integer"},"b":{"type":"integer"}})";
  const auto plain = SpecWith(ab, R"({"x-kubernetes-validations":[{"rule":"self.a <= self.b"}]})");
  EXPECT_EQ(Complaints(plain, R"({"a":1,"b":2})"), "");
  EXPECT_EQ(Complaints(plain, R"({"a":2,"b":1})"),
            "spec: Invalid value: failed rule: self.a <= self.b");
  EXPECT_EQ(Complaints(plain, R"({"a":2})"),
            R"(spec: Invalid value: "object": no such key: b evaluating rule: self.a <= self.b)");
  const auto worded = SpecWith(ab, R"({"x-kubernetes-validations":[{"rule":"self.a < 1",
      "message":"a is too big","reason":"FieldValueForbidden","fieldPath":".a"}]})");
  EXPECT_EQ(Complaints(worded, R"({"a":2})"), "spec.a: Forbidden: a is too big");
  const auto computed = SpecWith(ab, R"({"x-kubernetes-validations":[{"rule":"self.a < 1",
      "messageExpression":"'a is ' + string(self.a) + ''"}]})");
  EXPECT_EQ(Complaints(computed, R"({"a":2})"), "spec: Invalid value: a is 2");
}

// Kubernetes' words: a rule that costs too much, and rules that cost too much together.
TEST(Validate, RulesHaveABudget) {
  const std::string_view sp = R"({"s":{"type":"string"},"p":{"type":"string"}})";
  const auto rules = [&](const std::string& list) {
    return SpecWith(sp, R"({"x-kubernetes-validations":[)" + list + "]}");
  };
  const auto value = [](size_t text, size_t pattern) {
    return R"({"s":")" + std::string(text, 'a') + R"(","p":")" + std::string(pattern, 'a') + "\"}";
  };
  const std::string matches = R"j({"rule":"self.s.matches(self.p)"})j";
  const std::string worded = R"j({"rule":"self.s.matches(self.p)","message":"no match"})j";
  const std::string over_budget =
      R"(spec: Invalid value: "object": no further validation rules will be run due to call cost )"
      "exceeds limit for rule: ";
  EXPECT_EQ(Complaints(rules(matches), value(20'000, 20'000)),
            over_budget + "self.s.matches(self.p)");
  EXPECT_EQ(Complaints(rules(worded + "," + matches), value(20'000, 20'000)),
            over_budget + "no match");
  std::string many = matches;
  for (int i = 0; i < 20; ++i) many += "," + matches;
  EXPECT_EQ(
      Complaints(rules(many), value(7'000, 4'000)),
      R"(spec: Invalid value: "object": validation failed due to running out of cost budget, )"
      "no further validation rules will be run");
}

TEST(Validate, TransitionRulesCompareWithTheOldObject) {
  const auto immutable = SpecWith(
      R"({"a":{"type":"string","x-kubernetes-validations":[{"rule":"self == oldSelf",
          "message":"is immutable"}]}})");
  EXPECT_EQ(Complaints(immutable, R"({"a":"x"})"), "");
  EXPECT_EQ(Complaints(immutable, R"({"a":"x"})", R"({"a":"y"})"),
            R"(spec.a: Invalid value: "x": is immutable)");
  const auto on_creation = SpecWith(R"({"a":{"type":"integer"}})", R"({"x-kubernetes-validations":
      [{"rule":"oldSelf.hasValue() || self.a > 1","optionalOldSelf":true,"message":"new"}]})");
  EXPECT_EQ(Complaints(on_creation, R"({"a":1})"), "spec: Invalid value: new");
  EXPECT_EQ(Complaints(on_creation, R"({"a":1})", R"({"a":0})"), "");
}

TEST(Validate, MapListItemsCorrelateByKey) {
  const auto document = SpecWith(R"({"l":{"type":"array","x-kubernetes-list-type":"map",
      "x-kubernetes-list-map-keys":["n"],"items":{"type":"object","properties":{
      "n":{"type":"string"},"v":{"type":"string","x-kubernetes-validations":
      [{"rule":"self == oldSelf"}]}}}}})");
  EXPECT_EQ(Complaints(document, R"({"l":[{"n":"b","v":"2"},{"n":"a","v":"x"}]})",
                       R"({"l":[{"n":"a","v":"1"},{"n":"b","v":"2"}]})"),
            R"(spec.l[1].v: Invalid value: "x": failed rule: self == oldSelf)");
}

TEST(Validate, WhatDidNotChangeStaysAccepted) {
  const auto document = SpecWith(R"({"a":{"type":"integer","minimum":5},"b":{"type":"string"}})");
  EXPECT_EQ(Complaints(document, R"({"a":1,"b":"y"})", R"({"a":1,"b":"x"})"), "");
  EXPECT_NE(Complaints(document, R"({"a":2,"b":"x"})", R"({"a":1,"b":"x"})"), "");
}

TEST(Validate, ShapeErrorsHoldBackTheRules) {
  const auto document = SpecWith(R"({"a":{"type":"integer"}})",
                                 R"({"x-kubernetes-validations":[{"rule":"self.a > 5"}]})");
  const auto causes = ValidateObject(document->root(), Doc(R"({"spec":{"a":"x"}})"));
  ASSERT_EQ(causes.size(), 2u);
  EXPECT_EQ(causes[0].reason, "FieldValueTypeInvalid");
  EXPECT_EQ(Describe(causes[1]),
            "<nil>: Invalid value: null: some validation rules were not checked because the object "
            "was invalid; correct the existing errors to complete validation");
}

TEST(Validate, WithoutRulesNoneAreHeldBack) {
  const auto document = SpecWith(R"({"a":{"type":"integer"}})");
  const auto causes = ValidateObject(document->root(), Doc(R"({"spec":{"a":"x"}})"));
  ASSERT_EQ(causes.size(), 1u);
  EXPECT_EQ(causes[0].reason, "FieldValueTypeInvalid");
}

TEST(Validate, RulesSeeEscapedNamesTimesAndFloats) {
  const auto document = SpecWith(
      R"({"namespace":{"type":"string"},"a-b":{"type":"string"},"t":{"type":"string",
          "format":"date-time"},"n":{"type":"number"}})",
      R"({"x-kubernetes-validations":[{"rule":"self.__namespace__ == 'a'"},
          {"rule":"self.a__dash__b == 'b'"},{"rule":"self.n / 2.0 == 0.5"},
          {"rule":"timestamp('2020-01-01T00:00:00Z') < self.t"}]
})");
  EXPECT_EQ(Complaints(document, R"({"namespace":"a","a-b":"b","t":"2021-01-01T00:00:00Z","n":1})"),
            "");
}

TEST(SchemaDocument, SaysWhatIsWrongWithIt) {
  const auto problem = [](std::string_view text) {
    const auto document = SchemaDocument::Parse(Doc(text));
    return document ? std::string() : document.error().message();
  };
  EXPECT_EQ(problem(R"({"type":"object","properties":{"a":{}}})"),
            "properties[a].type: Required value: must not be empty for specified object fields");
  EXPECT_EQ(
      problem(R"({"type":"object","properties":{"a":{"type":"text"}}})"),
      R"(properties[a].type: Unsupported value: "text": supported values: "array", "boolean",)"
      R"( "integer", "number", "object", "string")");
  EXPECT_EQ(problem(R"({"type":"object","properties":{"a":{"type":"integer"}},
                        "x-kubernetes-validations":[{"rule":"self.b > 5"}]})"),
            R"(x-kubernetes-validations[0].rule: Invalid value: "self.b > 5": compilation failed: )"
            R"(ERROR: <input>:1:5: undefined field 'b')");
  EXPECT_NE(problem(R"({"type":"object","properties":{"a":{"type":"string","pattern":"("}}})"), "");
  EXPECT_NE(problem(R"({"type":"string"})"), "");
}

TEST(SchemaDocument, ChecksTheTypesOfRules) {
  const auto problem = [](std::string_view rule) {
    json::Value openapi = Doc(R"({"type":"object","properties":{
        "n":{"type":"integer"},"s":{"type":"string"},"b":{"type":"boolean"},
        "q":{"x-kubernetes-int-or-string":true},"l":{"type":"array","items":{"type":"string"}},
        "m":{"type":"object","additionalProperties":{"type":"integer"}}}})");
    openapi.Set("x-kubernetes-validations",
                json::Value::Array({json::Value::Object({{"rule", rule}})}));
    const auto document = SchemaDocument::Parse(openapi);
    if (document) return std::string();
    const std::string& message = document.error().message();
    return message.substr(message.find("<input>:") + 8);
  };
  for (const char* fine :
       {"self.b", "self.n > 3 && self.s != ''", "self.n == 1.0", "self.q == 3", "self.q == 'x'",
        "self.l.all(x, x.startsWith('a'))", "self.m.all(k, self.m[k] > 0)", "!has(self.s)",
        "self.b ? self.n < 3 : self.s == 'x'", "self.l.exists(x, x in ['a', 'b'])",
        "self.l.map(x, x.size()).sum() < 10", "size(self.l) + 1 < 5", "self == oldSelf"}) {
    EXPECT_EQ(problem(fine), "") << fine;
  }
  EXPECT_EQ(problem("self.s > 3"),
            "1:8: found no matching overload for '_>_' applied to '(string, int)'");
  EXPECT_EQ(problem("self.b && self.n"),
            "1:8: found no matching overload for '_&&_' applied to '(bool, int)'");
  EXPECT_EQ(problem("self.l.all(x, x == 1)"),
            "1:17: found no matching overload for '_==_' applied to '(string, int)'");
  EXPECT_EQ(problem("self.n + 1"), "1:1: expression must evaluate to bool, not int");
  EXPECT_EQ(problem("!self.n"), "1:1: found no matching overload for '!_' applied to '(int)'");
}

TEST(SchemaDocument, DefaultsAreValid) {
  const auto problem = [](std::string_view property) {
    const auto document = SchemaDocument::Parse(json::Value::Object(
        {{"type", "object"}, {"properties", json::Value::Object({{"a", Doc(property)}})}}));
    return document ? std::string() : document.error().message();
  };
  EXPECT_EQ(problem(R"({"type":"integer","minimum":1,"default":3})"), "");
  EXPECT_THAT(problem(R"({"type":"integer","minimum":1,"default":0})"),
              testing::StartsWith("properties[a].default: Invalid value: 0"));
  EXPECT_THAT(problem(R"({"type":"integer","default":"x"})"),
              testing::StartsWith("properties[a].default: Invalid value: \"string\""));
  EXPECT_THAT(problem(R"({"type":"string","enum":["a"],"default":"b"})"),
              testing::HasSubstr("Unsupported value: \"b\""));
  // Complete with what lies within.
  EXPECT_EQ(problem(R"({"type":"object","default":{},"required":["b"],
                        "properties":{"b":{"type":"string","default":"c"}}})"),
            "");
  EXPECT_NE(problem(R"({"type":"object","default":{"x":1},"properties":{"b":{"type":"string"}}})"),
            "");
}

TEST(Prune, DropsAndReportsWhatIsUnknown) {
  const auto document = SpecWith(
      R"({"a":{"type":"object","properties":{"x":{"type":"string"}}},
          "l":{"type":"array","items":{"type":"object"}},
          "m":{"type":"object","additionalProperties":{"type":"object"}},
          "p":{"type":"object","x-kubernetes-preserve-unknown-fields":true}})");
  std::vector<std::string> unknown;
  const json::Value pruned =
      Prune(document->root(), Doc(R"({"kind":"K","metadata":{"name":"n"},"extra":1,"spec":{"foo":1,
          "a":{"b":1,"x":"y"},"l":[{"q":1}],"m":{"k":{"q":1}},"p":{"any":1}}})"),
            &unknown);
  EXPECT_EQ(json::Write(pruned), R"({"kind":"K","metadata":{"name":"n"},"spec":{"a":{"x":"y"},)"
                                 R"("l":[{}],"m":{"k":{}},"p":{"any":1}}})");
  EXPECT_EQ(unknown, (std::vector<std::string>{"extra", "spec.a.b", "spec.foo", "spec.l[0].q",
                                               "spec.m.k.q"}));
}

TEST(Defaults, FillWhatIsMissingOrNull) {
  const auto document = SpecWith(
      R"({"a":{"type":"string","default":"x"},
          "b":{"type":"object","properties":{"c":{"type":"integer","default":3}}},
          "d":{"type":"object","default":{},"properties":{"e":{"type":"boolean","default":true}}},
          "l":{"type":"array","items":{"type":"object","properties":{"f":{"type":"string",
              "default":"g"}}}},
          "n":{"type":"string","nullable":true,"default":"nn"}})");
  const auto defaulted = [&](std::string_view spec) {
    return json::Write(
        ApplyDefaults(document->root(), json::Value::Object({{"spec", Doc(spec)}}))["spec"]);
  };
  EXPECT_EQ(defaulted("{}"), R"({"a":"x","d":{"e":true},"n":"nn"})");
  EXPECT_EQ(defaulted(R"({"b":{},"l":[{},{"f":"q"}],"n":null})"),
            R"({"a":"x","b":{"c":3},"d":{"e":true},"l":[{"f":"g"},{"f":"q"}],"n":null})");
  EXPECT_EQ(defaulted(R"({"a":null,"l":null})"), R"({"a":"x","d":{"e":true},"n":"nn"})");
}

}  // namespace
}  // namespace coppice::api
