#pragma once

#include <string>

#include "base/result.h"
#include "json/value.h"
#include "store/store.h"

namespace coppice::server {

// "10.0.0.1:443": where the Service that a webhook's clientConfig names is reached. Its endpoints
// where there are any, for nobody forwards cluster addresses here; else its name or cluster
// address.
base::Result<std::string> ServiceAddress(store::Store& store, const json::Value& reference);

}  // namespace coppice::server
