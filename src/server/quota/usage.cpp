#include "server/quota/usage.h"

#include <algorithm>
#include <set>

#include "kube/object.h"
#include "server/kinds/pod/pod_spec.h"
#include "server/model/storages.h"

namespace coppice::server {
namespace {

using base::Quantity;

constexpr std::string_view kPods = "/pods";
constexpr std::string_view kServices = "/services";
constexpr std::string_view kClassMark = ".storageclass.storage.k8s.io/";

const std::set<std::string, std::less<>>& PlainlyCounted() {
  static const std::set<std::string, std::less<>> names = {
      "configmaps",     "secrets",  "replicationcontrollers",
      "resourcequotas", "services", "persistentvolumeclaims"};
  return names;
}

// "apps/deployments" counts as "count/deployments.apps", "/pods" as "count/pods".
std::string CountName(std::string_view storage) {
  const size_t slash = storage.find('/');
  std::string name = "count/" + std::string(storage.substr(slash + 1));
  return slash == 0 ? name : name + "." + std::string(storage.substr(0, slash));
}

void AddPod(const json::Value& pod, QuotaUsage& usage) {
  if (IsOver(pod)) return;
  usage["pods"] = Quantity::FromUnits(1);
  const json::Value requests = PodTotals(pod["spec"], "requests");
  for (const json::Member& each : requests.Members()) {
    const Quantity amount = Quantity::Parse(each.value.AsString()).value_or(Quantity());
    usage["requests." + std::string(each.name())] = amount;
    const bool native = each.name().find('/') == std::string_view::npos;
    if (native) usage[std::string(each.name())] = amount;
  }
  const json::Value limits = PodTotals(pod["spec"], "limits");
  for (const json::Member& each : limits.Members()) {
    usage["limits." + std::string(each.name())] =
        Quantity::Parse(each.value.AsString()).value_or(Quantity());
  }
}

void AddClaim(const json::Value& claim, QuotaUsage& usage) {
  const auto size =
      Quantity::Parse(claim["spec"]["resources"]["requests"]["storage"].AsString("0"));
  const Quantity amount = size.value_or(Quantity());
  usage["requests.storage"] = amount;
  const std::string_view name = claim["spec"]["storageClassName"].AsString();
  if (name.empty()) return;
  const std::string prefix = std::string(name) + std::string(kClassMark);
  usage[prefix + "requests.storage"] = amount;
  usage[prefix + "persistentvolumeclaims"] = Quantity::FromUnits(1);
}

void AddService(const json::Value& service, QuotaUsage& usage) {
  const json::Value& spec = service["spec"];
  const std::string_view type = spec["type"].AsString();
  const auto ports = static_cast<int64_t>(spec["ports"].size());
  const bool balanced = type == "LoadBalancer";
  usage["services.loadbalancers"] = Quantity::FromUnits(balanced ? 1 : 0);
  const bool allocated = spec["allocateLoadBalancerNodePorts"].AsBool(true);
  const bool open = type == "NodePort" || (balanced && allocated);
  usage["services.nodeports"] = Quantity::FromUnits(open ? ports : 0);
}

bool HasScope(std::string_view scope, const json::Value& pod) {
  const json::Value& deadline = pod["spec"]["activeDeadlineSeconds"];
  if (scope == "Terminating") return !deadline.IsNull();
  if (scope == "NotTerminating") return deadline.IsNull();
  const bool best_effort = QosClassOf(pod["spec"]) == "BestEffort";
  if (scope == "BestEffort") return best_effort;
  if (scope == "NotBestEffort") return !best_effort;
  if (scope == "PriorityClass") return !pod["spec"]["priorityClassName"].AsString().empty();
  return false;
}

bool MatchesScope(const json::Value& requirement, const json::Value& pod) {
  const std::string_view scope = requirement["scopeName"].AsString();
  const std::string_view op = requirement["operator"].AsString();
  if (scope != "PriorityClass" || op == "Exists") return HasScope(scope, pod);
  if (op == "DoesNotExist") return !HasScope(scope, pod);
  const auto values = requirement["values"].Items();
  const json::Value& own = pod["spec"]["priorityClassName"];
  const bool listed = std::find(values.begin(), values.end(), own) != values.end();
  return op == "In" ? listed : !listed;
}

std::string StorageOf(std::string_view counted) {
  if (counted.starts_with("count/")) {
    const std::string_view name = counted.substr(6);
    const size_t dot = name.find('.');
    const std::string group(dot == std::string_view::npos ? "" : name.substr(dot + 1));
    return group + "/" + std::string(name.substr(0, dot));
  }
  if (PlainlyCounted().count(counted)) return "/" + std::string(counted);
  if (counted.starts_with("services.")) return std::string(kServices);
  const bool stored =
      counted == "requests.storage" || counted.find(kClassMark) != std::string_view::npos;
  return std::string(stored ? kClaims : kPods);
}

}  // namespace

QuotaUsage UsageOf(std::string_view storage, const json::Value& object) {
  QuotaUsage usage;
  usage[CountName(storage)] = Quantity::FromUnits(1);
  if (storage.front() == '/' && PlainlyCounted().count(storage.substr(1))) {
    usage[std::string(storage.substr(1))] = Quantity::FromUnits(1);
  }
  if (storage == kPods) AddPod(object, usage);
  if (storage == kClaims) AddClaim(object, usage);
  if (storage == kServices) AddService(object, usage);
  return usage;
}

bool QuotaCovers(const json::Value& quota, std::string_view storage, const json::Value& object) {
  const json::Value& spec = quota["spec"];
  const json::Value& requirements = spec["scopeSelector"]["matchExpressions"];
  if (spec["scopes"].empty() && requirements.empty()) return true;
  if (storage != kPods) return false;
  const auto scopes = spec["scopes"].Items();
  const auto selected = requirements.Items();
  return std::all_of(
             scopes.begin(), scopes.end(),
             [&](const json::Value& scope) { return HasScope(scope.AsString(), object); }) &&
         std::all_of(selected.begin(), selected.end(), [&](const json::Value& requirement) {
           return MatchesScope(requirement, object);
         });
}

std::vector<std::string> StoragesOf(const json::Value& quota) {
  std::set<std::string> storages;
  for (const json::Member& each : quota["spec"]["hard"].Members()) {
    storages.insert(StorageOf(each.name()));
  }
  return {storages.begin(), storages.end()};
}

json::Value QuotaStatus(const json::Value& quota, const store::Store& store) {
  QuotaUsage used;
  for (const std::string& storage : StoragesOf(quota)) {
    const auto objects = store.List(storage, {std::string(kube::Namespace(quota)) + "/"});
    if (!objects) continue;
    for (const store::VersionPtr& object : objects->items) {
      if (!QuotaCovers(quota, storage, object->value())) continue;
      for (const auto& [name, amount] : UsageOf(storage, object->value())) used[name] += amount;
    }
  }
  json::Value shown = json::Value::Object();
  for (const json::Member& each : quota["spec"]["hard"].Members()) {
    shown.Set(each.name(), used[std::string(each.name())].ToString());
  }
  json::Value hard = quota["spec"]["hard"];
  if (hard.IsNull()) hard = json::Value::Object();
  return json::Value::Object({{"hard", std::move(hard)}, {"used", std::move(shown)}});
}

}  // namespace coppice::server
