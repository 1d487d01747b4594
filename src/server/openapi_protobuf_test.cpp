#include "server/openapi_protobuf.h"

#include <gtest/gtest.h>

#include "json/parse.h"

namespace coppice::server {
namespace {

// What is inside the length-delimited field `number` of a message, for each occurrence in order.
std::vector<std::string> Fields(std::string_view message, uint64_t number) {
  const auto varint = [&message] {
    uint64_t value = 0;
    for (int shift = 0; !message.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(message.front());
      message.remove_prefix(1);
      value |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) break;
    }
    return value;
  };
  std::vector<std::string> found;
  while (!message.empty()) {
    const uint64_t tag = varint();
    if ((tag & 7) == 0) varint();
    if ((tag & 7) == 1) message.remove_prefix(8);
    if ((tag & 7) != 2) continue;
    const uint64_t size = varint();
    if (tag >> 3 == number) found.emplace_back(message.substr(0, size));
    message.remove_prefix(size);
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
  EXPECT_EQ(Fields(encoded, 1), std::vector<std::string>{"2.0"});
  const std::string entry = Fields(Fields(encoded, 9).at(0), 1).at(0);
  EXPECT_EQ(Fields(entry, 1).at(0), "a.Thing");
  const std::string schema = Fields(entry, 2).at(0);
  EXPECT_EQ(Fields(schema, 4).at(0), "A thing.");
  EXPECT_EQ(Fields(schema, 19).at(0), "size");
  EXPECT_EQ(Fields(Fields(schema, 22).at(0), 1).at(0), "object");
  const std::string extension = Fields(schema, 31).at(0);
  EXPECT_EQ(Fields(Fields(extension, 2).at(0), 2).at(0), R"([{"kind":"Thing"}])");
  const auto properties = Fields(Fields(schema, 25).at(0), 1);
  ASSERT_EQ(properties.size(), 2u);
  const std::string tags = Fields(properties[1], 2).at(0);
  EXPECT_EQ(Fields(Fields(Fields(tags, 23).at(0), 1).at(0), 1).at(0), "#/definitions/a.Tag");
}

TEST(OpenApiProtobufTest, TellsWhichPatchesKnowDryRun) {
  const auto document = json::Parse(R"({"paths":{"/api/v1/things/{name}":{"get":{},"patch":{
      "x-kubernetes-group-version-kind":{"kind":"Thing"},
      "parameters":[{"name":"dryRun","in":"query"}]}},"/api/v1/others":{"get":{}}}})");
  ASSERT_TRUE(document);
  const auto paths = Fields(Fields(EncodeOpenApiV2(*document), 8).at(0), 2);
  ASSERT_EQ(paths.size(), 1u);
  const std::string patch = Fields(Fields(paths[0], 2).at(0), 8).at(0);
  const std::string parameter = Fields(Fields(patch, 8).at(0), 1).at(0);
  EXPECT_EQ(Fields(Fields(Fields(parameter, 2).at(0), 3).at(0), 4).at(0), "dryRun");
  EXPECT_EQ(Fields(patch, 13).size(), 1u);
}

}  // namespace
}  // namespace coppice::server
