#pragma once

#include <string>
#include <vector>

#include "cli/common/connect.h"

namespace coppice::cli {

struct RunOptions {
  // Names from RunnableComponents(); or "backend" followed by backend ids.
  std::vector<std::string> what;
  // All flags as given, from which the following fields are parsed; includes the flags of KAI's
  // processes.
  std::vector<std::string> flags;
  ClusterFlags cluster;
  std::string config_file;        // The operator's configuration.
  bool dry_run = false;           // Validate the configuration and exit.
  bool without_backends = false;  // The operator leaves gangs to `run backend` processes.
  std::string webhook_url;        // Where API servers reach the operator's webhooks.
  std::string webhook_service;    // The Service of the other components' webhooks.
  bool leader_elect = false;
  std::string lease_namespace = "coppice-system";
  std::string admin_address = "127.0.0.1:0";  // /metrics, /healthz, /readyz, /loglevel.
  bool log_level_given = false;               // --log-level was given before `run`.
};

// Runs components against any cluster until SIGINT or SIGTERM. Profiles and log level from the
// configuration file are reloaded while it runs; the rest is read at start.
int RunComponents(const RunOptions& options);

// The components that can run against any cluster.
std::vector<std::string> RunnableComponents();

// One line per component for --help; ListAllComponents includes those of the embedded cluster.
std::string ListComponents();
// The flags of the components named in the arguments; if none is named, how to ask for them.
std::string ExplainComponentFlags(const std::vector<std::string>& arguments);
std::string ListAllComponents();

}  // namespace coppice::cli
