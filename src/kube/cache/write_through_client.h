#pragma once

#include "kube/cache/informer_cache.h"
#include "kube/client/intercepted_client.h"

namespace coppice::kube {

// A client whose writes the cache shows at once, so that a process reads what it has written. What
// the watch delivers later is never hidden by it (own_writes.h). Both must outlive it.
class WriteThroughClient final : public InterceptedClient {
 public:
  WriteThroughClient(Client& inner, InformerCache& cache)
      : InterceptedClient(inner), cache_(cache) {}

  base::Result<json::Value> Create(const Resource& resource, const json::Value& object,
                                   const WriteOptions& options = {}) override;
  base::Result<json::Value> Update(const Resource& resource, const json::Value& object,
                                   const WriteOptions& options = {}) override;
  base::Result<json::Value> Patch(const Resource& resource, const ObjectKey& key, PatchType type,
                                  const json::Value& patch,
                                  const WriteOptions& options = {}) override;
  base::Status Delete(const Resource& resource, const ObjectKey& key,
                      const DeleteOptions& options = {}) override;

 private:
  base::Result<json::Value> Shown(const Resource& resource, const WriteOptions& options,
                                  base::Result<json::Value> answer);

  InformerCache& cache_;
};

}  // namespace coppice::kube
