#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "json/value.h"

// Which volume an unbound claim gets on a node, without I/O.
namespace coppice::services::binder {

bool IsVolumeUsableOn(const json::Value& volume, const json::Value& node);

// The smallest free volume that satisfies the claim on the node, or null. `taken` names volumes
// that another bind has chosen already.
const json::Value* ChooseVolume(const json::Value& claim, const json::Value& node,
                                const std::vector<json::Value>& volumes,
                                const std::set<std::string>& taken);

struct StorageState {
  json::Value storage_class;
  std::vector<json::Value> drivers;
  std::vector<json::Value> capacities;
};

// Whether the class can provision a volume for the claim that the node can access.
base::Status CheckProvisioning(const json::Value& claim, const json::Value& node,
                               const StorageState& storage);

std::string StorageClassOf(const json::Value& claim_or_volume);

}  // namespace coppice::services::binder
