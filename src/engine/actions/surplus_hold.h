#pragma once

#include <map>
#include <optional>
#include <string>

#include "engine/framework/session.h"

namespace coppice::engine {

// Room often comes node by node. If pods beyond their gang's minimum took each node at once, a gang
// of the same set that needs several would never start. So they leave room alone for
// Configuration::surplus_delay while such a gang waits; then they take it, since the gang may never
// fit. One allocate action long; not thread-safe.
class SurplusHold {
 public:
  explicit SurplusHold(Session& session) : session_(session) {}

  // For whom, and until when, a gang that has its minimum leaves room alone.
  struct Hold {
    std::string waiting;  // The gang that the room is left to.
    base::Time since, until;
  };
  std::optional<Hold> Find(const Gang& gang);
  // Whether a gang that has its minimum must not use the room that was found for one more pod.
  // If so, the job says why, and no action of this cycle serves it.
  bool Holds(const Gang& gang);
  // After the last job: room that comes from now on starts a new delay.
  void Close();

 private:
  // A gang of the set that has pods and not its minimum on nodes; kNone: there is none. Gated pods
  // count, as a scaled gang's gates open only after its base gang is scheduled.
  JobId WaitingIn(NameId set);
  void FindWaiting();

  Session& session_;
  bool searched_ = false;
  std::map<NameId, JobId> waiting_;  // By set.
  std::map<NameId, base::Time> held_since_;
};

}  // namespace coppice::engine
