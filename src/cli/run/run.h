#pragma once

#include <string>
#include <vector>

#include "cli/common/connect.h"

namespace coppice::cli {

struct RunOptions {
  // Names from RunnableComponents(); or "backend" followed by backend ids.
  std::vector<std::string> what;
  // All flags as given, which say what follows; those of KAI's processes among them.
  std::vector<std::string> flags;
  ClusterFlags cluster;
  std::string config_file;        // The operator's configuration.
  bool dry_run = false;           // Check the configuration and stop.
  bool without_backends = false;  // The operator leaves gangs to `run backend` processes.
  std::string webhook_url;        // Where API servers find the operator's webhooks.
  std::string webhook_service;    // By which they find those of the other components.
  bool leader_elect = false;
  std::string lease_namespace = "coppice-system";
  std::string admin_address = "127.0.0.1:0";  // /metrics, /healthz, /readyz, /loglevel.
  bool log_level_given = false;               // By --log-level before `run`.
};

// Runs components against any cluster until SIGINT or SIGTERM. The profiles and the log level of
// the configuration file take effect while it runs; the rest of it when it starts.
int RunComponents(const RunOptions& options);

// The components that can run against any cluster.
std::vector<std::string> RunnableComponents();

// A line per component for --help; and those of the embedded cluster too.
std::string ListComponents();
// The flags of those components that are named among the arguments; where none is, how to ask.
std::string ExplainComponentFlags(const std::vector<std::string>& arguments);
std::string ListAllComponents();

}  // namespace coppice::cli
