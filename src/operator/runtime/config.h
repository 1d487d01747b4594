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

// How the operator works: the parts of an OperatorConfiguration file that controllers and
// admission read. Leader election, servers and certificates belong to the process that hosts them.
struct Config {
  bool topology_aware_scheduling = false;
  bool auto_mnnvl = false;
  // The schedulers that sets may name; also says whose behaviour counts where Grove's differs.
  backends::BackendConfig backends;

  bool authorizer = false;
  std::vector<std::string> exempt_users;
  std::string operator_user;  // Who the operator itself is to the API server.

  // Image, tag included, of the container that holds pods back until those they start after are
  // ready.
  std::string init_container_image = base::kOwnImage;

  // Keys worked on at once; as many as Grove's.
  int set_workers = 10;
  int clique_workers = 10;
  int group_workers = 5;

  // As the file says; the process that hosts the operator follows unless its flags say otherwise.
  std::optional<base::LogLevel> log_level;
  std::optional<bool> json_log;

  const backends::CompatibilityPolicy& policy() const { return *backends.policy; }
};

}  // namespace coppice::operators
