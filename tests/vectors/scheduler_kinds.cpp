// Kinds kai and generated: clusters and what the scheduler decides about them.

#include <chrono>

#include "base/clock.h"
#include "tests/vectors/compare.h"
#include "tests/vectors/kind.h"

namespace coppice::vectors {
namespace {

struct Session {
  engine::Engine engine;
  Calls calls;
};

// Runs the actions and leaves the session open, so that the state can be looked at.
Session RunCase(const EngineCase& given, base::Time now) {
  Session session{given.Build(now), {}};
  session.engine.OpenCycle(now);
  for (const auto& action : given.actions()) session.engine.RunAction(action);
  const engine::CycleResult& so_far = session.engine.SoFar();
  for (const auto& bind : so_far.binds) session.calls.binds.push_back(bind.pod.name);
  for (const auto& evict : so_far.evictions) session.calls.evictions.push_back(evict.pod.name);
  for (const auto& plan : so_far.pipelined) session.calls.pipelined.push_back(plan.pod.name);
  return session;
}

Outcome RunOnce(EngineCase& given, const json::Value& value, base::Time now) {
  Outcome outcome;
  const Session session = RunCase(given, now);
  CompareExpectation(given, session.engine, value["expect"], value["observed"], now,
                     outcome.differences);
  CompareAtMost(session.calls, value["expect"]["atMost"], outcome.differences);
  Differences full;
  CompareInFull(given, session.engine, value["observed"], session.calls, full);
  outcome.equal_in_full = full.empty();
  if (!full.empty()) outcome.first_full_difference = full.front();
  return outcome;
}

Outcome RunRounds(EngineCase& given, const json::Value& value, base::VirtualClock& clock) {
  Outcome outcome;
  const json::Value& rounds = value["rounds"];
  const auto pause = base::Duration(static_cast<int64_t>(rounds["pauseSeconds"].AsDouble() * 1e9));
  const auto in_round = [&](int round, const Differences& differences) {
    for (const auto& difference : differences) {
      outcome.differences.push_back(difference + " (round " + std::to_string(round) + ")");
    }
  };
  const int until = static_cast<int>(rounds["until"].AsInt(2));
  std::map<std::string, std::string> messages;
  for (int round = 1; round <= until; ++round) {
    const Session session = RunCase(given, clock.Now());
    given.Carry(session.engine);
    clock.Advance(pause);
    // A group's errors are those of the last round.
    for (const auto& [group, pods] : given.groups()) {
      messages[group] = session.engine.FitErrorText(given.NamespaceOf(group), group);
    }
  }
  json::Value expect = value["expect"];
  {
    const engine::Engine fresh = given.Build(clock.Now());
    Differences differences;
    for (const auto& member : value["expect"]["groups"].Members()) {
      if (!member.value.Has("message")) continue;
      const std::string name(member.name());
      if (messages[name] != member.value["message"].AsString()) {
        differences.push_back("groups." + name + ".message: expected " +
                              member.value["message"].ToString() + ", got " + messages[name]);
      }
      expect.Mutable("groups").Mutable(name).Erase("message");
    }
    CompareExpectation(given, fresh, expect, value["observed"], clock.Now(), differences);
    in_round(until, differences);
  }
  const int after = static_cast<int>(rounds["after"].AsInt(5));
  for (int round = 1; round <= after; ++round) {
    const Session session = RunCase(given, clock.Now());
    Differences differences;
    CompareExpectation(given, session.engine, value["expect"], value["observed"], clock.Now(),
                       differences);
    CompareAtMost(session.calls, value["expect"]["atMost"], differences);
    in_round(until + round, differences);
    if (round == after) {
      Differences full;
      CompareInFull(given, session.engine, value["observed"], session.calls, full);
      outcome.equal_in_full = full.empty();
      if (!full.empty()) outcome.first_full_difference = full.front();
    }
    given.Carry(session.engine);
    clock.Advance(pause);
  }
  return outcome;
}

Outcome RunKai(const json::Value& value) {
  base::VirtualClock clock;
  EngineCase given(value);
  return given.rounds() ? RunRounds(given, value, clock) : RunOnce(given, value, clock.Now());
}

Outcome RunGenerated(const json::Value& value) {
  base::VirtualClock clock;
  EngineCase given(value);
  Outcome outcome;
  const Session session = RunCase(given, clock.Now());
  CompareDecisions(given, session.engine, value["observed"], session.calls, outcome.differences);
  Differences full;
  CompareInFull(given, session.engine, value["observed"], session.calls, full);
  outcome.equal_in_full = full.empty();
  if (!full.empty()) outcome.first_full_difference = full.front();
  return outcome;
}

const KindRegistration kKai{"kai", RunKai};
const KindRegistration kGenerated{"generated", RunGenerated};

}  // namespace
}  // namespace coppice::vectors
