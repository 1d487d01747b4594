#include "json/patch/patch.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "json/document_testing.h"
#include "json/write.h"

namespace coppice::json {
namespace {

std::string Patched(std::string_view document, std::string_view patch) {
  const auto out = ApplyJsonPatch(Doc(document), Doc(patch));
  return out ? Write(*out) : out.error().message();
}

constexpr std::string_view kDocument = R"({"a":1,"l":[1,2],"n":null,"o":{"x":1}})";

TEST(JsonPatch, AppliesEachOperation) {
  EXPECT_EQ(Patched(kDocument, R"([{"op":"add","path":"/l/1","value":9}])"),
            R"({"a":1,"l":[1,9,2],"n":null,"o":{"x":1}})");
  EXPECT_EQ(Patched(kDocument, R"([{"op":"add","path":"/l/-","value":9}])"),
            R"({"a":1,"l":[1,2,9],"n":null,"o":{"x":1}})");
  EXPECT_EQ(Patched(kDocument, R"([{"op":"remove","path":"/l/-1"},{"op":"remove","path":"/n"}])"),
            R"({"a":1,"l":[1],"o":{"x":1}})");
  EXPECT_EQ(Patched(kDocument, R"([{"op":"replace","path":"/o/x","value":{"y":2}}])"),
            R"({"a":1,"l":[1,2],"n":null,"o":{"x":{"y":2}}})");
  EXPECT_EQ(Patched(kDocument, R"([{"op":"move","from":"/o/x","path":"/b"}])"),
            R"({"a":1,"b":1,"l":[1,2],"n":null,"o":{}})");
  EXPECT_EQ(Patched(kDocument, R"([{"op":"copy","from":"/o","path":"/l/0"}])"),
            R"({"a":1,"l":[{"x":1},1,2],"n":null,"o":{"x":1}})");
  EXPECT_EQ(Patched(R"({"a/b":{"m~n":1}})", R"([{"op":"remove","path":"/a~1b/m~0n"}])"),
            R"({"a/b":{}})");
  EXPECT_EQ(Patched(kDocument, R"([{"op":"replace","path":"","value":{"q":1}}])"), R"({"q":1})");
}

TEST(JsonPatch, TestComparesWholeValues) {
  EXPECT_EQ(Patched(R"({"o":{"x":1}})", R"([{"op":"test","path":"/o","value":{"x":1.0}}])"),
            R"({"o":{"x":1}})");
  EXPECT_EQ(Patched(kDocument, R"([{"op":"test","path":"/a","value":2}])"),
            "testing value /a failed: test failed");
  EXPECT_EQ(Patched(kDocument, R"([{"op":"test","path":"/zz","value":2}])"),
            "testing value /zz failed: test failed");
}

TEST(JsonPatch, SaysWhyItDoesNotApply) {
  EXPECT_EQ(Patched(kDocument, R"([{"op":"remove","path":"/zz"}])"),
            "error in remove for path: '/zz': Unable to remove nonexistent key: zz: missing value");
  EXPECT_EQ(Patched(kDocument, R"([{"op":"remove","path":"/zz/y"}])"),
            "remove operation does not apply: doc is missing path: \"/zz/y\": missing value");
  EXPECT_EQ(Patched(kDocument, R"([{"op":"add","path":"/l/9","value":1}])"),
            "error in add for path: '/l/9': Unable to access invalid index: 9: invalid index "
            "referenced");
  EXPECT_EQ(Patched(kDocument, R"([{"op":"replace","path":"/l/7","value":1}])"),
            "replace operation does not apply: doc is missing key: /l/7: missing value");
  EXPECT_EQ(Patched(kDocument, R"([{"op":"add","path":"/a/b","value":1}])"),
            "add operation does not apply: doc is missing path: \"/a/b\": missing value");
  EXPECT_EQ(Patched(kDocument, R"([{"op":"frob","path":"/b"}])"), "Unexpected kind: frob");
  EXPECT_TRUE(ApplyJsonPatch(Doc("{}"), Doc("{}")).Is(base::ErrorCode::kInvalidArgument));
}

TEST(JsonPatch, RefusesCopiesThatExplode) {
  Value patch = Value::Array();
  for (int i = 0; i < 60; ++i) {
    patch.Append(Doc(R"({"op":"copy","from":"/l","path":"/l/-"})"));
  }
  const auto out = ApplyJsonPatch(Doc(R"({"l":[1,2,3]})"), patch);
  EXPECT_TRUE(out.Is(base::ErrorCode::kTooLarge));
}

TEST(JsonPatch, RefusesToNestBeyondWhatCanBeRead) {
  std::string path;
  Value patch = Value::Array();
  for (int i = 0; i < 600; ++i) {
    path += "/a";
    patch.Append(Value::Object({{"op", "add"}, {"path", path}, {"value", Value::Object()}}));
  }
  const auto out = ApplyJsonPatch(Value::Object(), patch);
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().message(),
            "add operation does not apply: the document would nest deeper than 512 levels");
}

// Ten thousand operations, each about a list of half a million values.
TEST(JsonPatch, RefusesOperationsThatMoveTooMuch) {
  const Value document = Value::Object({{"l", Value::Array(std::vector<Value>(500'000, "x"))}});
  const auto repeat = [&](std::initializer_list<std::string_view> operations) {
    Value patch = Value::Array();
    while (patch.size() + operations.size() <= 10'000) {
      for (const std::string_view operation : operations) patch.Append(Doc(operation));
    }
    return ApplyJsonPatch(document, patch);
  };
  EXPECT_TRUE(repeat({R"({"op":"move","from":"/l","path":"/m"})",
                      R"({"op":"move","from":"/m","path":"/l"})"})
                  .Is(base::ErrorCode::kTooLarge));
  EXPECT_TRUE(repeat({R"({"op":"add","path":"/l/0","value":1})"}).Is(base::ErrorCode::kTooLarge));
  EXPECT_TRUE(repeat({R"({"op":"remove","path":"/l/0"})"}).Is(base::ErrorCode::kTooLarge));
  EXPECT_TRUE(repeat({R"({"op":"add","path":"/l/-","value":1})"}));
  EXPECT_TRUE(repeat({R"({"op":"replace","path":"/l/7","value":1})"}));
}

TEST(JsonPatch, CreatedPatchSetsTheMembersThatDiffer) {
  const Value from = Doc(R"({"a":1,"b":{"c":1}})");
  const Value to = Doc(R"({"a":1,"b":{"c":2},"x/y~z":3})");
  const Value patch = CreateJsonPatch(from, to);
  EXPECT_EQ(Write(patch), R"([{"op":"replace","path":"/b","value":{"c":2}},)"
                          R"({"op":"add","path":"/x~1y~0z","value":3}])");
  EXPECT_EQ(*ApplyJsonPatch(from, patch), to);
  EXPECT_TRUE(CreateJsonPatch(from, from).empty());
  const Value removal = Value::Array({RemoveOperation("/" + EscapePointer("x/y~z"))});
  EXPECT_EQ(Write(*ApplyJsonPatch(to, removal)), R"({"a":1,"b":{"c":2}})");
}

TEST(MergePatch, FollowsTheExamplesOfTheRfc) {
  const auto merged = [](std::string_view document, std::string_view patch) {
    return Write(ApplyMergePatch(Doc(document), Doc(patch)));
  };
  EXPECT_EQ(merged(R"({"a":"b"})", R"({"b":"c"})"), R"({"a":"b","b":"c"})");
  EXPECT_EQ(merged(R"({"a":"b","b":"c"})", R"({"a":null})"), R"({"b":"c"})");
  EXPECT_EQ(merged(R"({"a":["b"]})", R"({"a":"c"})"), R"({"a":"c"})");
  EXPECT_EQ(merged(R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})"), R"({"a":{"b":"d"}})");
  EXPECT_EQ(merged(R"({"a":"foo"})", "null"), "null");
  EXPECT_EQ(merged(R"([1,2])", R"({"a":"b","c":null})"), R"({"a":"b"})");
  EXPECT_EQ(merged("{}", R"({"a":{"bb":{"ccc":null}}})"), R"({"a":{"bb":{}}})");
}

TEST(MergePatch, ChangesManyMembersAtOnce) {
  std::vector<Member> before, removal, addition;
  for (int i = 0; i < 200'000; ++i) {
    before.push_back({"m" + std::to_string(i), "x"});
    removal.push_back({"m" + std::to_string(i), Value()});
    addition.push_back({"a" + std::to_string(i), "y"});
  }
  const Value document = Value::Object(before);
  EXPECT_TRUE(ApplyMergePatch(document, Value::Object(removal)).empty());
  EXPECT_EQ(ApplyMergePatch(document, Value::Object(addition)).size(), 400'000u);
  EXPECT_TRUE(ApplyMergePatch(document, document).SameAs(document));
}

TEST(MergePatch, LeavesTheSourceAlone) {
  const Value before = Doc(R"({"a":{"b":1}})");
  ApplyMergePatch(before, Doc(R"({"a":{"b":2}})"));
  EXPECT_EQ(Write(before), R"({"a":{"b":1}})");
}

TEST(MergePatch, CreatedPatchTurnsOneIntoTheOther) {
  const Value from = Doc(R"({"a":1,"b":{"c":1,"d":2},"e":[1],"g":{"x":1}})");
  const Value to = Doc(R"({"a":1,"b":{"c":3},"e":[1,2],"f":{},"g":5})");
  const Value patch = CreateMergePatch(from, to);
  EXPECT_EQ(Write(patch), R"({"b":{"c":3,"d":null},"e":[1,2],"f":{},"g":5})");
  EXPECT_EQ(ApplyMergePatch(from, patch), to);
  EXPECT_EQ(Write(CreateMergePatch(from, from)), "{}");
}

// A schema written by hand, to show each strategy.
struct TestSchema : PatchSchema {
  std::map<std::string, std::unique_ptr<TestSchema>, std::less<>> fields;
  std::unique_ptr<TestSchema> item;
  bool merges = false;
  std::string key;
  bool replaced = false;

  TestSchema& Add(std::string_view name) {
    return *(fields[std::string(name)] = std::make_unique<TestSchema>());
  }
  const PatchSchema* Field(std::string_view name) const override {
    const auto found = fields.find(name);
    return found == fields.end() ? nullptr : found->second.get();
  }
  const PatchSchema* Item() const override { return item.get(); }
  bool MergesItems() const override { return merges; }
  std::string_view MergeKey() const override { return key; }
  bool IsReplaced() const override { return replaced; }
};

class StrategicPatch : public ::testing::Test {
 protected:
  StrategicPatch() {
    TestSchema& containers = schema_.Add("containers");
    containers.merges = true;
    containers.key = "name";
    containers.item = std::make_unique<TestSchema>();
    TestSchema& env = containers.item->Add("env");
    env.merges = true;
    env.key = "name";
    schema_.Add("finalizers").merges = true;
    schema_.Add("selector").replaced = true;
  }

  std::string Merged(std::string_view document, std::string_view patch) {
    const auto out = ApplyStrategicMergePatch(Doc(document), Doc(patch), &schema_);
    return out ? Write(*out) : out.error().message();
  }

  TestSchema schema_;
};

TEST_F(StrategicPatch, MergesListsByTheirKey) {
  EXPECT_EQ(Merged(R"({"containers":[{"name":"a","image":"1"},{"name":"b","image":"1"}]})",
                   R"({"containers":[{"name":"b","image":"2"},{"name":"c"}]})"),
            R"({"containers":[{"image":"1","name":"a"},{"image":"2","name":"b"},{"name":"c"}]})");
  EXPECT_EQ(Merged(R"({"containers":[{"name":"a","env":[{"name":"X","value":"1"}]}]})",
                   R"({"containers":[{"name":"a","env":[{"name":"Y","value":"2"}]}]})"),
            R"({"containers":[{"env":[{"name":"Y","value":"2"},{"name":"X","value":"1"}],)"
            R"("name":"a"}]})");
  EXPECT_EQ(Merged(R"({"containers":[]})", R"({"containers":[{"image":"1"}]})"),
            R"(map: {"image":"1"} does not contain declared merge key: name)");
}

TEST_F(StrategicPatch, ObeysDirectivesInLists) {
  const std::string_view two = R"({"containers":[{"name":"a"},{"name":"b"}]})";
  EXPECT_EQ(Merged(two, R"({"containers":[{"name":"a","$patch":"delete"}]})"),
            R"({"containers":[{"name":"b"}]})");
  EXPECT_EQ(Merged(two, R"({"containers":[{"$patch":"replace"},{"name":"c"}]})"),
            R"({"containers":[{"name":"c"}]})");
}

TEST_F(StrategicPatch, ObeysDirectivesInObjects) {
  EXPECT_EQ(Merged(R"({"o":{"a":1}})", R"({"o":{"$patch":"replace","b":2}})"), R"({"o":{"b":2}})");
  EXPECT_EQ(Merged(R"({"o":{"a":1}})", R"({"o":{"$patch":"delete"}})"), R"({"o":{}})");
  EXPECT_EQ(Merged(R"({"o":{"a":1}})", R"({"o":{"$patch":"merge","b":2}})"),
            R"({"o":{"a":1,"b":2}})");
  EXPECT_EQ(Merged(R"({"o":{"a":1,"b":2}})", R"({"o":{"$retainKeys":["b","c"],"c":3}})"),
            R"({"o":{"b":2,"c":3}})");
  EXPECT_EQ(Merged(R"({"o":{}})", R"({"o":{"$patch":"burn"}})"),
            R"(unknown patch type: burn in map: {"$patch":"burn"})");
}

TEST_F(StrategicPatch, MergesScalarsOnce) {
  EXPECT_EQ(Merged(R"({"finalizers":["a","b"]})", R"({"finalizers":["b","c"]})"),
            R"({"finalizers":["a","b","c"]})");
  EXPECT_EQ(
      Merged(R"({"finalizers":["a","b"]})", R"({"$deleteFromPrimitiveList/finalizers":["a"]})"),
      R"({"finalizers":["b"]})");
}

TEST_F(StrategicPatch, OrdersElements) {
  EXPECT_EQ(Merged(R"({"containers":[{"name":"a"},{"name":"s"},{"name":"b"}]})",
                   R"({"$setElementOrder/containers":[{"name":"b"},{"name":"a"},{"name":"n"}],
                       "containers":[{"name":"n"}]})"),
            R"({"containers":[{"name":"s"},{"name":"b"},{"name":"a"},{"name":"n"}]})");
  EXPECT_EQ(Merged(R"({"finalizers":["a","b"]})", R"({"$setElementOrder/finalizers":["b","a"]})"),
            R"({"finalizers":["b","a"]})");
}

TEST_F(StrategicPatch, ThePatchGivesTheOrderUnlessItSaysOtherwise) {
  EXPECT_EQ(Merged(R"({"containers":[{"name":"a"},{"name":"b"},{"name":"c"},{"name":"d"}]})",
                   R"({"containers":[{"name":"d"},{"name":"b"}]})"),
            R"({"containers":[{"name":"a"},{"name":"c"},{"name":"d"},{"name":"b"}]})");
  EXPECT_EQ(Merged(R"({"containers":[{"name":"a"},{"name":"b"}]})",
                   R"({"containers":[{"name":"b","$patch":"delete"},{"name":"b","image":"q"}]})"),
            R"({"containers":[{"image":"q","name":"b"},{"name":"a"}]})");
  EXPECT_EQ(Merged(R"({"finalizers":["a"]})", R"({"finalizers":["b"]})"),
            R"({"finalizers":["b","a"]})");
}

// Users choose how long lists are: a search for each item would take minutes.
TEST_F(StrategicPatch, MergesLongLists) {
  constexpr int kItems = 100'000;
  Value document = Value::Array(), patch = Value::Array();
  for (int i = 0; i < kItems; ++i) {
    document.Append(Value::Object({{"name", "d" + std::to_string(i)}}));
    patch.Append(Value::Object({{"name", "d" + std::to_string(kItems + kItems / 2 - i)}}));
  }
  const auto out =
      ApplyStrategicMergePatch(Value::Object({{"containers", document}, {"finalizers", {}}}),
                               Value::Object({{"containers", patch}}), &schema_);
  ASSERT_TRUE(out) << out.error().message();
  EXPECT_EQ((*out)["containers"].size(), static_cast<size_t>(kItems + kItems / 2 + 1));
  Value gone = Value::Array();
  for (const Value& item : document.Items()) {
    gone.Append(Value(item).Set("$patch", "delete"));
  }
  EXPECT_TRUE(
      (*ApplyStrategicMergePatch(Value::Object({{"containers", document}}),
                                 Value::Object({{"containers", gone}}), &schema_))["containers"]
          .empty());
}

TEST_F(StrategicPatch, ReplacesWhatDoesNotMerge) {
  EXPECT_EQ(Merged(R"({"selector":{"a":1},"plain":[1]})", R"({"selector":{"b":2},"plain":[2]})"),
            R"({"plain":[2],"selector":{"b":2}})");
  EXPECT_EQ(Merged(R"({"a":1,"b":2})", R"({"a":null,"new":{"x":null,"y":1}})"),
            R"({"b":2,"new":{"y":1}})");
}

}  // namespace
}  // namespace coppice::json
