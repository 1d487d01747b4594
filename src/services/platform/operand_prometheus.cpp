#include <fmt/format.h>

#include "kube/object.h"
#include "services/common/prometheus_duration.h"
#include "services/platform/kinds.h"
#include "services/platform/operands.h"

namespace coppice::services::platform {
namespace {

using json::Value;

constexpr const char* kRetiredAt = "kai/deprecation-timestamp";
constexpr const char* kOperatorName = "prometheus operator";

// How long a Prometheus keeps data.
base::Duration RetentionOf(std::string_view text) {
  return ParsePrometheusDuration(text).value_or(std::chrono::hours(24 * 30));
}

bool IsExternal(const Value& prometheus) {
  return !prometheus["externalPrometheusUrl"].AsString().empty();
}

Value AccountingSelector(const Value& prometheus) {
  return Value::Object({{"matchLabels", Value::Object({{prometheus["accountingLabelKey"].AsString(),
                                                        prometheus["accountingLabelValue"]}})}});
}

Desired Instance(const Value& spec) {
  const Value& prometheus = spec["prometheus"];
  const Value name = prometheus["instanceName"];
  Desired made = NewObject(kPrometheuses, spec, name.AsString());
  Value wanted =
      Value::Object({{"podMetadata", Value::Object({{"labels", Value::Object({{"app", name}})}})},
                     {"retention", prometheus["retentionPeriod"]},
                     {"scrapeInterval", prometheus["sampleInterval"]},
                     {"serviceAccountName", name},
                     {"serviceMonitorSelector", AccountingSelector(prometheus)},
                     {"serviceMonitorNamespaceSelector", Value::Object()},
                     {"ruleSelector", AccountingSelector(prometheus)},
                     {"ruleNamespaceSelector", Value::Object()}});
  if (prometheus["enablePersistentStorage"].AsBool(true)) {
    const Value claim = Value::Object(
        {{"accessModes", Value::Array({"ReadWriteOnce"})},
         {"storageClassName", prometheus["storageClassName"]},
         {"resources",
          Value::Object({{"requests", Value::Object({{"storage", prometheus["storageSize"].ToString(
                                                                     "50Gi")}})}})}});
    wanted.Set("storage",
               Value::Object({{"volumeClaimTemplate", Value::Object({{"spec", claim}})}}));
  }
  made.object.Set("spec", std::move(wanted));
  return made;
}

Desired Monitor(const Value& spec, std::string_view name, std::string_view port, Value namespaces,
                Value selector) {
  const Value& prometheus = spec["prometheus"];
  const Value& settings = prometheus["serviceMonitor"];
  Desired made = NewObject(kServiceMonitors, spec, name);
  made.object.Mutable("metadata")
      .Set("labels", Value::Object({{prometheus["accountingLabelKey"].AsString(),
                                     prometheus["accountingLabelValue"]}}));
  const Value endpoint = Value::Object({{"port", port},
                                        {"interval", settings["interval"]},
                                        {"scrapeTimeout", settings["scrapeTimeout"]},
                                        {"bearerTokenFile", settings["bearerTokenFile"]}});
  made.object.Set(
      "spec",
      Value::Object({{"endpoints", Value::Array({endpoint})},
                     {"namespaceSelector", Value::Object({{"matchNames", std::move(namespaces)}})},
                     {"selector", Value::Object({{"matchLabels", std::move(selector)}})}}));
  return made;
}

void AddMonitors(const Value& spec, const Surroundings& cluster, Objects& objects) {
  if (!cluster.serves_service_monitors) return;
  if (!spec["prometheus"]["serviceMonitor"]["enabled"].AsBool(true)) return;
  objects.push_back(Monitor(spec, "queue-controller", "metrics", Value::Array({spec["namespace"]}),
                            Value::Object({{"app", "queue-controller"}})));
  objects.push_back(Monitor(spec, "kube-state-metrics", "http",
                            Value::Array({"monitoring", "default"}),
                            Value::Object({{"app.kubernetes.io/name", "kube-state-metrics"}})));
}

// Turned off: what was recorded stays readable for as long as it would have been kept.
Objects Retired(const Value& spec, const Surroundings& cluster) {
  if (!cluster.serves_prometheus) return {};
  const Value& prometheus = spec["prometheus"];
  const std::string name = prometheus["instanceName"].ToString();
  const Value live = cluster.Live(kPrometheuses, spec["namespace"].AsString(), name);
  if (live.IsNull()) return {};
  const auto since = base::ParseRfc3339(kube::Annotation(live, kRetiredAt));
  if (since && cluster.now - *since >= RetentionOf(live["spec"]["retention"].AsString())) return {};
  Desired kept = NewObject(kPrometheuses, spec, name);
  kept.object.Set("spec", live["spec"]);
  kept.object.Mutable("metadata")
      .Mutable("annotations")
      .Set(kRetiredAt, base::FormatRfc3339(since ? *since : cluster.now));
  return {std::move(kept), MakeServiceAccount(spec, name)};
}

}  // namespace

std::string MissingForPrometheus(const Value& spec, const Surroundings& cluster) {
  const Value& prometheus = spec["prometheus"];
  if (!prometheus["enabled"].AsBool() || IsExternal(prometheus)) return "";
  return cluster.serves_prometheus ? "" : kOperatorName;
}

base::Result<Objects> PrometheusObjects(const Value& spec, const Surroundings& cluster) {
  const Value& prometheus = spec["prometheus"];
  Objects objects;
  if (IsExternal(prometheus)) {
    AddMonitors(spec, cluster, objects);
    return objects;
  }
  if (!prometheus["enabled"].AsBool()) return Retired(spec, cluster);
  const std::string name = prometheus["instanceName"].ToString();
  objects.push_back(MakeServiceAccount(spec, name));
  AddMonitors(spec, cluster, objects);
  if (!cluster.serves_prometheus) return objects;
  objects.push_back(Instance(spec));
  Desired service = MakeService(spec, "usage-prometheus", {ServicePort("web", 9090, 9090)});
  service.object.Mutable("spec").Set("selector", Value::Object({{"app", name}}));
  objects.push_back(std::move(service));
  return objects;
}

}  // namespace coppice::services::platform
