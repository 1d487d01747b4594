#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kube/cache/cache.h"

namespace coppice::kube {

// Uids of all owner references, for kOwnerIndex.
std::vector<std::string> OwnerUids(const json::Value& object);

// Adds kOwnerIndex to the informer.
void AddOwnerIndex(Informer& informer);
// The objects with an owner reference to this uid; the informer needs kOwnerIndex.
std::vector<json::Value> OwnedBy(const Informer& informer, std::string_view owner_uid);

}  // namespace coppice::kube
