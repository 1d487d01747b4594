#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/common/view_flags.h"
#include "json/value.h"
#include "kube/client/client.h"

namespace coppice::cli {

struct HistoryOptions {
  ViewFlags view;
  std::vector<std::string> target;  // NAME, KIND/NAME or KIND NAME.
};

// What happened to a set, gang, Job, Deployment or pod and to what belongs to it: placed, evicted
// by whom and why, restarted. From events, conditions and the statuses of pods, oldest first;
// events only go back as far as the cluster keeps them.
int RunHistory(const HistoryOptions& options);

// docs/cli.md has the document.
base::Result<json::Value> ReadHistory(kube::Client& client, const std::string& ns,
                                      const std::string& target);
std::string FormatHistory(const json::Value& history, const TextOptions& options = {});

}  // namespace coppice::cli
