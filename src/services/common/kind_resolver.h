#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "api/resource.h"
#include "base/result.h"
#include "kube/client/client.h"

namespace coppice::services {

// Finds the served resource of a kind, as owner references name it. Results are cached; a kind that
// is not served is looked up again each time. Thread-safe.
class KindResolver {
 public:
  explicit KindResolver(kube::Client& client) : client_(client) {}

  // NotFound when the cluster does not serve the kind.
  base::Result<api::Resource> Resolve(std::string_view api_version, std::string_view kind);

 private:
  base::Result<api::Resource> Discover(std::string_view api_version, std::string_view kind);

  kube::Client& client_;
  std::mutex mutex_;  // Guards known_.
  std::map<std::pair<std::string, std::string>, api::Resource> known_;
};

}  // namespace coppice::services
