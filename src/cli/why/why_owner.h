#pragma once

#include <optional>
#include <vector>

#include "base/result.h"
#include "engine/explain/explain.h"
#include "json/value.h"
#include "kube/client/client.h"

namespace coppice::cli {

// Why a Job, Deployment, ReplicaSet or StatefulSet has not created pods: it is suspended, scaled to
// zero, complete, or its pods are rejected. Nothing if it has all its pods. `pods`: the pods it
// owns.
base::Result<std::optional<engine::Explanation>> ExplainOwner(kube::Client& client,
                                                              const json::Value& owner,
                                                              const std::vector<json::Value>& pods);

// What is known of a PodCliqueSet that has no PodGang: nobody has taken it up, or it wants none.
engine::Explanation ExplainSetWithoutGangs(const json::Value& set, base::Time now);

// The newest Warning about the object itself; null without.
base::Result<json::Value> LastWarningAbout(kube::Client& client, const json::Value& object,
                                           std::string_view reason = {});

}  // namespace coppice::cli
