#include "server/auth/aggregation.h"

#include <algorithm>

#include "api/selectors/label_selector.h"
#include "kube/object.h"

namespace coppice::server {
namespace {

constexpr std::string_view kStorage = "rbac.authorization.k8s.io/clusterroles";

json::Value Gather(const json::Value& role, const std::vector<store::VersionPtr>& all) {
  json::Value rules = json::Value::Array();
  for (const json::Value& selector : role["aggregationRule"]["clusterRoleSelectors"].Items()) {
    const auto labels = api::LabelSelector::FromObject(selector);
    if (!labels) continue;
    for (const store::VersionPtr& other : all) {
      if (other->name() == kube::Name(role) || !labels->MatchesObject(other->value())) continue;
      for (const json::Value& rule : other->value()["rules"].Items()) {
        const auto known = rules.Items();
        if (std::find(known.begin(), known.end(), rule) == known.end()) rules.Append(rule);
      }
    }
  }
  return rules;
}

}  // namespace

void AggregateClusterRoles(Core& core) {
  // Roles that gather may be gathered themselves: a few rounds reach the end.
  for (bool changed = true; changed;) {
    changed = false;
    const auto listing = core.store().List(kStorage, {});
    if (!listing) return;
    for (const store::VersionPtr& version : listing->items) {
      const json::Value& role = version->value();
      if (!role.Has("aggregationRule")) continue;
      json::Value rules = Gather(role, listing->items);
      if (rules == role["rules"]) continue;
      json::Value next = role;
      next.Set("rules", std::move(rules));
      changed |= core.store().Put(kStorage, version->name(), version->revision(), next).ok();
    }
  }
}

}  // namespace coppice::server
