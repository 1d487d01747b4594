#pragma once

#include <map>
#include <vector>

#include "engine/session/session.h"

namespace coppice::engine {

// Jobs for which a search has failed. Among jobs that differ only in their requests it keeps the
// smallest, so that others are tried only if they are easier (docs/behaviour/engine.md S-58).
class FailedJobs {
 public:
  explicit FailedJobs(Session& session) : session_(session) {}

  bool WorthTrying(const Gang& gang) const;
  void Add(const Gang& gang);

 private:
  using Requests = std::vector<const Amounts*>;
  Requests PendingOf(const Gang& gang) const;

  Session& session_;
  std::map<int32_t, Requests> smallest_;
};

}  // namespace coppice::engine
