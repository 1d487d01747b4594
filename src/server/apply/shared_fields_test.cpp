#include "server/apply/shared_fields.h"

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

}  // namespace
}  // namespace coppice::server
