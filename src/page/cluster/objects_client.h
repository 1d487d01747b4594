#pragma once

#include <map>
#include <vector>

#include "kube/client/client.h"
#include "kube/executor/task_scope.h"
#include "services/scheduler/snapshot.h"

namespace coppice::page {

// A client onto objects that never change, such as those of a snapshot. Serves exactly the
// resources that it has been given. Writes fail. Thread-safe.
class ObjectsClient final : public kube::Client {
 public:
  using Objects = std::map<kube::Resource, std::vector<json::Value>>;

  ObjectsClient(Objects objects, kube::Executor& executor);

  base::Result<json::Value> Get(const kube::Resource& resource, const kube::ObjectKey& key,
                                const kube::GetOptions& options = {}) override;
  // Selects by namespace; ignores selectors.
  base::Result<kube::ObjectList> List(const kube::Resource& resource,
                                      const kube::ListOptions& options = {}) override;
  base::Result<std::unique_ptr<kube::Watch>> StartWatch(const kube::Resource& resource,
                                                        const kube::WatchOptions& options,
                                                        kube::WatchSink& sink) override;
  base::Result<json::Value> Create(const kube::Resource& resource, const json::Value& object,
                                   const kube::WriteOptions& options = {}) override;
  base::Result<json::Value> Update(const kube::Resource& resource, const json::Value& object,
                                   const kube::WriteOptions& options = {}) override;
  base::Result<json::Value> Patch(const kube::Resource& resource, const kube::ObjectKey& key,
                                  kube::PatchType type, const json::Value& patch,
                                  const kube::WriteOptions& options = {}) override;
  base::Status Delete(const kube::Resource& resource, const kube::ObjectKey& key,
                      const kube::DeleteOptions& options = {}) override;
  base::Status DeleteCollection(const kube::Resource& resource, const kube::ListOptions& which,
                                const kube::DeleteOptions& options = {}) override;
  // Discovery of one group and version.
  base::Result<json::Value> GetPath(std::string_view path) override;

 private:
  Objects objects_;
  kube::TaskScope scope_;
};

// The objects of a snapshot file by resource. Resources that snapshots hold are served even if
// there are none of them.
ObjectsClient::Objects ObjectsOf(const services::scheduler::Snapshot& snapshot);

}  // namespace coppice::page
