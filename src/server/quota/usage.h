#pragma once

#include <functional>
#include <map>
#include <string>

#include "api/resource.h"
#include "base/quantity.h"
#include "json/value.h"
#include "store/store.h"

// What objects count for in ResourceQuotas.
namespace coppice::server {

// By the names that quotas use: "pods", "requests.cpu", "count/deployments.apps".
using QuotaUsage = std::map<std::string, base::Quantity, std::less<>>;

// `storage` is the store's name of the resource: "/pods", "apps/deployments".
QuotaUsage UsageOf(std::string_view storage, const json::Value& object);

// Whether the quota's scopes include the object.
bool QuotaCovers(const json::Value& quota, std::string_view storage, const json::Value& object);

// The quota's status from everything that its namespace holds.
json::Value QuotaStatus(const json::Value& quota, const store::Store& store);

// The resources whose objects the quota counts.
std::vector<std::string> StoragesOf(const json::Value& quota);

}  // namespace coppice::server
