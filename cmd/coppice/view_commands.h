#pragma once

#include <CLI/CLI.hpp>

#include "cli/common/connect.h"
#include "cli/common/view_flags.h"
#include "cli/text/output.h"

namespace coppice {

// --kubeconfig and --context.
void AddServerFlags(CLI::App& command, cli::ClusterFlags& flags);
// Also --as and --as-group, for commands that people run.
void AddClusterFlags(CLI::App& command, cli::ClusterFlags& flags);
// -o.
void AddFormatFlag(CLI::App& command, cli::Format& format);

// The commands that show a cluster's state to people. `exit_code` is set when one has run.
void AddViewCommands(CLI::App& app, int& exit_code);

}  // namespace coppice
