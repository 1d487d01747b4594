#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "json/value.h"
#include "kube/client/client.h"

namespace coppice::cli {

// Objects of a resource; empty if the cluster does not serve it. `ns` "" means all namespaces.
base::Result<std::vector<json::Value>> ListOrNone(kube::Client& client,
                                                  const api::Resource& resource,
                                                  std::string_view ns);

}  // namespace coppice::cli
