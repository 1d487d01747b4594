#include "server/rbac/rbac.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "json/strings.h"
#include "kube/object.h"

namespace coppice::server {
namespace {

constexpr std::string_view kStoragePrefix = "rbac.authorization.k8s.io/";

bool Has(const std::vector<std::string>& list, std::string_view item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

bool MatchesResource(const std::vector<std::string>& resources, const Attributes& attributes) {
  const std::string full = attributes.FullResource();
  for (const std::string& resource : resources) {
    if (resource == "*" || resource == full) return true;
    if (!attributes.subresource.empty() && resource == "*/" + attributes.subresource) return true;
  }
  return false;
}

bool MatchesPath(const std::vector<std::string>& paths, const std::string& path) {
  for (const std::string& each : paths) {
    if (each == "*" || each == path) return true;
    if (!each.empty() && each.back() == '*' &&
        path.compare(0, each.size() - 1, each, 0, each.size() - 1) == 0) {
      return true;
    }
  }
  return false;
}

bool AllNamedIn(const std::vector<std::string>& wanted, const std::vector<std::string>& have) {
  return std::all_of(wanted.begin(), wanted.end(),
                     [&](const auto& each) { return Has(have, each); });
}

bool AllIn(const std::vector<std::string>& wanted, const std::vector<std::string>& have) {
  return Has(have, "*") || AllNamedIn(wanted, have);
}

bool IsSubject(const User& user, const json::Value& subject, const std::string& default_ns) {
  const std::string_view kind = subject["kind"].AsString();
  const std::string name = subject["name"].ToString();
  if (kind == "User") return user.name == name;
  if (kind == "Group") return user.InGroup(name);
  if (kind != "ServiceAccount") return false;
  const std::string ns = subject["namespace"].ToString(default_ns);
  return user.name == "system:serviceaccount:" + ns + ":" + name;
}

using RuleList = std::shared_ptr<const std::vector<PolicyRule>>;

RuleList RulesOf(const json::Value& role) {
  auto rules = std::make_shared<std::vector<PolicyRule>>();
  for (const json::Value& rule : role["rules"].Items())
    rules->push_back(PolicyRule::FromJson(rule));
  return rules;
}

}  // namespace

PolicyRule PolicyRule::FromJson(const json::Value& rule) {
  return {json::ReadStrings(rule["verbs"]), json::ReadStrings(rule["apiGroups"]),
          json::ReadStrings(rule["resources"]), json::ReadStrings(rule["resourceNames"]),
          json::ReadStrings(rule["nonResourceURLs"])};
}

json::Value PolicyRule::ToJson() const {
  json::Value rule = json::Value::Object({{"verbs", json::StringList(verbs)}});
  if (!groups.empty()) rule.Set("apiGroups", json::StringList(groups));
  if (!resources.empty()) rule.Set("resources", json::StringList(resources));
  if (!names.empty()) rule.Set("resourceNames", json::StringList(names));
  if (!paths.empty()) rule.Set("nonResourceURLs", json::StringList(paths));
  return rule;
}

bool PolicyRule::Allows(const Attributes& attributes) const {
  if (!Has(verbs, "*") && !Has(verbs, attributes.verb)) return false;
  if (!attributes.is_resource) return MatchesPath(paths, attributes.path);
  if (!Has(groups, "*") && !Has(groups, attributes.group)) return false;
  if (!MatchesResource(resources, attributes)) return false;
  return names.empty() || Has(names, attributes.name);
}

bool PolicyRule::Covers(const PolicyRule& other) const {
  if (!AllIn(other.verbs, verbs)) return false;
  if (!other.paths.empty()) {
    return std::all_of(other.paths.begin(), other.paths.end(),
                       [&](const auto& path) { return MatchesPath(paths, path); });
  }
  if (!AllIn(other.groups, groups) || !AllIn(other.resources, resources)) return false;
  // A name has no wildcard: "*" is an object of that name, which does not exist.
  return names.empty() || (!other.names.empty() && AllNamedIn(other.names, names));
}

RbacAuthorizer::RbacAuthorizer(store::Store& store)
    : store_(store), stale_(std::make_shared<std::atomic<bool>>(true)) {
  for (const char* plural : {"roles", "rolebindings", "clusterroles", "clusterrolebindings"}) {
    const std::string resource = std::string(kStoragePrefix) + plural;
    subscriptions_.emplace_back(resource,
                                store_.Subscribe(resource, [stale = stale_] { *stale = true; }));
  }
}

RbacAuthorizer::~RbacAuthorizer() {
  for (const auto& [resource, id] : subscriptions_) store_.Unsubscribe(resource, id);
}

std::shared_ptr<const RbacAuthorizer::Grants> RbacAuthorizer::Current() {
  std::lock_guard lock(mutex_);
  if (stale_->exchange(false) || !grants_) grants_ = Build();
  return grants_;
}

std::shared_ptr<const RbacAuthorizer::Grants> RbacAuthorizer::Build() const {
  auto grants = std::make_shared<Grants>();
  std::map<std::string, RuleList> roles;
  const auto list = [&](const char* plural) {
    auto listing = store_.List(std::string(kStoragePrefix) + plural, {});
    return listing ? listing->items : std::vector<store::VersionPtr>();
  };
  for (const auto& role : list("clusterroles")) roles["/" + role->name()] = RulesOf(role->value());
  for (const auto& role : list("roles")) roles[role->name()] = RulesOf(role->value());
  for (const char* plural : {"clusterrolebindings", "rolebindings"}) {
    for (const store::VersionPtr& version : list(plural)) {
      const json::Value& binding = version->value();
      const std::string ns(kube::Namespace(binding));
      const json::Value& ref = binding["roleRef"];
      const bool cluster = ref["kind"].AsString() == "ClusterRole";
      const auto role = roles.find((cluster ? "" : ns) + "/" + ref["name"].ToString());
      if (role == roles.end()) continue;
      grants->push_back(
          {ns,
           fmt::format("RBAC: allowed by {} \"{}\" of {} \"{}\"",
                       ns.empty() ? "ClusterRoleBinding" : "RoleBinding",
                       ns.empty() ? version->name() : std::string(kube::Name(binding)) + "/" + ns,
                       ref["kind"].AsString(), ref["name"].AsString()),
           {binding["subjects"].Items().begin(), binding["subjects"].Items().end()},
           ns,
           role->second});
    }
  }
  return grants;
}

std::optional<std::string> RbacAuthorizer::Allow(const User& user, const Attributes& attributes) {
  if (user.InGroup("system:masters")) return "";
  const std::shared_ptr<const Grants> grants = Current();
  for (const Grant& grant : *grants) {
    if (!grant.ns.empty() && (grant.ns != attributes.ns || !attributes.is_resource)) continue;
    const json::Value* subject = nullptr;
    for (const json::Value& each : grant.subjects) {
      if (IsSubject(user, each, grant.subject_namespace)) subject = &each;
    }
    if (!subject) continue;
    for (const PolicyRule& rule : *grant.rules) {
      if (!rule.Allows(attributes)) continue;
      const std::string_view kind = (*subject)["kind"].AsString();
      std::string who((*subject)["name"].AsString());
      if (kind == "ServiceAccount") who += "/" + (*subject)["namespace"].ToString(grant.ns);
      return fmt::format("{} to {} \"{}\"", grant.reason, kind, who);
    }
  }
  return std::nullopt;
}

std::vector<PolicyRule> RbacAuthorizer::RulesFor(const User& user, const std::string& ns) {
  std::vector<PolicyRule> rules;
  if (user.InGroup("system:masters")) {
    rules.push_back({{"*"}, {"*"}, {"*"}, {}, {}});
    rules.push_back({{"*"}, {}, {}, {}, {"*"}});
    return rules;
  }
  const std::shared_ptr<const Grants> grants = Current();
  for (const Grant& grant : *grants) {
    if (!grant.ns.empty() && grant.ns != ns) continue;
    const bool mine = std::any_of(
        grant.subjects.begin(), grant.subjects.end(),
        [&](const json::Value& each) { return IsSubject(user, each, grant.subject_namespace); });
    if (mine) rules.insert(rules.end(), grant.rules->begin(), grant.rules->end());
  }
  return rules;
}

base::Error AccessDenied(const User& user, const Attributes& attributes, std::string_view reason) {
  if (!attributes.is_resource) {
    return {base::ErrorCode::kForbidden, fmt::format("forbidden: User \"{}\" cannot {} path \"{}\"",
                                                     user.name, attributes.verb, attributes.path)};
  }
  std::string subject = attributes.resource;
  if (!attributes.group.empty()) subject += "." + attributes.group;
  if (!attributes.name.empty()) subject += fmt::format(" \"{}\"", attributes.name);
  // Of an empty part of a path there is nothing to say.
  subject = attributes.resource.empty() ? "forbidden" : subject + " is forbidden";
  const std::string scope = attributes.ns.empty()
                                ? std::string("at the cluster scope")
                                : fmt::format("in the namespace \"{}\"", attributes.ns);
  return {base::ErrorCode::kForbidden,
          fmt::format("{}: User \"{}\" cannot {} resource \"{}\" in API group \"{}\" {}{}{}",
                      subject, user.name, attributes.verb, attributes.FullResource(),
                      attributes.group, scope, reason.empty() ? "" : ": ", reason)};
}

}  // namespace coppice::server
