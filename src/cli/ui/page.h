#pragma once

#include <memory>
#include <optional>
#include <string>

#include "page/serve/page_server.h"
#include "services/scheduler/snapshot.h"

namespace coppice::cli {

struct ServedPage {
  std::string listen;            // ADDRESS:PORT.
  std::string kind = "cluster";  // Or "snapshot".
  std::string name;              // The server or the file, for people.
  std::string ns;                // Where to look if the user may not list all namespaces.
  std::optional<services::scheduler::Snapshot> snapshot;
};

// Serves the page of a cluster, which answers `why` as the command does. `client` and `executor`
// must outlive it.
base::Result<std::unique_ptr<page::PageServer>> ServePage(kube::Client& client,
                                                          kube::Executor& executor,
                                                          const ServedPage& what);

}  // namespace coppice::cli
