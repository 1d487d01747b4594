#include "sim/echo_filter.h"

#include <gtest/gtest.h>

namespace coppice::sim {
namespace {

json::Value Pod(const char* version) {
  return json::Value::Object(
      {{"metadata", json::Value::Object(
                        {{"namespace", "default"}, {"name", "p"}, {"resourceVersion", version}})}});
}

TEST(EchoFilter, OwnWritesAreNothingNew) {
  EchoFilter filter;
  filter.Note(Pod("98"), Pod("100"));
  EXPECT_FALSE(filter.Arrived(Pod("99"))) << "it was somebody else's";
  EXPECT_TRUE(filter.Arrived(Pod("100")));
  EXPECT_FALSE(filter.Arrived(Pod("101")));
}

// The response to a write that changes nothing contains what someone else wrote.
TEST(EchoFilter, SomebodyElsesChangeInTheAnswerIsNotOurs) {
  EchoFilter filter;
  json::Value leaving = Pod("10");
  leaving.Mutable("metadata").Set("deletionTimestamp", "2026-01-01T00:00:00Z");
  filter.Note(Pod("8"), leaving);
  EXPECT_FALSE(filter.Arrived(leaving));
}

TEST(EchoFilter, WritesAreForgottenOnceSomethingNewerIsThere) {
  EchoFilter filter;
  filter.Note(Pod("8"), Pod("10"));
  EXPECT_FALSE(filter.Arrived(Pod("12")));
  EXPECT_FALSE(filter.Arrived(Pod("10")));
  filter.Note(Pod("8"), Pod("10"));
  filter.Forget({"default", "p"});
  EXPECT_FALSE(filter.Arrived(Pod("10")));
}

}  // namespace
}  // namespace coppice::sim
