#pragma once

#include <string>

#include "base/result.h"
#include "cli/common/view_flags.h"
#include "json/value.h"
#include "kube/client/client.h"

namespace coppice::cli {

// Nodes and topology domains with their GPUs: how many there are, how many are free, the largest
// hole (the whole GPUs that are free on one node), and the number of pods. Only nodes that take
// pods have anything free. `selector` chooses nodes by label. docs/cli.md has the document.
base::Result<json::Value> ReadTop(kube::Client& client, const std::string& selector = {});

enum class TopPart { kAll, kNodes, kDomains };
// kAll leaves the nodes out if there are many of them.
std::string FormatTop(const json::Value& top, TopPart part, const TextOptions& options = {});

}  // namespace coppice::cli
