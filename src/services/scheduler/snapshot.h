#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"
#include "json/value.h"
#include "services/scheduler/options/options.h"

namespace coppice::services::scheduler {

// A cluster as a scheduler saw it, with the scheduler's settings: KAI's snapshot file
// (docs/behaviour/scheduler.md S-100).
struct Snapshot {
  Options options;
  json::Value usage_db;
  json::Value objects;    // Lists by name: pods, nodes, queues, podGroups, …
  json::Value discovery;  // Null in old files.
};

// From the bytes of a zip file, or of the snapshot.json in it.
base::Result<Snapshot> ReadSnapshot(std::string_view bytes);
std::string WriteSnapshot(const Snapshot& snapshot);

// Objects that occur more than once in the file; the last one counts.
std::vector<engine::InputProblem> FindDuplicates(const Snapshot& snapshot);

// Loads the snapshot into a new engine.
void LoadSnapshot(const Snapshot& snapshot, engine::Engine& engine);

// The newest time that occurs in the snapshot, to replay it as if it were then.
base::Time NewestTime(const Snapshot& snapshot);

}  // namespace coppice::services::scheduler
