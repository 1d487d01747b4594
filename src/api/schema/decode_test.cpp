#include "api/schema/decode.h"

#include <gtest/gtest.h>

#include "api/schema/builtin.h"
#include "json/parse.h"
#include "json/write.h"

namespace coppice::api {
namespace {

std::string Decoded(std::string_view text, std::vector<std::string>* unknown = nullptr) {
  const json::Value object = *json::Parse(text);
  const Schema* kind =
      BuiltinTypes::For(35).FindKind(object["apiVersion"].AsString(), object["kind"].AsString());
  EXPECT_NE(kind, nullptr);
  const auto decoded = DecodeBuiltin(*kind, object, unknown);
  return decoded ? json::Write(*decoded) : decoded.error().message();
}

std::string DecodedPod(std::string_view spec) {
  return Decoded(R"({"apiVersion":"v1","kind":"Pod","spec":)" + std::string(spec) + "}");
}

TEST(DecodeBuiltin, NamesTheFieldOfTheWrongType) {
  EXPECT_EQ(DecodedPod(R"({"activeDeadlineSeconds":"x"})"),
            "json: cannot unmarshal string into Go struct field "
            "PodSpec.spec.activeDeadlineSeconds of type int64");
  EXPECT_EQ(DecodedPod(R"({"containers":"x"})"),
            "json: cannot unmarshal string into Go struct field PodSpec.spec.containers of type "
            "[]v1.Container");
  EXPECT_EQ(DecodedPod(R"({"containers":[{"name":1}]})"),
            "json: cannot unmarshal number into Go struct field Container.spec.containers.name of "
            "type string");
  EXPECT_EQ(DecodedPod(R"({"containers":[1]})"),
            "json: cannot unmarshal number into Go struct field PodSpec.spec.containers of type "
            "v1.Container");
  EXPECT_EQ(DecodedPod(R"({"nodeSelector":{"a":true}})"),
            "json: cannot unmarshal bool into Go struct field PodSpec.spec.nodeSelector of type "
            "string");
  EXPECT_EQ(
      DecodedPod(R"({"priority":3000000000})"),
      "json: cannot unmarshal number 3000000000 into Go struct field PodSpec.spec.priority of "
      "type int32");
  EXPECT_EQ(DecodedPod("1"),
            "json: cannot unmarshal number into Go struct field Pod.spec of type v1.PodSpec");
  EXPECT_EQ(DecodedPod(R"({"containers":[{"name":"a","resources":{"limits":{"cpu":"x"}}}]})"),
            "quantities must match the regular expression "
            "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  EXPECT_EQ(Decoded(R"({"apiVersion":"v1","kind":"Secret","data":{"a":"%%"}})"),
            "illegal base64 data at input byte 0");
  EXPECT_EQ(Decoded(R"({"apiVersion":"v1","kind":"Pod","metadata":{"creationTimestamp":"x"}})"),
            R"(parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006")");
}

TEST(DecodeBuiltin, DropsAndReportsUnknownFields) {
  std::vector<std::string> unknown;
  Decoded(R"({"apiVersion":"apps/v1","kind":"Deployment","bar":1,"spec":{"foo":1,"template":{
      "spec":{"containers":[{"nam":"x"}]}}}})",
          &unknown);
  EXPECT_EQ(unknown,
            (std::vector<std::string>{"bar", "spec.foo", "spec.template.spec.containers[0].nam"}));
}

TEST(DecodeBuiltin, WritesWhatKubernetesWrites) {
  EXPECT_EQ(DecodedPod(R"({"containers":[{"name":"a","image":"","command":[],
                "resources":{"limits":{"cpu":"1000m","nvidia.com/gpu":1}}}],
                "hostNetwork":false,"priority":0,"nodeSelector":null})"),
            R"({"apiVersion":"v1","kind":"Pod","metadata":{},"spec":{"containers":[{"name":"a",)"
            R"("resources":{"limits":{"cpu":"1","nvidia.com/gpu":"1"}}}],"priority":0},)"
            R"("status":{}})");
  EXPECT_EQ(Decoded(R"({"apiVersion":"v1","kind":"Service","spec":{"ports":[{"port":80}]}})"),
            R"({"apiVersion":"v1","kind":"Service","metadata":{},"spec":{"ports":[{"port":80,)"
            R"("targetPort":0}]},"status":{"loadBalancer":{}}})");
}

}  // namespace
}  // namespace coppice::api
