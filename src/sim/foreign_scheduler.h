#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "api/resource.h"
#include "base/result.h"
#include "json/value.h"
#include "kube/client/client.h"

// What scenarios need from other schedulers: their kinds, and what they do to pods.
namespace coppice::sim {

// The CustomResourceDefinitions of a project ("kueue", "volcano", …).
using ForeignCrds = std::function<std::vector<json::Value>(const std::string& project)>;

// The resource of an object whose kind is defined by these CRDs.
std::optional<api::Resource> DefinedIn(const std::vector<json::Value>& crds,
                                       const json::Value& object);

// Binds every schedulable pod: {labels: "app=a", ns: default, node: node-0}. Skips pods that have
// gates or a node; an error if there is none to bind.
base::Status BindPods(kube::Client& client, const json::Value& target);

// Creates the placeholders that YuniKorn creates for the pods of a gang before it places them, one
// for each, marked as unschedulable: {labels: "app=a", ns: default, message: "why not"}.
base::Status MakePlaceholders(kube::Client& client, const json::Value& target);

}  // namespace coppice::sim
