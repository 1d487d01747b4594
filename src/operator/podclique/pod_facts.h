#pragma once

#include <optional>
#include <string_view>

#include "json/value.h"

// The state of a pod, read from its document.
namespace coppice::operators::podclique {

bool IsReady(const json::Value& pod);
// Bound to a node.
bool IsScheduled(const json::Value& pod);
bool IsGated(const json::Value& pod);
// Neither being deleted nor finished.
bool IsActive(const json::Value& pod);
bool IsFinished(const json::Value& pod);
// A container or init container failed the last time it ran.
bool HasFailedBefore(const json::Value& pod);
// A container has started and is not ready.
bool IsStartedButNotReady(const json::Value& pod);
std::string_view Phase(const json::Value& pod);
std::string_view TemplateHash(const json::Value& pod);
// The pod's index within its clique, from its hostname.
std::optional<int> IndexOf(const json::Value& pod);

}  // namespace coppice::operators::podclique
