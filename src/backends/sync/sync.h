#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backends/framework/backend.h"
#include "kube/client/client.h"

namespace coppice::backends {

// The result of syncing a gang's objects.
struct SyncReport {
  std::optional<Refusal> problem;    // Condition BackendSynced=False.
  std::vector<json::Value> objects;  // The live objects in the translation's order; null: none.
  bool pending = false;              // An object is being deleted; requeue soon.
  int writes = 0;
};

// Writes a translation by server-side apply of only our fields, never status. Deletes objects that
// the gang owns and no longer needs, unless a live pod refers to them.
//
// One call per gang at a time. An error is worth retrying (conflict, unavailable). A permanent
// rejection by the API server is a problem in the report.
class ObjectSyncer {
 public:
  ObjectSyncer(kube::Client& client, std::string field_manager)
      : client_(client), field_manager_(std::move(field_manager)) {}

  base::Result<SyncReport> Sync(const GangInput& input, const json::Value& pod_gang,
                                const Translation& translation,
                                const std::vector<ResourceUse>& uses,
                                std::span<const json::Value> pods);
  // Deletes every object of these kinds that the gang owns and no live pod refers to; returns how
  // many.
  base::Result<int> DeleteAll(const GangInput& input, const std::vector<ResourceUse>& uses,
                              std::span<const json::Value> pods);

 private:
  kube::Client& client_;
  const std::string field_manager_;
};

}  // namespace coppice::backends
