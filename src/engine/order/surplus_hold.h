#pragma once

#include <map>
#include <optional>
#include <string>

#include "engine/session/session.h"

namespace coppice::engine {

// Capacity often becomes free node by node. If pods beyond their gang's minimum took each node
// immediately, a gang of the same set that needs several nodes would never start. So while such a
// gang waits, surplus pods leave free capacity alone for Configuration::surplus_delay. After that
// they take it, because the gang may never fit. Lives for one allocate action; not thread-safe.
class SurplusHold {
 public:
  explicit SurplusHold(Session& session) : session_(session) {}

  // For which gang, and until when, surplus pods leave capacity alone.
  struct Hold {
    std::string waiting;  // The gang that the capacity is reserved for.
    base::Time since, until;
  };
  std::optional<Hold> Find(const Gang& gang);
  // Whether a gang that has its minimum must not use the capacity found for one more pod. If so,
  // the reason is recorded on the job, and no action of this cycle serves it.
  bool Holds(const Gang& gang);
  // Call after the last job: capacity that becomes free from now on starts a new delay.
  void Close();

 private:
  // A gang of the set that has pods but not its minimum on nodes; kNone if there is none. Gated
  // pods count, because a scaled gang's gates are removed only after its base gang is scheduled.
  JobId WaitingIn(NameId set);
  void FindWaiting();

  Session& session_;
  bool searched_ = false;
  std::map<NameId, JobId> waiting_;  // By set.
  std::map<NameId, base::Time> held_since_;
};

}  // namespace coppice::engine
