#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "kube/client/intercepted_client.h"
#include "kube/executor/task_scope.h"

namespace coppice::page {

// A cluster as far as its user may see it. What they may not list in all namespaces, they see in
// one; what they may not list there either, and what the cluster does not serve, is empty. Asks
// again once a minute. Reads only: writes fail. Thread-safe.
class VisibleClient final : public kube::InterceptedClient {
 public:
  // `ns`: where to look if not everywhere. Both must outlive the client.
  VisibleClient(kube::Client& inner, kube::Executor& executor, std::string ns)
      : InterceptedClient(inner), ns_(std::move(ns)), scope_(executor) {}

  base::Result<kube::ObjectList> List(const kube::Resource& resource,
                                      const kube::ListOptions& options = {}) override;
  base::Result<std::unique_ptr<kube::Watch>> StartWatch(const kube::Resource& resource,
                                                        const kube::WatchOptions& options,
                                                        kube::WatchSink& sink) override;

  // Whether all objects of a resource have been seen.
  bool SeesAll(const kube::Resource& resource) const;
  // What is hidden, and what to ask for, for humans.
  std::vector<std::string> Notices() const;

 protected:
  base::Status Before(const kube::Call& call) override;

 private:
  enum class Access { kAll, kNamespace, kForbidden, kNotServed };
  Access AccessTo(const kube::Resource& resource) const;
  void Note(const kube::Resource& resource, Access access);

  const std::string ns_;
  mutable std::mutex mutex_;  // Guards access_.
  std::map<kube::Resource, Access> access_;
  kube::TaskScope scope_;
};

}  // namespace coppice::page
