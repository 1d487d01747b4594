#include "api/typed/crd.h"

#include <gtest/gtest.h>

#include <boost/describe/class.hpp>

#include "json/parse.h"
#include "json/write.h"

namespace coppice::api {
namespace crd_test {

struct Level {
  std::string domain;
  std::string key;
};
BOOST_DESCRIBE_STRUCT(Level, (), (domain, key))

struct Spec {
  std::vector<Level> levels;
  std::optional<int32_t> replicas;
  std::map<std::string, base::Quantity> limits;
};
BOOST_DESCRIBE_STRUCT(Spec, (), (levels, replicas, limits))

struct Status {
  std::string startedAt;
};
BOOST_DESCRIBE_STRUCT(Status, (), (startedAt))

StructNotes Notes(const Level*) {
  return StructNotes("One level.")
      .Required({"key", "domain"})
      .Field("domain", "Its name.", {MaxLength(63)});
}

StructNotes Notes(const Spec*) {
  return StructNotes()
      .Required({"levels"})
      .Field("levels", "Widest first.", {MapList({"domain"}), MaxItems(7), Rule("true", "no")})
      .Field("replicas", "", {Default(1), Minimum(0)})
      .Rule("has(self.levels)", "levels", {{"reason", "FieldValueRequired"}});
}

StructNotes Notes(const Status*) { return StructNotes().Field("startedAt", "", {DateTime()}); }

TEST(Crd, SchemaComesFromTypesAndNotes) {
  EXPECT_EQ(SchemaOf<Spec>()["properties"]["levels"],
            *json::Parse(R"({"type":"array","description":"Widest first.","maxItems":7,
      "x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["domain"],
      "x-kubernetes-validations":[{"rule":"true","message":"no"}],
      "items":{"type":"object","description":"One level.","required":["domain","key"],
        "properties":{"domain":{"type":"string","maxLength":63,"description":"Its name."},
                      "key":{"type":"string"}}}})"));
  EXPECT_EQ(SchemaOf<Spec>()["properties"]["replicas"],
            *json::Parse(R"({"type":"integer","format":"int32","default":1,"minimum":0})"));
  const json::Value quantity = SchemaOf<Spec>()["properties"]["limits"]["additionalProperties"];
  EXPECT_EQ(json::Write(quantity["anyOf"]), R"([{"type":"integer"},{"type":"string"}])");
  EXPECT_TRUE(quantity["x-kubernetes-int-or-string"].AsBool());
  EXPECT_EQ(quantity["pattern"].AsString(),
            R"(^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?)"
            R"((([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$)");
}

TEST(Crd, WholeDefinition) {
  const Resource resource{"example.io", "v1", "widgets", "Widget", false};
  const json::Value crd =
      Crd(resource)
          .ShortNames({"w"})
          .Version<Spec, Status>(
              "v1", {.about = "A widget.",
                     .columns = {{.name = "Age", .type = "date", .path = ".metadata.x"}},
                     .scale = ScalePaths{.label_selector = ".status.selector"},
                     .root = {AlsoRequired({"spec"})},
                     .spec = {Rule("self == oldSelf", "is immutable")}})
          .ToJson();
  EXPECT_EQ(crd["metadata"]["name"].AsString(), "widgets.example.io");
  EXPECT_EQ(crd["spec"]["scope"].AsString(), "Cluster");
  EXPECT_EQ(json::Write(crd["spec"]["names"]),
            R"({"kind":"Widget","listKind":"WidgetList","plural":"widgets","shortNames":["w"],)"
            R"("singular":"widget"})");
  const json::Value& version = crd["spec"]["versions"].At(0);
  EXPECT_EQ(json::Write(version["subresources"]),
            R"({"scale":{"labelSelectorPath":".status.selector","specReplicasPath":)"
            R"(".spec.replicas","statusReplicasPath":".status.replicas"},"status":{}})");
  const json::Value& schema = version["schema"]["openAPIV3Schema"];
  EXPECT_EQ(json::Write(schema["required"]), R"(["spec"])");
  EXPECT_EQ(schema["properties"]["spec"]["x-kubernetes-validations"].size(), 2u);
  EXPECT_EQ(schema["properties"]["status"]["properties"]["startedAt"]["format"].AsString(),
            "date-time");
}

}  // namespace crd_test
}  // namespace coppice::api
