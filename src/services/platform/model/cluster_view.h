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

  // Only the Config of this name counts; null if there is none.
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

// Kinds that the two controllers own: built-in kinds, and those that need a CRD.
const std::vector<api::Resource>& ConfigKinds();
const std::vector<api::Resource>& ShardKinds();
const std::vector<api::Resource>& OptionalKinds();

// Why objects do not exist, or are not ready yet; empty if all are.
std::string WhatIsMissing(const Objects& desired, const ClusterView& cluster);
std::string WhatIsUnavailable(const Objects& desired, const ClusterView& cluster);

}  // namespace coppice::services::platform
