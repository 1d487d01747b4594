#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "operator/common/children.h"
#include "operator/common/scope.h"
#include "operator/runtime/context.h"
#include "operator/runtime/failure.h"

namespace coppice::operators::podcliqueset {

// How much of a set, or of one of its replicas, is available and up to date.
struct Counts {
  int32_t available = 0;
  int32_t updated = 0;
  int32_t cliques = 0, updated_cliques = 0;
  int32_t groups = 0, updated_groups = 0;
  std::optional<Failure> failure;  // The first failure that its children report.

  Counts& operator+=(const Counts& other);
};

Counts CountReplicas(const api::grove::PodCliqueSet& set, const SetChildren& children);

// Caches the counts of each replica of a set, so that a reconcile only recounts the replicas in its
// scope. Thread-safe.
class ReplicaCounts {
 public:
  Counts Count(const Context& context, const api::grove::PodCliqueSet& set, const Scope& scope);
  void Forget(const api::ObjectKey& set);

 private:
  struct Counted {
    std::string of;  // The set's uid, generation and template hash.
    std::vector<Counts> replicas;
  };

  Counted Take(const api::ObjectKey& set);

  std::mutex mutex_;  // Guards counted_.
  std::map<api::ObjectKey, Counted> counted_;
};

}  // namespace coppice::operators::podcliqueset
