#pragma once

#include <string>

#include "cli/common/connect.h"
#include "cli/queues/queue_settings.h"
#include "kube/client/client.h"

namespace coppice::cli {

// `coppice queue create|set|hold|resume|delete NAME`: KAI's Queue objects.
struct QueueCommand {
  ClusterFlags cluster;
  std::string verb;
  std::string name;
  QueueSettings settings;  // For create and set.
  bool force = false;      // delete: even if work is in it.
};
int RunQueueCommand(const QueueCommand& command);

// The same on an existing client; returns the line to print.
base::Result<std::string> ChangeQueue(kube::Client& client, const QueueCommand& command);

}  // namespace coppice::cli
