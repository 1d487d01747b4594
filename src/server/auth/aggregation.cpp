#include "server/auth/aggregation.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "api/selectors/label_selector.h"
#include "json/content_hash.h"

namespace coppice::server {
namespace {

constexpr std::string_view kStorage = "rbac.authorization.k8s.io/clusterroles";

bool Gathers(const store::VersionPtr& role) { return role->value().Has("aggregationRule"); }

// What a role gathers, from those that have rules of their own. Roles that gather may be gathered
// themselves, also by one another: each is looked into once.
class Gathering {
 public:
  explicit Gathering(const std::vector<store::VersionPtr>& all) : all_(all) {}

  json::Value RulesFor(const store::VersionPtr& role) {
    Visit(role);
    return json::Value::Array(std::move(rules_));
  }

 private:
  void Visit(const store::VersionPtr& role) {
    if (!seen_.insert(role->name()).second) return;
    if (!Gathers(role)) return Add(role->value()["rules"]);
    for (const json::Value& selector :
         role->value()["aggregationRule"]["clusterRoleSelectors"].Items()) {
      const auto labels = api::LabelSelector::FromObject(selector);
      if (!labels) continue;
      for (const store::VersionPtr& other : all_) {
        if (labels->MatchesObject(other->value())) Visit(other);
      }
    }
  }

  void Add(const json::Value& rules) {
    for (const json::Value& rule : rules.Items()) {
      json::ContentHash hash;
      hash.Add(rule);
      const auto [first, last] = known_.equal_range(hash);
      const bool known =
          std::any_of(first, last, [&](const auto& entry) { return rules_[entry.second] == rule; });
      if (known) continue;
      known_.emplace(hash, rules_.size());
      rules_.push_back(rule);
    }
  }

  const std::vector<store::VersionPtr>& all_;
  std::set<std::string> seen_;
  std::vector<json::Value> rules_;
  std::unordered_multimap<json::ContentHash, size_t, json::ContentHash::Use> known_;
};

}  // namespace

void AggregateClusterRoles(Core& core) {
  for (bool again = true; again;) {
    again = false;
    const auto listing = core.store().List(kStorage, {});
    if (!listing) return;
    for (const store::VersionPtr& role : listing->items) {
      if (!Gathers(role)) continue;
      json::Value rules = Gathering(listing->items).RulesFor(role);
      if (rules == role->value()["rules"]) continue;
      json::Value next = role->value();
      next.Set("rules", std::move(rules));
      // Changed meanwhile, by somebody who may not have seen what we see.
      again |= core.store()
                   .Put(kStorage, role->name(), role->revision(), std::move(next))
                   .Is(base::ErrorCode::kConflict);
    }
  }
}

}  // namespace coppice::server
