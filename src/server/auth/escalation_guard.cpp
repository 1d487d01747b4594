#include "server/auth/escalation_guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "server/model/errors.h"

namespace coppice::server {
namespace {

// How many single rights are compared with rules that are held: each verb of a rule goes with each
// of its groups and resources, so that a short rule can mean a great many.
constexpr size_t kMaxComparisons = 1'000'000;
// How many rules of those that are lacking are told.
constexpr size_t kMaxLacking = 1000;

size_t Combinations(const PolicyRule& rule) {
  return rule.verbs.size() * (rule.paths.size() + rule.groups.size() * rule.resources.size());
}

std::string Quoted(const std::vector<std::string>& texts, const char* separator) {
  std::string joined;
  for (const std::string& text : texts)
    joined += (joined.empty() ? "" : separator) + ("\"" + text + "\"");
  return joined;
}

std::string Shown(const PolicyRule& rule) {
  if (!rule.paths.empty()) {
    return fmt::format("{{NonResourceURLs:[{}], Verbs:[{}]}}", Quoted(rule.paths, " "),
                       Quoted(rule.verbs, " "));
  }
  return fmt::format("{{APIGroups:[{}], Resources:[{}], Verbs:[{}]}}", Quoted(rule.groups, " "),
                     Quoted(rule.resources, " "), Quoted(rule.verbs, " "));
}

// A rule with one verb, group and resource each: easy to find among what is held.
std::vector<PolicyRule> Split(const PolicyRule& rule) {
  std::vector<PolicyRule> parts;
  for (const std::string& verb : rule.verbs) {
    for (const std::string& path : rule.paths) parts.push_back({{verb}, {}, {}, {}, {path}});
    for (const std::string& group : rule.groups) {
      for (const std::string& resource : rule.resources) {
        parts.push_back({{verb}, {group}, {resource}, rule.names, {}});
      }
    }
  }
  return parts;
}

// Verbs on the same things go together.
void AddTo(std::vector<PolicyRule>& rules, const PolicyRule& part) {
  const auto same = std::find_if(rules.begin(), rules.end(), [&](const PolicyRule& each) {
    return each.groups == part.groups && each.resources == part.resources &&
           each.names == part.names && each.paths == part.paths;
  });
  if (same == rules.end()) return rules.push_back(part);
  same->verbs.insert(same->verbs.end(), part.verbs.begin(), part.verbs.end());
}

json::Value AllRights() {
  const json::Value any = json::Value::Array({"*"});
  return json::Value::Array(
      {json::Value::Object({{"apiGroups", any}, {"resources", any}, {"verbs", any}}),
       json::Value::Object({{"nonResourceURLs", any}, {"verbs", any}})});
}

}  // namespace

bool EscalationGuard::Handles(const AdmissionRequest& request) const {
  return request.resource.group == "rbac.authorization.k8s.io" &&
         request.operation != Operation::kDelete && !request.user.InGroup("system:masters");
}

base::Status EscalationGuard::Validate(const AdmissionRequest& request) {
  const bool role = request.resource.plural == "roles" || request.resource.plural == "clusterroles";
  Attributes attributes{.verb = role ? "escalate" : "bind",
                        .group = request.resource.group,
                        .resource = request.resource.plural,
                        .name = request.key.name,
                        .ns = request.key.ns};
  if (role) {
    const bool gathers =
        request.object["aggregationRule"].IsObject() &&
        !(request.object["aggregationRule"] == request.old_object["aggregationRule"]);
    if (!gathers && request.object["rules"] == request.old_object["rules"]) return {};
    // What it will gather is not known: whoever writes it must hold everything.
    if (gathers && !core_.authorizer().Allow(request.user, attributes)) {
      return CheckRules(request, AllRights());
    }
    if (core_.authorizer().Allow(request.user, attributes)) return {};
    return CheckRules(request, request.object["rules"]);
  }
  const json::Value& ref = request.object["roleRef"];
  const bool cluster = ref["kind"].AsString() == "ClusterRole";
  const std::string plural = cluster ? "clusterroles" : "roles";
  attributes.resource = plural;
  attributes.name = ref["name"].ToString();
  if (core_.authorizer().Allow(request.user, attributes)) return {};
  const std::string name = cluster ? attributes.name : request.key.ns + "/" + attributes.name;
  const store::VersionPtr found = core_.store().Get("rbac.authorization.k8s.io/" + plural, name);
  if (!found) {
    return base::NotFound(
        fmt::format("{}.rbac.authorization.k8s.io \"{}\" not found", plural, attributes.name));
  }
  return CheckRules(request, found->value()["rules"]);
}

base::Status EscalationGuard::CheckRules(const AdmissionRequest& request,
                                         const json::Value& rules) {
  const std::vector<PolicyRule> held = core_.authorizer().RulesFor(request.user, request.key.ns);
  const auto covered = [&](const PolicyRule& wanted) {
    return std::ranges::any_of(held, [&](const PolicyRule& each) { return each.Covers(wanted); });
  };
  std::vector<PolicyRule> lacking;
  size_t left = kMaxComparisons / std::max<size_t>(held.size(), 1);
  for (const json::Value& document : rules.Items()) {
    const PolicyRule rule = PolicyRule::FromJson(document);
    if (covered(rule)) continue;
    if (Combinations(rule) > left) {
      return Forbidden(request.resource, request.key.name,
                       "the rules combine too many verbs, groups and resources to be compared with "
                       "the permissions currently held: use several smaller roles");
    }
    left -= Combinations(rule);
    for (const PolicyRule& part : Split(rule)) {
      if (lacking.size() < kMaxLacking && !covered(part)) AddTo(lacking, part);
    }
  }
  if (lacking.empty()) return {};
  std::set<std::string> lines;
  for (const PolicyRule& rule : lacking) lines.insert(Shown(rule));
  std::string missing;
  for (const std::string& line : lines) missing += "\n" + line;
  return Forbidden(request.resource, request.key.name,
                   fmt::format("user \"{}\" (groups=[{}]) is attempting to grant RBAC permissions "
                               "not currently held:{}",
                               request.user.name, Quoted(request.user.groups, " "), missing));
}

}  // namespace coppice::server
