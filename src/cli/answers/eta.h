#pragma once

#include <string>
#include <vector>

#include "cli/answers/asked_cluster.h"
#include "cli/text/output.h"

namespace coppice::cli {

struct EtaCommand {
  AskedFlags asked;
  std::string ns;      // "": the context's namespace; all in a snapshot.
  std::string target;  // As for `why`; in a snapshot, a PodGroup or what it shows as ("job/a").
  Format format = Format::kText;
};

// When waiting work should start, and what that rests on. Changes nothing.
int RunEta(const EtaCommand& options);

// The groups of a cluster that was read which `target` means: by name, or by what users call them.
base::Result<std::vector<engine::InputKey>> FindAskedGroups(const AskedCluster& cluster,
                                                            const std::string& ns,
                                                            const std::string& target);
// A list with one answer per group.
base::Result<json::Value> ReadEta(AskedCluster& cluster,
                                  const std::vector<engine::InputKey>& groups);
// Formats it for humans, with times relative to `now`.
std::string FormatEta(const json::Value& answers, base::Time now);

}  // namespace coppice::cli
