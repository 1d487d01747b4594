#pragma once

#include <string>
#include <vector>

#include "api/grove/pod_clique.h"
#include "api/grove/pod_clique_set.h"
#include "operator/runtime/context.h"

namespace coppice::operators::podclique {

// One pass over one PodClique: everything that its steps read, read once.
struct Pass {
  const Context& context;
  api::grove::PodClique clique;  // Its status changes as steps find news.
  const api::grove::PodCliqueSet set;
  const std::vector<json::Value> pods;  // Of this clique, terminating ones included.
  const std::string expected_hash;      // That the set's template gives this clique.

  api::ObjectKey key() const { return {clique.ns(), clique.name()}; }
  bool standalone() const;
  int replica() const;  // Of the set.
  // The set or the scaling group has been scaled below this clique, which is about to be deleted.
  bool surplus() const;
};

// The status as it was read or last written.
api::grove::PodCliqueStatus StoredStatus(const Pass& pass);
// Writes the clique's status where it differs from the stored one and reads the result back.
base::Status WriteStatus(Pass& pass);

}  // namespace coppice::operators::podclique
