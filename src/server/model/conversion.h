#pragma once

#include "json/value.h"
#include "server/model/registry.h"

namespace coppice::server {

// Converts between the stored and the served version. Custom resources differ only in apiVersion
// (strategy None).
json::Value ToStored(const ServedResource& served, json::Value object);
json::Value ToServed(const ServedResource& served, const json::Value& stored);
// True if ToServed returns the stored object unchanged, so its bytes can be sent.
bool IsStoredVersion(const ServedResource& served);

}  // namespace coppice::server
