#pragma once

#include <functional>
#include <optional>
#include <string>

#include "json/value.h"
#include "operator/runtime/config.h"

namespace coppice::operators::webhooks {

// A request that changes an object which belongs to a set.
struct ChildRequest {
  enum class Operation { kCreate, kUpdate, kDelete, kConnect };

  Operation operation = Operation::kUpdate;
  std::string kind;
  std::string user;
  json::Value object;  // The present object on update and delete, the new one on create.
};

struct Decision {
  bool allowed = true;
  std::string reason;   // Why not.
  std::string warning;  // Why, although something is odd.
};

// Whether somebody may change a set's children behind its back: nobody but the operator and exempt
// users, unless the set says so. Pods may be deleted by whoever has the right to.
using FindSet =
    std::function<std::optional<json::Value>(const std::string& ns, const std::string& name)>;
Decision Authorize(const Config& config, const FindSet& find_set, const ChildRequest& request);

}  // namespace coppice::operators::webhooks
