#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "kube/client/client.h"
#include "services/platform/model/operand.h"

namespace coppice::services::platform {

// Brings the objects of one owner to the desired state: creates missing ones (service accounts
// first), updates those that differ, and deletes those no longer desired. Other writers' fields are
// kept. Steady state writes nothing. Thread-safe.
class Deployer {
 public:
  explicit Deployer(kube::Client& client) : client_(client) {}

  // `current`: every object that `owner` controls now.
  base::Status Deploy(const json::Value& owner, const Objects& desired, const Objects& current);
  // One object. Adopts it if it has no owner or an earlier one; fails if another Config or shard
  // deploys it.
  base::Status Apply(const json::Value& owner, const Desired& desired, const json::Value& live);

 private:
  struct Applied {
    json::Value desired;
    std::string resource_version;
  };
  base::Status CheckFree(const json::Value& owner, const Desired& desired, const std::string& id);
  bool IsUpToDate(const std::string& id, const json::Value& desired, const json::Value& live);

  kube::Client& client_;
  std::mutex mutex_;  // Guards applied_.
  std::map<std::string, Applied> applied_;
};

// True when every member of `part` is in `whole`; lists compare item by item.
bool Covers(const json::Value& whole, const json::Value& part);

}  // namespace coppice::services::platform
