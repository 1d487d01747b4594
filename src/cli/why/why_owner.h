#pragma once

#include <optional>
#include <vector>

#include "base/result.h"
#include "engine/model/explanation.h"
#include "json/value.h"
#include "kube/client/client.h"

namespace coppice::cli {

// Why a Job, Deployment, ReplicaSet or StatefulSet has not created pods: it is suspended, scaled to
// zero or complete, its pods are rejected, or an old pod does not terminate. nullopt if it has all
// its pods. `pods`: the pods it owns.
base::Result<std::optional<engine::Explanation>> ExplainOwner(kube::Client& client,
                                                              const json::Value& owner,
                                                              const std::vector<json::Value>& pods,
                                                              base::Time now);

// If a new pod of a Deployment waits for capacity while the old ones stay until it runs: suggests
// letting the old ones go first. `all`: pods of the namespace; `pods`: those being explained.
void AddRollout(const json::Value& deployment, const std::vector<json::Value>& all,
                const std::vector<json::Value>& pods, engine::Explanation& out);

// What is known about a PodCliqueSet without PodGangs: no operator has processed it, or it has no
// replicas.
engine::Explanation ExplainSetWithoutGangs(const json::Value& set, base::Time now);

// The newest Warning event about the object itself; null if there is none.
base::Result<json::Value> LastWarningAbout(kube::Client& client, const json::Value& object,
                                           std::string_view reason = {});

}  // namespace coppice::cli
