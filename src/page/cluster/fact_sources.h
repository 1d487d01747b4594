#pragma once

#include <functional>
#include <mutex>

#include "kube/process/manager.h"
#include "page/facts/facts.h"

namespace coppice::page {

// Keeps facts in sync with the cache. Thread-safe.
class FactSources {
 public:
  // `on_change` is called, from any thread, after facts have changed.
  FactSources(kube::Runtime runtime, std::function<void()> on_change)
      : runtime_(runtime), on_change_(std::move(on_change)) {}

  // Before the manager starts. Fails if the server does not say which of Kueue's versions it
  // serves.
  base::Status Watch();

  // Calls `function` with the facts, which do not change meanwhile.
  template <typename Function>
  auto With(Function function) const {
    std::lock_guard lock(mutex_);
    return function(facts_);
  }

  // The first error of a resource that is not up to date.
  base::Status Following() const;

 private:
  template <typename Map, typename Read>
  void Follow(const api::Resource& resource, Map Facts::* map, Read read);
  base::Status FollowKueue();

  kube::Runtime runtime_;
  const std::function<void()> on_change_;
  std::vector<kube::Informer*> informers_;
  mutable std::mutex mutex_;  // Guards facts_.
  Facts facts_;
};

}  // namespace coppice::page
