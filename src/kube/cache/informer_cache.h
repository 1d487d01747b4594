#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "kube/cache/informer.h"

namespace coppice::kube {

// The cache that the manager hands out. Thread-safe.
class InformerCache final : public Cache {
 public:
  // `options` are for every informer; what to select and keep comes with InformerFor.
  // `on_synced` is called whenever another informer has synced.
  InformerCache(Client& client, Executor& executor, Reflector::Options options,
                std::function<void()> on_synced);

  Informer& InformerFor(const Resource& resource, const InformerOptions& options) override;

  // Lets the informers of this resource show a write of this process (see ReflectedInformer).
  void Wrote(const Resource& resource, const json::Value& object);
  void Deleted(const Resource& resource, const ObjectKey& key, const DeleteOptions& options);

  void Start();
  // True when started and all informers so far have synced, but for optional ones.
  bool Synced() const;
  void Stop();

 private:
  std::vector<ReflectedInformer*> InformersOf(const Resource& resource) const;

  Client& client_;
  Executor& executor_;
  const Reflector::Options options_;
  const std::function<void()> on_synced_;

  mutable std::mutex mutex_;                    // Guards all below; informers are never removed.
  using Id = std::pair<Resource, std::string>;  // With the field selector.
  std::map<Id, std::unique_ptr<ReflectedInformer>> informers_;
  std::map<Resource, std::vector<ReflectedInformer*>> by_resource_;  // The same.
  std::map<Id, InformerOptions> selections_;  // Optional until a caller requires it.
  bool started_ = false;
};

}  // namespace coppice::kube
