#pragma once

#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "engine/explain/explain.h"
#include "json/value.h"
#include "kube/client/client.h"

namespace coppice::cli {

// What pods of a gang show besides what nodes and queues allow. `object` is what the explanations
// are about.

// An object that is being deleted, perhaps with its namespace.
std::optional<engine::Explanation> ExplainDeletion(kube::Client& client, const json::Value& object);

// Gates of others than the gang's backend, which nobody of ours takes off; and pods that leave.
std::optional<engine::Explanation> ExplainGates(const json::Value& object,
                                                const std::vector<json::Value>& pods);

// Pods that should be gone by now, before which their owner makes no new ones: their node is down,
// or something else keeps them.
base::Result<std::optional<engine::Explanation>> ExplainStuckPods(
    kube::Client& client, const json::Value& owner, const std::vector<json::Value>& pods,
    base::Time now);

// Pods that could be placed and that nobody has placed for long: no scheduler runs.
std::optional<engine::Explanation> ExplainIdleScheduler(const json::Value& object,
                                                        const std::vector<json::Value>& pods,
                                                        base::Time now);

// Pods whose node is decided and that are not bound yet: what the binder waits for.
base::Result<std::optional<engine::Explanation>> ExplainBinding(
    kube::Client& client, const json::Value& object, const std::vector<json::Value>& pods);

// Pods that run, have ended or failed.
engine::Explanation ExplainRunning(const json::Value& object, const std::vector<json::Value>& pods);

// Whether the pod has scheduling gates, and no node.
bool IsGated(const json::Value& pod);
// Until when its scheduler leaves room to a gang of the same set instead of using it for these
// pods, as it has said about one of them.
std::optional<base::Time> RoomLeftUntil(const std::vector<json::Value>& pods);
// Whether it has succeeded or failed.
bool HasEnded(const json::Value& pod);

}  // namespace coppice::cli
