#pragma once

#include <string>
#include <vector>

#include "api/grove/pod_clique.h"
#include "api/grove/pod_clique_set.h"
#include "operator/runtime/context.h"

namespace coppice::operators::podclique {

// One reconcile of one PodClique: everything that its steps read, read once.
struct Pass {
  const Context& context;
  api::grove::PodClique clique;  // Steps update its status.
  const api::grove::PodCliqueSet set;
  const std::vector<json::Value> pods;  // The clique's pods, including terminating ones.
  const std::string expected_hash;      // The clique's hash according to the set's template.

  api::ObjectKey key() const { return {clique.ns(), clique.name()}; }
  bool standalone() const;
  int replica() const;  // The set replica.
  // The set or the scaling group was scaled in below this clique, which is about to be deleted.
  bool surplus() const;
};

// The status as it was read or last written.
api::grove::PodCliqueStatus StoredStatus(const Pass& pass);
// Writes the clique's status if it differs from the stored one, and reads the result back.
base::Status WriteStatus(Pass& pass);

}  // namespace coppice::operators::podclique
