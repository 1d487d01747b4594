#pragma once

#include <map>
#include <vector>

#include "engine/framework/session.h"

namespace coppice::engine {

// Jobs for which a search has failed: of equal ones (but for what they request) the smallest, so
// that others are only tried when they are easier (docs/behaviour/engine.md S-58).
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
