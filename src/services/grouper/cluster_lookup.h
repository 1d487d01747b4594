#pragma once

#include <set>

#include "kube/process/manager.h"
#include "services/common/kind_resolver.h"
#include "services/grouper/groups/lookup.h"

namespace coppice::services::grouper {

// The cluster through its API. Objects come from the shared cache if it has them, otherwise from
// the server, so that a new owner is always found.
class ClusterLookup final : public Lookup {
 public:
  explicit ClusterLookup(kube::Runtime runtime) : runtime_(runtime), resolver_(runtime.client) {}

  base::Result<json::Value> Get(std::string_view api_version, std::string_view kind,
                                std::string_view ns, std::string_view name) override;
  base::Result<std::vector<json::Value>> List(std::string_view api_version, std::string_view kind,
                                              std::string_view ns,
                                              std::string_view label_selector) override;
  // As Get, and the object must be the one of this uid.
  base::Result<json::Value> GetExact(std::string_view api_version, std::string_view kind,
                                     std::string_view ns, std::string_view name,
                                     std::string_view uid);

 private:
  base::Result<api::Resource> ResolveAtTimes(std::string_view api_version, std::string_view kind);
  std::optional<json::Value> FromCache(const api::Resource& resource, const api::ObjectKey& key);

  kube::Runtime runtime_;
  KindResolver resolver_;
  std::mutex mutex_;  // Guards both below.
  // Kinds that we may read, as a read has shown; for these the cache is used.
  std::set<api::Resource> readable_;
  // Kinds that the cluster did not serve at the last check, and its time.
  std::map<std::string, base::Instant> missing_;
};

}  // namespace coppice::services::grouper
