#pragma once

#include <optional>
#include <vector>

#include "base/result.h"
#include "engine/explain/explain.h"
#include "json/value.h"
#include "kube/client/client.h"

namespace coppice::cli {

// Why a Job, Deployment, ReplicaSet or StatefulSet has not created pods: it is suspended, scaled to
// zero, complete, its pods are rejected, or one of them does not leave. Nothing if it has all its
// pods. `pods`: the pods it owns.
base::Result<std::optional<engine::Explanation>> ExplainOwner(kube::Client& client,
                                                              const json::Value& owner,
                                                              const std::vector<json::Value>& pods,
                                                              base::Time now);

// Where a new pod of a Deployment waits for room, and its old ones stay until the new one runs:
// that they may go first would do, too. `all`: pods of the namespace; `pods`: those that are
// explained.
void AddRollout(const json::Value& deployment, const std::vector<json::Value>& all,
                const std::vector<json::Value>& pods, engine::Explanation& out);

// What is known of a PodCliqueSet that has no PodGang: nobody has taken it up, or it wants none.
engine::Explanation ExplainSetWithoutGangs(const json::Value& set, base::Time now);

// The newest Warning about the object itself; null without.
base::Result<json::Value> LastWarningAbout(kube::Client& client, const json::Value& object,
                                           std::string_view reason = {});

}  // namespace coppice::cli
