#pragma once

#include "kube/client/intercepted_client.h"
#include "kube/executor/executor.h"

namespace coppice::scenario {

// Prints what is written through it, when, and how that ended: for whoever looks into a scenario.
class TracedClient final : public kube::InterceptedClient {
 public:
  TracedClient(kube::Client& inner, kube::Executor& executor)
      : InterceptedClient(inner), executor_(executor) {}

  base::Result<json::Value> Create(const api::Resource& resource, const json::Value& object,
                                   const kube::WriteOptions& options = {}) override;
  base::Result<json::Value> Update(const api::Resource& resource, const json::Value& object,
                                   const kube::WriteOptions& options = {}) override;
  base::Result<json::Value> Patch(const api::Resource& resource, const api::ObjectKey& key,
                                  kube::PatchType type, const json::Value& patch,
                                  const kube::WriteOptions& options = {}) override;

 protected:
  base::Status After(const kube::Call& call, const base::Status& outcome) override;

 private:
  kube::Executor& executor_;
  json::Value body_;  // Of the write that is being made; the stepper makes one at a time.
};

}  // namespace coppice::scenario
