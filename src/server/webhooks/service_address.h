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
// Nothing forwards cluster IPs here, and anyone who may write Endpoints can name any address. So
// only addresses that the cluster itself confirms are used: of this machine, of a pod in the
// Service's namespace that has not ended, or of a node. Loopback and link-local addresses are never
// used.
base::Result<std::string> ServiceAddress(const store::Store& store, const json::Value& reference);

}  // namespace coppice::server
