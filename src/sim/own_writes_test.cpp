#include "sim/own_writes.h"

#include <gtest/gtest.h>

namespace coppice::sim {
namespace {

json::Value Pod(const char* version) {
  return json::Value::Object(
      {{"metadata", json::Value::Object(
                        {{"namespace", "default"}, {"name", "p"}, {"resourceVersion", version}})}});
}

TEST(OwnWrites, ComeBackAsNothingNew) {
  OwnWrites writes;
  writes.Note(Pod("8"), Pod("10"));
  EXPECT_TRUE(writes.IsBehind(Pod("9")));
  EXPECT_FALSE(writes.IsBehind(Pod("10")));
  OwnWrites quiet;
  quiet.Note(Pod("8"), Pod("10"));
  EXPECT_TRUE(quiet.Arrived(Pod("10")));
  EXPECT_FALSE(quiet.Arrived(Pod("11"))) << "it was somebody else's";
}

TEST(OwnWrites, WhatHappenedInBetweenIsLookedAtAfterwards) {
  OwnWrites writes;
  writes.Note(Pod("98"), Pod("100"));
  EXPECT_FALSE(writes.Arrived(Pod("99")));
  EXPECT_TRUE(writes.IsBehind(Pod("99")));
  EXPECT_FALSE(writes.Arrived(Pod("100")));
  EXPECT_FALSE(writes.IsBehind(Pod("100")));
}

// A write that changes nothing is answered with what somebody else wrote.
TEST(OwnWrites, SomebodyElsesChangeInTheAnswerIsNotOurs) {
  OwnWrites writes;
  json::Value leaving = Pod("10");
  leaving.Mutable("metadata").Set("deletionTimestamp", "2026-01-01T00:00:00Z");
  writes.Note(Pod("8"), leaving);
  EXPECT_FALSE(writes.Arrived(leaving));
}

TEST(OwnWrites, AreForgottenOnceSomethingNewerIsThere) {
  OwnWrites writes;
  writes.Note(Pod("8"), Pod("10"));
  EXPECT_FALSE(writes.Arrived(Pod("12")));
  EXPECT_FALSE(writes.IsBehind(Pod("9")));
  writes.Note(Pod("8"), Pod("10"));
  writes.Forget({"default", "p"});
  EXPECT_FALSE(writes.IsBehind(Pod("9")));
}

}  // namespace
}  // namespace coppice::sim
