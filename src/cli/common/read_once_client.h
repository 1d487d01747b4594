#pragma once

#include <map>
#include <mutex>
#include <string>

#include "kube/client/intercepted_client.h"

namespace coppice::cli {

// Lists each resource once and answers the same list from memory after that, so that explaining a
// thousand groups reads the cluster once. For one answer to a user, not for controllers: it shows
// the cluster as it was when it first asked. Thread-safe.
class ReadOnceClient final : public kube::InterceptedClient {
 public:
  using InterceptedClient::InterceptedClient;

  base::Result<kube::ObjectList> List(const kube::Resource& resource,
                                      const kube::ListOptions& options = {}) override;

 private:
  std::mutex mutex_;  // Guards lists_.
  std::map<std::string, kube::ObjectList> lists_;
};

}  // namespace coppice::cli
