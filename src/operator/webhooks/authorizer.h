#pragma once

#include <functional>
#include <optional>
#include <string>

#include "json/value.h"
#include "operator/runtime/config.h"

namespace coppice::operators::webhooks {

// A request that changes a child of a set.
struct ChildRequest {
  enum class Operation { kCreate, kUpdate, kDelete, kConnect };

  Operation operation = Operation::kUpdate;
  std::string kind;
  std::string user;
  json::Value object;  // The current object on update and delete, the new one on create.
};

struct Decision {
  bool allowed = true;
  std::string reason;   // Why it is denied.
  std::string warning;  // Set if it is allowed but something is odd.
};

// Whether a user may change a set's children directly: only the operator and exempt users, unless
// the set disables the protection. Pods may be deleted by anyone whom RBAC allows to.
using FindSet =
    std::function<std::optional<json::Value>(const std::string& ns, const std::string& name)>;
Decision Authorize(const Config& config, const FindSet& find_set, const ChildRequest& request);

}  // namespace coppice::operators::webhooks
