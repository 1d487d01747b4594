#pragma once

#include <string>

#include "base/result.h"
#include "json/value.h"
#include "store/store.h"

namespace coppice::server {

// "10.0.0.1:8443": a ready endpoint of the Service that a webhook's clientConfig names, from its
// EndpointSlices or, without any, its Endpoints, or else the pods that it selects. Fails in
// kube-apiserver's words, as with `no endpoints available for service "hook"`.
//
// Nobody forwards cluster addresses here, and nobody needs more than the right to write Endpoints
// to name an address. So only those are answered that the cluster itself vouches for: of this
// machine, of a pod in the Service's namespace that has not ended, or of a node. Loopback and
// link-local addresses never are.
base::Result<std::string> ServiceAddress(const store::Store& store, const json::Value& reference);

}  // namespace coppice::server
