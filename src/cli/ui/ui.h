#pragma once

#include <string>

#include "cli/common/connect.h"

namespace coppice::cli {

struct UiOptions {
  ClusterFlags cluster;
  std::string ns;        // To show if not all may be listed; "": the context's.
  std::string snapshot;  // A snapshot file instead of a cluster.
  std::string listen = "127.0.0.1:0";
  bool open = false;  // In the browser.
};

// Serves the web page until SIGINT or SIGTERM. Reads with the user's own rights and writes nothing.
int RunUi(const UiOptions& options);

}  // namespace coppice::cli
