#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "page/facts/amounts.h"
#include "page/facts/queue_facts.h"

// The rows that the page shows. Each has an id that is unique in its section, an order by id, and
// equality, so that viewers get only the rows that changed. Times are seconds since 1970.
namespace coppice::page {

struct NodeRow {
  std::string id;                 // The node's name.
  std::vector<std::string> path;  // Its topology domains, widest first.
  Amounts has;
  double cpu_held = 0;
  double memory_held = 0;
  double free = 0;  // Whole GPUs that nobody holds.
  int64_t pods = 0;
  std::vector<std::string> state;  // "cordoned", "notReady", "tainted".
  std::vector<std::string> taints;
  std::string cells;     // Who holds which GPU; see cells.h.
  std::string stranded;  // Why its free GPUs cannot be used; "" if they can.

  friend bool operator==(const NodeRow&, const NodeRow&) = default;
};

struct WorkloadRow {
  std::string id;  // WorkloadId, as text.
  std::string ns, kind, name;
  int64_t number = 0;  // Its short name in the cells of nodes, for as long as it exists.
  // "Waiting", "Suspended", "Starting", "Running", "Partial" (enough pods run, others wait),
  // "Ending", "Done", "Failed".
  std::string phase;
  int64_t pods = 0, placed = 0, ready = 0, min = 0;
  int64_t gangs = 0;
  double gpus = 0;   // Held.
  double asked = 0;  // Not held yet.
  std::string queue, scheduler;
  int64_t priority = 0;
  int64_t created = 0;
  int64_t since = 0;    // Of what waits: since when.
  std::string where;    // The narrowest domain of all its pods.
  std::string reason;   // Why it waits, or does not start, in one word.
  std::string message;  // The same in a sentence.
  std::string change;   // The smallest change that helps.
  std::string verdict;  // As in `coppice why`; "" if the engine has not said.

  bool Waits() const { return !reason.empty(); }
  friend bool operator==(const WorkloadRow&, const WorkloadRow&) = default;
};

struct QueueRow {
  std::string id;
  int64_t depth = 0;
  QueueFacts facts;

  friend bool operator==(const QueueRow&, const QueueRow&) = default;
};

// What waits, by reason.
struct ReasonRow {
  std::string reason;
  int64_t workloads = 0;
  double asked = 0;

  friend bool operator==(const ReasonRow&, const ReasonRow&) = default;
};

// One thing that happened.
struct ChangeRow {
  int64_t at = 0;
  std::string kind;    // "workload" or "node".
  std::string object;  // The row's id.
  std::string text;

  friend bool operator==(const ChangeRow&, const ChangeRow&) = default;
};

// Where the objects come from, and whether they are current.
struct SourceRow {
  std::string kind;  // "cluster" or "snapshot".
  std::string name;  // The server or the file.
  bool connected = true;
  std::string error;                 // Why not.
  int64_t since = 0;                 // Not connected since.
  int64_t now = 0;                   // The time of a snapshot; 0 if time goes on.
  std::vector<std::string> notices;  // What the user may not see.

  friend bool operator==(const SourceRow&, const SourceRow&) = default;
};

struct OverviewRow {
  std::string id = "overview";
  double gpus = 0;
  double held = 0;
  double stranded = 0;      // Free GPUs that no pod can use.
  double parts = 0;         // What is left of shared GPUs.
  double largest_hole = 0;  // Usable free GPUs of one node.
  int64_t nodes = 0, nodes_ready = 0, pods = 0, workloads = 0;
  std::vector<std::string> levels;  // The topology's node labels, widest first.
  std::vector<ReasonRow> reasons;
  std::vector<ChangeRow> changes;  // The newest first.
  int64_t started = 0;             // Since when changes are recorded.
  SourceRow source;

  friend bool operator==(const OverviewRow&, const OverviewRow&) = default;
};

std::string ToJson(const NodeRow& row);
std::string ToJson(const WorkloadRow& row);
std::string ToJson(const QueueRow& row);
std::string ToJson(const OverviewRow& row);

}  // namespace coppice::page
