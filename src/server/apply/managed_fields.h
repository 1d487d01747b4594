#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "json/value.h"
#include "server/apply/field_set.h"
#include "server/apply/field_walk.h"
#include "server/model/request.h"

// Who manages which fields of an object (metadata.managedFields), and what follows from it.
namespace coppice::server {

struct ManagedEntry {
  std::string manager;
  std::string operation;  // "Apply" or "Update".
  std::string api_version;
  std::string subresource;
  std::string time;
  FieldSet fields;
};

std::vector<ManagedEntry> ReadManagedFields(const json::Value& object);
void WriteManagedFields(const std::vector<ManagedEntry>& entries, json::Value& object);

// Removes fields that the system maintains (counters, timestamps): they belong to no manager.
void LeaveOutNobodys(const Request& request, FieldSet& changed);

// What an update changed and removed, without those fields.
FieldDifference ComputeDifference(const Request& request, const json::Value& old,
                                  const json::Value& now);

// After a create, update or patch: the request's manager owns what changed. `old` is null for a
// creation.
void TrackUpdate(const Request& request, const json::Value& old, base::Time now,
                 json::Value& object);

// The object after applying `configuration` to `live` (null if there is none yet), with updated
// managedFields. kConflict, with one cause per field, if other managers own fields that would
// change and the request is not forced.
base::Result<json::Value> ApplyConfiguration(const Request& request, const json::Value& live,
                                             const json::Value& configuration, base::Time now);

}  // namespace coppice::server
