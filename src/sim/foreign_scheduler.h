#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "api/resource.h"
#include "base/result.h"
#include "json/value.h"
#include "kube/client/client.h"

// What scenarios need of schedulers that are not ours: their kinds, and what they do to pods.
namespace coppice::sim {

// The CustomResourceDefinitions of a project ("kueue", "volcano", …).
using ForeignCrds = std::function<std::vector<json::Value>(const std::string& project)>;

// The resource of an object whose kind is among these definitions.
std::optional<api::Resource> DefinedIn(const std::vector<json::Value>& crds,
                                       const json::Value& object);

// Binds every pod that could be placed: {labels: "app=a", ns: default, node: node-0}. One that has
// gates or a node is left alone; an error when there is none to bind.
base::Status BindPods(kube::Client& client, const json::Value& target);

// What YuniKorn makes for pods of a gang before it places them: a placeholder for each, which it
// could not place: {labels: "app=a", ns: default, message: "why not"}.
base::Status MakePlaceholders(kube::Client& client, const json::Value& target);

}  // namespace coppice::sim
