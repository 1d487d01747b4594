#pragma once

#include <string>
#include <vector>

#include "cli/common/fail.h"
#include "cli/common/view_flags.h"
#include "cli/text/print.h"

// Commands that show a cluster's state. Each returns the process's exit code.
namespace coppice::cli {

struct TreeOptions {
  ViewFlags view;
  std::vector<std::string> target;  // None: everything.
};
int RunTree(const TreeOptions& options);

struct QueuesOptions {
  ViewFlags view;
};
int RunQueues(const QueuesOptions& options);

struct TopOptions {
  ViewFlags view;
  std::string part;  // "nodes" or "racks"; "": both.
};
int RunTop(const TopOptions& options);

}  // namespace coppice::cli
