#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kube/process/manager.h"
#include "services/platform/model/operand.h"

namespace coppice::services::platform {

// What the platform operator sees of the cluster. Thread-safe.
class ClusterView {
 public:
  ClusterView(kube::Runtime runtime, const std::string& ns);

  // The Config with this name is the only one that counts; null when there is none.
  json::Value Config() const;
  std::vector<json::Value> Shards() const { return shards_.List(); }
  base::Result<Surroundings> Look() const;

  // Every object of these kinds that `owner` controls.
  Objects OwnedBy(const json::Value& owner, const std::vector<api::Resource>& kinds) const;
  bool Serves(const api::Resource& resource) const;
  std::optional<json::Value> Get(const api::Resource& resource, const api::ObjectKey& key) const;

 private:
  kube::Runtime runtime_;
  kube::Informer& configs_;
  kube::Informer& shards_;
};

// Kinds that the two controllers own: those every cluster has, and those that need a CRD.
const std::vector<api::Resource>& ConfigKinds();
const std::vector<api::Resource>& ShardKinds();
const std::vector<api::Resource>& OptionalKinds();

// Why objects do not exist, or do not work yet; empty when all is well.
std::string WhatIsMissing(const Objects& desired, const ClusterView& cluster);
std::string WhatIsUnavailable(const Objects& desired, const ClusterView& cluster);

}  // namespace coppice::services::platform
