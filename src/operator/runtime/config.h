#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backends/framework/config.h"
#include "base/log.h"
#include "base/own_image.h"
#include "base/result.h"
#include "json/value.h"

namespace coppice::operators {

// The operator's configuration: the parts of an OperatorConfiguration file that controllers and
// admission read. Leader election, servers and certificates belong to the process that hosts them.
struct Config {
  bool topology_aware_scheduling = false;
  bool auto_mnnvl = false;
  // The schedulers that sets may name, and the compatibility policy.
  backends::BackendConfig backends;

  bool authorizer = false;
  std::vector<std::string> exempt_users;
  std::string operator_user;  // The operator's own user name on the API server.

  // Image (with tag) of the init container that delays pods until the pods they start after are
  // ready.
  std::string init_container_image = base::kOwnImage;

  // Concurrent reconciles; the same numbers as Grove's.
  int set_workers = 10;
  int clique_workers = 10;
  int group_workers = 5;

  // From the file. The process that hosts the operator uses them unless its flags override them.
  std::optional<base::LogLevel> log_level;
  std::optional<bool> json_log;

  const backends::CompatibilityPolicy& policy() const { return *backends.policy; }
};

}  // namespace coppice::operators
