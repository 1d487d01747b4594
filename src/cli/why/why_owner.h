#pragma once

#include <optional>
#include <vector>

#include "base/result.h"
#include "engine/explain/explain.h"
#include "json/value.h"
#include "kube/client/client.h"

namespace coppice::cli {

// What a Job, Deployment, ReplicaSet or StatefulSet says about pods that it has not made: it is
// suspended, asks for none, is done, or its pods are refused. Nothing where it has all its pods.
// `pods`: those of its own.
base::Result<std::optional<engine::Explanation>> ExplainOwner(kube::Client& client,
                                                              const json::Value& owner,
                                                              const std::vector<json::Value>& pods);

// What is known of a PodCliqueSet that has no PodGang: nobody has taken it up, or it wants none.
engine::Explanation ExplainSetWithoutGangs(const json::Value& set, base::Time now);

// The newest Warning about the object itself; null without.
base::Result<json::Value> LastWarningAbout(kube::Client& client, const json::Value& object,
                                           std::string_view reason = {});

}  // namespace coppice::cli
