#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/why/why_target.h"
#include "engine/model/explanation.h"
#include "json/value.h"
#include "kube/client/client.h"

namespace coppice::cli {

// The operator's last failures for the sets behind a name, one explanation per object. Pods that
// the API server rejects never reach a scheduler.
base::Result<std::vector<engine::Explanation>> FindFailures(kube::Client& client,
                                                            const std::string& ns,
                                                            const std::string& target,
                                                            const std::vector<WhyTarget>& groups);

}  // namespace coppice::cli
