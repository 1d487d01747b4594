#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/common/view_flags.h"
#include "engine/model/result.h"
#include "json/value.h"
#include "kube/client/client.h"

namespace coppice::cli {

// The fair shares of the queues of a node pool; empty if unknown.
using ReadShares =
    std::function<base::Result<std::vector<engine::QueueShare>>(const std::string& node_pool)>;

// The queue tree, parents before their children; a queue whose parent is missing is at the top
// level (docs/cli.md has the document). GPUs, cores and bytes; -1 is unlimited. Without `shares`
// there are no fair shares, and for users who may not list all PodGroups no counts.
base::Result<json::Value> ReadQueues(kube::Client& client, const ReadShares& shares = {});

std::string FormatQueues(const json::Value& queues, const TextOptions& options = {});

}  // namespace coppice::cli
