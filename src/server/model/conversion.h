#pragma once

#include "json/value.h"
#include "server/model/registry.h"

namespace coppice::server {

// Between the version that is stored and the one that is served. Custom resources differ in
// apiVersion alone (strategy None).
json::Value ToStored(const ServedResource& served, json::Value object);
json::Value ToServed(const ServedResource& served, const json::Value& stored);
// True when ToServed returns the stored object as it is, so that its bytes can be sent.
bool IsStoredVersion(const ServedResource& served);

}  // namespace coppice::server
