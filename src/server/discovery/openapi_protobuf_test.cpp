#include "server/discovery/openapi_protobuf.h"

#include <gtest/gtest.h>

#include "base/wire_reader.h"
#include "json/parse.h"

namespace coppice::server {
namespace {

// What is inside the length-delimited field `number` of a message, for each occurrence in order.
std::vector<std::string> MessageFields(std::string_view message, uint64_t number) {
  std::vector<std::string> found;
  for (base::WireReader reader(message); !reader.done();) {
    const base::WireField field = *reader.Next();
    if (field.is_bytes && field.number == number) found.emplace_back(field.bytes);
  }
  return found;
}

TEST(OpenApiProtobufTest, WritesDefinitions) {
  const auto document = json::Parse(R"({"swagger":"2.0","definitions":{"a.Thing":{
      "type":"object","description":"A thing.","required":["size"],
      "properties":{"size":{"type":"integer","minimum":1},
                    "tags":{"type":"array","items":{"$ref":"#/definitions/a.Tag"}}},
      "x-kubernetes-group-version-kind":[{"kind":"Thing"}]}}})");
  ASSERT_TRUE(document);
  const std::string encoded = EncodeOpenApiV2(*document);
  EXPECT_EQ(MessageFields(encoded, 1), std::vector<std::string>{"2.0"});
  const std::string entry = MessageFields(MessageFields(encoded, 9).at(0), 1).at(0);
  EXPECT_EQ(MessageFields(entry, 1).at(0), "a.Thing");
  const std::string schema = MessageFields(entry, 2).at(0);
  EXPECT_EQ(MessageFields(schema, 4).at(0), "A thing.");
  EXPECT_EQ(MessageFields(schema, 19).at(0), "size");
  EXPECT_EQ(MessageFields(MessageFields(schema, 22).at(0), 1).at(0), "object");
  const std::string extension = MessageFields(schema, 31).at(0);
  EXPECT_EQ(MessageFields(MessageFields(extension, 2).at(0), 2).at(0), R"([{"kind":"Thing"}])");
  const auto properties = MessageFields(MessageFields(schema, 25).at(0), 1);
  ASSERT_EQ(properties.size(), 2u);
  const std::string tags = MessageFields(properties[1], 2).at(0);
  EXPECT_EQ(MessageFields(MessageFields(MessageFields(tags, 23).at(0), 1).at(0), 1).at(0),
            "#/definitions/a.Tag");
}

TEST(OpenApiProtobufTest, TellsWhichPatchesKnowDryRun) {
  const auto document = json::Parse(R"({"paths":{"/api/v1/things/{name}":{"get":{},"patch":{
      "x-kubernetes-group-version-kind":{"kind":"Thing"},
      "parameters":[{"name":"dryRun","in":"query"}]}},"/api/v1/others":{"get":{}}}})");
  ASSERT_TRUE(document);
  const auto paths = MessageFields(MessageFields(EncodeOpenApiV2(*document), 8).at(0), 2);
  ASSERT_EQ(paths.size(), 1u);
  const std::string patch = MessageFields(MessageFields(paths[0], 2).at(0), 8).at(0);
  const std::string parameter = MessageFields(MessageFields(patch, 8).at(0), 1).at(0);
  EXPECT_EQ(MessageFields(MessageFields(MessageFields(parameter, 2).at(0), 3).at(0), 4).at(0),
            "dryRun");
  EXPECT_EQ(MessageFields(patch, 13).size(), 1u);
}

}  // namespace
}  // namespace coppice::server
