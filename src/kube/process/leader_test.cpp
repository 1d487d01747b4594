#include "kube/process/leader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/well_known.h"
#include "kube/client/fake_client_testing.h"
#include "kube/client/faulty_client.h"
#include "kube/executor/stepper.h"
#include "kube/object.h"
#include "kube/process/fenced_client.h"

namespace coppice::kube {
namespace {

using namespace std::chrono_literals;
using base::ErrorCode;
using json::Value;

// A candidate with its own connection, which can be broken.
struct Candidate {
  Candidate(Client& server, Executor& executor, std::string name)
      : connection(server, executor, {}, 1),
        elector(connection, executor, {.ns = "ns", .name = "lock", .identity = std::move(name)},
                {[this] { ++started; }, [this] { ++stopped; }}),
        fenced(connection, elector) {}

  void Disconnect() { connection.SetFaults({.error = 1}); }
  void Reconnect() { connection.SetFaults({}); }

  int started = 0;
  int stopped = 0;
  FaultyClient connection;
  LeaderElector elector;
  FencedClient fenced;
};

struct LeaderTest : testing::Test {
  FakeClient server;
  Stepper stepper;
  Value Lease() { return server.Get(api::kLeases, {"ns", "lock"}).value(); }
};

TEST_F(LeaderTest, FirstComesFirstAndKeepsIt) {
  Candidate a(server, stepper, "a");
  Candidate b(server, stepper, "b");
  a.elector.Start();
  stepper.RunUntilIdle();
  b.elector.Start();
  stepper.RunFor(5min);
  EXPECT_TRUE(a.elector.IsLeader());
  EXPECT_FALSE(b.elector.IsLeader());
  EXPECT_EQ(a.started, 1);
  EXPECT_EQ(a.stopped, 0);
  EXPECT_EQ(b.started, 0);
  EXPECT_EQ(b.elector.Leader(), "a");
  const Value spec = Lease()["spec"];
  EXPECT_EQ(spec["holderIdentity"].AsString(), "a");
  EXPECT_EQ(spec["leaseDurationSeconds"].AsInt(), 15);
  EXPECT_EQ(spec["leaseTransitions"].AsInt(), 0);
  EXPECT_EQ(spec["acquireTime"].AsString(), "2026-01-01T00:00:00.000000Z");
}

TEST_F(LeaderTest, LeaderThatCannotRenewStopsBeforeAnotherStarts) {
  Candidate a(server, stepper, "a");
  Candidate b(server, stepper, "b");
  a.elector.Start();
  stepper.RunUntilIdle();
  b.elector.Start();
  stepper.RunFor(20s);
  a.Disconnect();
  bool overlap = false;
  const base::Time cut = stepper.Now();
  EXPECT_TRUE(stepper.RunUntil(
      [&] {
        overlap |= a.elector.IsLeader() && b.elector.IsLeader();
        return b.elector.IsLeader();
      },
      1min));
  EXPECT_FALSE(overlap);
  EXPECT_GE(stepper.Now() - cut, 13s);
  EXPECT_EQ(a.stopped, 1);
  EXPECT_EQ(Lease()["spec"]["leaseTransitions"].AsInt(), 1);
  a.Reconnect();
  stepper.RunFor(1min);
  EXPECT_FALSE(a.elector.IsLeader());
  EXPECT_TRUE(b.elector.IsLeader());
}

TEST_F(LeaderTest, AnotherTakesOverWithinTheDurationOfADeath) {
  for (int64_t ms = 0; ms < 2000; ms += 130) {  // The two never look at the same moment.
    FakeClient api;
    Stepper world(static_cast<uint64_t>(ms));
    Candidate b(api, world, "b");
    base::Time death;
    {
      Candidate a(api, world, "a");
      a.elector.Start();
      world.RunFor(std::chrono::milliseconds(ms));
      b.elector.Start();
      world.RunFor(20s + std::chrono::milliseconds(7 * ms % 2000));
      ASSERT_TRUE(a.elector.IsLeader());
      a.Disconnect();  // A process that is killed gives nothing back.
      death = world.Now();
    }
    EXPECT_TRUE(world.RunUntil([&] { return b.elector.IsLeader(); }, 15s)) << ms;
    EXPECT_GE(world.Now() - death, 11s) << "the dead one might have held on until its deadline";
  }
}

TEST_F(LeaderTest, DeposedLeaderCannotWrite) {
  Candidate a(server, stepper, "a");
  const auto write = [&](std::string_view name) {
    return a.fenced.Create(api::kPods, NewObject(api::kPods, "ns", name));
  };
  EXPECT_TRUE(write("early").Is(ErrorCode::kCancelled));
  a.elector.Start();
  stepper.RunUntilIdle();
  EXPECT_TRUE(write("leading"));
  a.Disconnect();
  stepper.RunFor(11s);
  a.Reconnect();  // The lease may be gone; the connection works again.
  EXPECT_TRUE(write("late").Is(ErrorCode::kCancelled));
  EXPECT_TRUE(a.fenced.Get(api::kPods, {"ns", "leading"}));
  stepper.RunFor(3s);
  EXPECT_TRUE(write("again"));
  EXPECT_EQ(a.started, 2);
}

TEST_F(LeaderTest, StopGivesTheLeaseBack) {
  Candidate b(server, stepper, "b");
  {
    Candidate a(server, stepper, "a");
    a.elector.Start();
    stepper.RunUntilIdle();
    b.elector.Start();
    stepper.RunFor(10s);
    a.elector.Stop();
    EXPECT_FALSE(a.elector.IsLeader());
  }
  EXPECT_TRUE(stepper.RunUntil([&] { return b.elector.IsLeader(); }, 4s));
}

TEST_F(LeaderTest, AnotherClockDoesNotMatter) {
  Candidate a(server, stepper, "a");
  a.elector.Start();
  stepper.RunUntilIdle();
  Stepper ahead(0, stepper.Now() + 24h);  // A machine whose clock is a day ahead.
  Candidate b(server, ahead, "b");
  b.elector.Start();
  for (int i = 0; i < 60; ++i) {
    stepper.RunFor(1s);
    ahead.RunFor(1s);
    EXPECT_TRUE(a.elector.IsLeader());
    EXPECT_FALSE(b.elector.IsLeader());
  }
}

// Somebody sets the clock of either machine, forward and back.
TEST_F(LeaderTest, LeadersDoNotCareForTheTimeOfDay) {
  Candidate a(server, stepper, "a");
  Candidate b(server, stepper, "b");
  a.elector.Start();
  stepper.RunUntilIdle();
  b.elector.Start();
  for (const base::Duration step : {base::Duration(30 * 24h), base::Duration(-31 * 24h)}) {
    stepper.SetClock(stepper.Now() + step);
    EXPECT_TRUE(a.elector.IsLeader());
    stepper.RunFor(1min);
    EXPECT_TRUE(a.elector.IsLeader());
    EXPECT_FALSE(b.elector.IsLeader());
  }
  EXPECT_EQ(a.stopped, 0);
  a.Disconnect();
  stepper.SetClock(stepper.Now() - 24h);
  EXPECT_TRUE(stepper.RunUntil([&] { return b.elector.IsLeader(); }, 17s)) << "a setback holds up "
                                                                              "nothing";
}

// A process that is stopped, or whose machine is suspended, and goes on when another leads: it
// knows at once, before any of its timers has fired.
TEST_F(LeaderTest, ALeaderThatWasStoppedDoesNotWrite) {
  Stepper machine;
  Candidate a(server, machine, "a");
  a.elector.Start();
  machine.RunUntilIdle();
  const WriteFencePtr fence = a.elector.Fence();
  ASSERT_TRUE(fence);
  EXPECT_TRUE(fence->holds());
  machine.Sleep(20s);
  EXPECT_FALSE(a.elector.IsLeader());
  EXPECT_FALSE(fence->holds()) << "what was let through before is asked again before it is sent";
  EXPECT_TRUE(
      a.fenced.Create(api::kPods, NewObject(api::kPods, "ns", "late")).Is(ErrorCode::kCancelled));
  EXPECT_FALSE(server.Get(api::kPods, {"ns", "late"}));
}

TEST_F(LeaderTest, AFenceSaysWhichLeadershipItIsOf) {
  Candidate a(server, stepper, "a");
  a.elector.Start();
  stepper.RunUntilIdle();
  EXPECT_EQ(a.elector.Fence()->Encode(), "ns/lock 0 a");
  a.Disconnect();
  Candidate b(server, stepper, "b");
  b.elector.Start();
  ASSERT_TRUE(stepper.RunUntil([&] { return b.elector.IsLeader(); }, 1min));
  EXPECT_EQ(a.elector.Fence(), nullptr);
  EXPECT_EQ(b.elector.Fence()->Encode(), "ns/lock 1 b");
  const auto parsed = WriteFence::Parse("ns/lock 1 a b/c");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->Encode(), "ns/lock 1 a b/c");
  for (const char* text :
       {"", "ns/lock", "ns/lock 1", "ns/lock x a", "/lock 1 a", "ns/ 1 a", "ns lock/a 1"}) {
    EXPECT_FALSE(WriteFence::Parse(text)) << text;
  }
}

TEST_F(LeaderTest, NeverTwoLeadersUnderFaults) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    FakeClient lock;
    Stepper steps(seed);
    Candidate a(lock, steps, "a");
    Candidate b(lock, steps, "b");
    Candidate c(lock, steps, "c");
    const Faults faults{.error = 0.6, .conflict = 0.2, .error_after_write = 0.3};
    for (Candidate* candidate : {&a, &b, &c}) {
      candidate->connection.SetFaults(faults);
      candidate->elector.Start();
    }
    int changes = 0;
    steps.RunUntil(
        [&] {
          const int leaders = a.elector.IsLeader() + b.elector.IsLeader() + c.elector.IsLeader();
          EXPECT_LE(leaders, 1) << "seed " << seed;
          changes = a.started + b.started + c.started;
          return false;
        },
        10min);
    EXPECT_GT(changes, 0) << "seed " << seed;
  }
}

}  // namespace
}  // namespace coppice::kube
