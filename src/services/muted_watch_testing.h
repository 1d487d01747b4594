#pragma once

#include <utility>
#include <vector>

#include "kube/client/intercepted_client.h"

namespace coppice::services {

// A client whose watch of one resource falls silent when told to, and later says all it has kept to
// itself: a cache that lags behind. For one informer.
class MutedWatch : public kube::InterceptedClient {
 public:
  MutedWatch(kube::Client& inner, const api::Resource& resource)
      : InterceptedClient(inner), resource_(resource) {}

  base::Result<std::unique_ptr<kube::Watch>> StartWatch(const api::Resource& resource,
                                                        const kube::WatchOptions& options,
                                                        kube::WatchSink& sink) override {
    if (resource != resource_) return InterceptedClient::StartWatch(resource, options, sink);
    held_.sink = &sink;
    return InterceptedClient::StartWatch(resource, options, held_);
  }

  void Mute() { held_.silent = true; }
  void LetGo() { held_.LetGo(); }

 private:
  struct HeldSink final : kube::WatchSink {
    void OnEvent(kube::WatchEvent event) override {
      silent ? events.push_back(std::move(event)) : sink->OnEvent(std::move(event));
    }
    void OnEnd(base::Error reason) override { sink->OnEnd(std::move(reason)); }
    void LetGo() {
      silent = false;
      for (kube::WatchEvent& event : std::exchange(events, {})) sink->OnEvent(std::move(event));
    }

    kube::WatchSink* sink = nullptr;
    bool silent = false;
    std::vector<kube::WatchEvent> events;
  };

  const api::Resource resource_;
  HeldSink held_;
};

}  // namespace coppice::services
