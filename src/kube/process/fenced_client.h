#pragma once

#include "kube/client/intercepted_client.h"
#include "kube/process/leader.h"

namespace coppice::kube {

// Refuses writes unless this process is the leader, and has those that it lets through name the
// lease (see write_fence.h). What is let through just before the deadline has the rest of the
// lease's duration to arrive. `elector` must outlive this.
class FencedClient final : public InterceptedClient {
 public:
  FencedClient(Client& inner, const LeaderElector& elector)
      : InterceptedClient(inner), elector_(elector) {}

  base::Result<json::Value> Create(const Resource& resource, const json::Value& object,
                                   const WriteOptions& options = {}) override {
    return InterceptedClient::Create(resource, object, Fenced(options));
  }
  base::Result<json::Value> Update(const Resource& resource, const json::Value& object,
                                   const WriteOptions& options = {}) override {
    return InterceptedClient::Update(resource, object, Fenced(options));
  }
  base::Result<json::Value> Patch(const Resource& resource, const ObjectKey& key, PatchType type,
                                  const json::Value& patch,
                                  const WriteOptions& options = {}) override {
    return InterceptedClient::Patch(resource, key, type, patch, Fenced(options));
  }
  base::Status Delete(const Resource& resource, const ObjectKey& key,
                      const DeleteOptions& options = {}) override {
    return InterceptedClient::Delete(resource, key, Fenced(options));
  }
  base::Status DeleteCollection(const Resource& resource, const ListOptions& which,
                                const DeleteOptions& options = {}) override {
    return InterceptedClient::DeleteCollection(resource, which, Fenced(options));
  }

 protected:
  base::Status Before(const Call& call) override {
    if (!call.writes() || call.dry_run || elector_.IsLeader()) return {};
    return base::Cancelled("not the leader: " + call.What() + " is not written");
  }

 private:
  template <typename Options>
  Options Fenced(const Options& options) const {
    Options fenced = options;
    if (!options.dry_run) fenced.fence = elector_.Fence();
    return fenced;
  }

  const LeaderElector& elector_;
};

}  // namespace coppice::kube
