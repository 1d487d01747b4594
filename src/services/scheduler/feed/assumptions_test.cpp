#include "services/scheduler/feed/assumptions.h"

#include <gtest/gtest.h>

#include "services/scheduler/output/outbox.h"

namespace coppice::services::scheduler {
namespace {

TEST(OutboxTest, ANewerEntryTakesThePlaceOfAnOlder) {
  Outbox<int> outbox;
  outbox.Put({"ns", "a"}, 1);
  outbox.Put({"ns", "a"}, 2);
  outbox.Put({"ns", "b"}, 3);
  EXPECT_EQ(outbox.Take({"ns", "a"}), 2);
  EXPECT_EQ(outbox.Take({"ns", "a"}), std::nullopt);
  outbox.Drop({"ns", "b"});
  EXPECT_EQ(outbox.Take({"ns", "b"}), std::nullopt);
}

TEST(OutboxTest, WhatCouldNotBeWrittenIsKeptUnlessThereIsSomethingNewer) {
  Outbox<int> outbox;
  outbox.PutBack({"ns", "a"}, 1);
  EXPECT_EQ(outbox.Take({"ns", "a"}), 1);
  outbox.Put({"ns", "a"}, 2);
  outbox.PutBack({"ns", "a"}, 1);
  EXPECT_EQ(outbox.Take({"ns", "a"}), 2);
}

// What the scheduler has decided about a group counts, whatever an old copy of it says.
TEST(AssumptionsTest, ItsOwnTimesAreLaidOverAGroup) {
  Assumptions assumptions;
  const base::Time start(std::chrono::seconds(10)), old(std::chrono::seconds(1));
  engine::GroupStatus status;
  status.group = {"ns", "g"};
  status.last_start = start;
  assumptions.Record(status);
  engine::PodGroupSpec group;
  group.namespace_name = "ns";
  group.name = "g";
  group.last_start = old;
  group.stale_since = old;
  assumptions.Overlay(group, engine::Compatibility());
  EXPECT_EQ(group.last_start, start);
  EXPECT_FALSE(group.stale_since);
  engine::PodGroupSpec other;
  other.namespace_name = "ns";
  other.name = "other";
  other.last_start = old;
  assumptions.Overlay(other, engine::Compatibility());
  EXPECT_EQ(other.last_start, old);
  assumptions.ForgetGroup({"ns", "g"});
  group.last_start = old;
  assumptions.Overlay(group, engine::Compatibility());
  EXPECT_EQ(group.last_start, old);
}

TEST(AssumptionsTest, ABindIsForThePodThatItWasDecidedFor) {
  Assumptions assumptions;
  engine::BindDecision decision;
  decision.pod = {"ns", "p", "uid-1"};
  decision.node = "n";
  assumptions.AssumeBound(decision);
  ASSERT_TRUE(assumptions.Bound({"ns", "p"}, "uid-1"));
  EXPECT_EQ(assumptions.Bound({"ns", "p"}, "uid-1")->node, "n");
  EXPECT_FALSE(assumptions.Bound({"ns", "p"}, "uid-2"));  // Made anew under the same name.
  assumptions.ForgetBound({"ns", "p"});
  EXPECT_FALSE(assumptions.Bound({"ns", "p"}, "uid-1"));
}

}  // namespace
}  // namespace coppice::services::scheduler
