#pragma once

#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "engine/model/explanation.h"
#include "json/value.h"
#include "kube/client/client.h"

namespace coppice::cli {

// What the pods of a gang show, apart from nodes and queues. `object` is the subject of the
// explanations.

// An object that is being deleted, perhaps with its namespace.
std::optional<engine::Explanation> ExplainDeletion(kube::Client& client, const json::Value& object);

// Scheduling gates of third parties, which we do not remove; and terminating pods.
std::optional<engine::Explanation> ExplainGates(const json::Value& object,
                                                const std::vector<json::Value>& pods);

// Pods that should be gone by now and block their owner from creating new ones: their node is down,
// or something else keeps them.
base::Result<std::optional<engine::Explanation>> ExplainStuckPods(
    kube::Client& client, const json::Value& owner, const std::vector<json::Value>& pods,
    base::Time now);

// Pods that could be placed but have not been for a long time: no scheduler is running.
std::optional<engine::Explanation> ExplainIdleScheduler(const json::Value& object,
                                                        const std::vector<json::Value>& pods,
                                                        base::Time now);

// Pods whose node is decided but that are not bound yet: what the binder waits for.
base::Result<std::optional<engine::Explanation>> ExplainBinding(
    kube::Client& client, const json::Value& object, const std::vector<json::Value>& pods);

// Pods that run, have completed or have failed.
engine::Explanation ExplainRunning(const json::Value& object, const std::vector<json::Value>& pods);

// Whether the pod has scheduling gates and no node.
bool IsGated(const json::Value& pod);
// Until when the scheduler leaves capacity to a gang of the same set instead of using it for these
// pods, according to its message on one of them.
std::optional<base::Time> RoomLeftUntil(const std::vector<json::Value>& pods);
// Whether it has succeeded or failed.
bool HasEnded(const json::Value& pod);

}  // namespace coppice::cli
