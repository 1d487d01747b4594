#include "server/apply/shared_fields.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "json/write.h"
#include "server/server_testing.h"

namespace coppice::server {
namespace {

// Each time worked out anew, as for another object.
json::Value Fields(std::string_view owner) {
  return Doc(
      fmt::format("{{'f:metadata': {{'f:ownerReferences': {{'k:{}': {{}}}}}}, "
                  "'f:status': {{'f:conditions': {{'f:type': {{}}}}, 'f:phase': {{}}}}}}",
                  owner));
}

TEST(ShareFields, EqualPartsAreOne) {
  const json::Value first = ShareFields(Fields("a")), second = ShareFields(Fields("b"));
  EXPECT_TRUE(first["f:status"].SameAs(second["f:status"]));
  EXPECT_FALSE(first["f:metadata"].SameAs(second["f:metadata"]));
}

TEST(ShareFields, NothingElseChanges) {
  for (int i = 0; i < 3000; ++i) {  // More than are remembered.
    const json::Value fields = Fields(std::to_string(i));
    ASSERT_EQ(json::Write(ShareFields(fields)), json::Write(fields));
  }
  EXPECT_EQ(json::Write(ShareFields(json::Value::Object())), "{}");
}

// Thousands of them could fill the memory.
TEST(ShareFields, LargePartsAreNotKept) {
  const auto large = [] {
    std::vector<json::Member> fields;
    for (int i = 0; i < 10'000; ++i) {
      fields.push_back({fmt::format("f:{:05}", i), json::Value::Object()});
    }
    return json::Value::Object({{"f:data", json::Value::Object(std::move(fields))}});
  };
  const json::Value first = ShareFields(large()), second = ShareFields(large());
  EXPECT_EQ(first, second);
  EXPECT_FALSE(first["f:data"].SameAs(second["f:data"]));
}

}  // namespace
}  // namespace coppice::server
