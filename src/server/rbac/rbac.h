#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/result.h"
#include "json/value.h"
#include "server/rbac/attributes.h"
#include "store/store.h"

namespace coppice::server {

struct PolicyRule {
  std::vector<std::string> verbs, groups, resources, names, paths;

  static PolicyRule FromJson(const json::Value& rule);
  json::Value ToJson() const;
  bool Allows(const Attributes& attributes) const;
  // Whether this rule covers everything that `other` allows.
  bool Covers(const PolicyRule& other) const;
};

// Role-based access control from the roles and bindings in the store. Thread-safe.
class RbacAuthorizer {
 public:
  explicit RbacAuthorizer(store::Store& store);
  ~RbacAuthorizer();

  // Why it is allowed ("RBAC: allowed by …"), or nullopt if it is not.
  std::optional<std::string> Allow(const User& user, const Attributes& attributes);
  // Everything the user may do in a namespace ("" for cluster-wide only).
  std::vector<PolicyRule> RulesFor(const User& user, const std::string& ns);

 private:
  struct Grant {
    std::string ns;  // "" for all namespaces.
    std::string reason;
    std::vector<json::Value> subjects;
    std::string subject_namespace;
    std::shared_ptr<const std::vector<PolicyRule>> rules;
  };
  using Grants = std::vector<Grant>;

  std::shared_ptr<const Grants> Current();
  std::shared_ptr<const Grants> Build() const;

  store::Store& store_;
  std::vector<std::pair<std::string, store::Store::SubscriptionId>> subscriptions_;
  std::shared_ptr<std::atomic<bool>> stale_;
  std::mutex mutex_;  // Guards grants_.
  std::shared_ptr<const Grants> grants_;
};

// The Forbidden error in Kubernetes' words.
base::Error AccessDenied(const User& user, const Attributes& attributes,
                         std::string_view reason = "");

}  // namespace coppice::server
