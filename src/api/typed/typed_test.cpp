#include "api/typed/typed.h"

#include <gtest/gtest.h>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include "api/typed/int_or_string.h"
#include "json/parse.h"
#include "json/write.h"

namespace coppice::api {
namespace typed_test {

enum class Mode { Fast, Default_ };
BOOST_DESCRIBE_ENUM(Mode, Fast, Default_)

struct Inner {
  std::string name;
  base::Quantity memory;
  friend bool operator==(const Inner&, const Inner&) = default;
};
BOOST_DESCRIBE_STRUCT(Inner, (), (name, memory))

struct Common {
  std::string namespace_;
  friend bool operator==(const Common&, const Common&) = default;
};
BOOST_DESCRIBE_STRUCT(Common, (), (namespace_))

struct Spec : Common {
  int32_t replicas = 0;
  int32_t port = 0;
  bool publish = true;
  double weight = 0;
  std::optional<int64_t> limit;
  std::vector<Inner> inners;
  std::map<std::string, std::string> labels;
  std::optional<Inner> maybe;
  Mode mode = Mode::Fast;
  json::Value raw;
  std::optional<IntOrString> surge;
  friend bool operator==(const Spec&, const Spec&) = default;
};
BOOST_DESCRIBE_STRUCT(Spec, (Common),
                      (replicas, port, publish, weight, limit, inners, labels, maybe, mode, raw,
                       surge))
COPPICE_ALWAYS_WRITTEN(Spec, "replicas")

Spec ReadSpec(std::string_view text) { return *Read<Spec>(*json::Parse(text)); }

std::string ErrorOf(std::string_view text) {
  const auto spec = Read<Spec>(*json::Parse(text), "spec");
  return spec ? "" : spec.error().message();
}

TEST(Typed, ReadsEveryKindOfMember) {
  const Spec spec = ReadSpec(R"({"namespace":"ns","replicas":3,"publish":false,"weight":0.5,
      "limit":5000000000,"inners":[{"name":"a","memory":"1Gi"},{"memory":2}],"labels":{"k":"v"},
      "maybe":{"name":"b"},"mode":"Default","raw":{"x":[1]},"surge":"25%","unknown":1})");
  EXPECT_EQ(spec.namespace_, "ns");
  EXPECT_EQ(spec.replicas, 3);
  EXPECT_FALSE(spec.publish);
  EXPECT_EQ(spec.limit, 5'000'000'000);
  ASSERT_EQ(spec.inners.size(), 2u);
  EXPECT_EQ(spec.inners[0].memory.Value(), int64_t{1} << 30);
  EXPECT_EQ(spec.inners[1].memory.Value(), 2);
  EXPECT_EQ(spec.labels.at("k"), "v");
  EXPECT_EQ(spec.maybe->name, "b");
  EXPECT_EQ(spec.mode, Mode::Default_);
  EXPECT_EQ(spec.raw["x"].At(0).AsInt(), 1);
  EXPECT_EQ(*spec.surge->Scaled(10, true), 3);
  EXPECT_EQ(*spec.surge->Scaled(10, false), 2);
}

TEST(Typed, NullAndMissingLeaveTheInitialValue) {
  EXPECT_EQ(ReadSpec(R"({"publish":null,"inners":null,"limit":null})"), Spec{});
  EXPECT_EQ(*Read<Spec>(json::Value()), Spec{});
}

TEST(Typed, WritesWhatOmitemptyWrites) {
  EXPECT_EQ(json::Write(Write(Spec{})), R"({"mode":"Fast","publish":true,"replicas":0})");
  Spec spec;
  spec.publish = false;  // Initialised to true: leaving it out would read back as true.
  spec.port = 80;
  spec.inners = {{"a", *base::Quantity::Parse("1500m")}};
  spec.surge = IntOrString(2);
  EXPECT_EQ(json::Write(Write(spec)),
            R"({"inners":[{"memory":"1500m","name":"a"}],"mode":"Fast","port":80,"publish":false,)"
            R"("replicas":0,"surge":2})");
  EXPECT_EQ(*Read<Spec>(Write(spec)), spec);
}

TEST(Typed, ErrorsNameTheField) {
  EXPECT_EQ(ErrorOf(R"({"replicas":"3"})"), "spec.replicas: must be of type integer, not string");
  EXPECT_EQ(ErrorOf(R"({"inners":[{},{"memory":"1Q"}]})").substr(0, 23), "spec.inners[1].memory: ");
  EXPECT_EQ(ErrorOf(R"({"replicas":3000000000})"),
            "spec.replicas: 3000000000 does not fit into 32 bits");
  EXPECT_EQ(ErrorOf(R"({"port":1.5})"), "spec.port: must be an integer, not 1.5");
  EXPECT_EQ(ErrorOf(R"({"labels":{"a":1}})"), "spec.labels.a: must be of type string, not number");
  EXPECT_EQ(ErrorOf(R"({"mode":"Slow"})"), "spec.mode: unsupported value: \"Slow\"");
  EXPECT_EQ(ErrorOf("[]"), "spec: must be of type object, not array");
}

}  // namespace typed_test
}  // namespace coppice::api
