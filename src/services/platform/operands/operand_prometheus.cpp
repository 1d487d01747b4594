#include <fmt/format.h>

#include "api/edit/monitoring.h"
#include "api/labels.h"
#include "api/view/monitoring.h"
#include "kube/object.h"
#include "services/common/names.h"
#include "services/common/prometheus_duration.h"
#include "services/platform/model/kinds.h"
#include "services/platform/operands/operands.h"

namespace coppice::services::platform {
namespace {

using json::Value;

constexpr const char* kRetiredAt = "kai/deprecation-timestamp";
constexpr const char* kOperatorName = "prometheus operator";
constexpr std::string_view kStorage = "storage";
constexpr std::string_view kDefaultStorage = "50Gi";

// How long a Prometheus keeps data.
base::Duration RetentionOf(std::string_view text) {
  return ParsePrometheusDuration(text).value_or(std::chrono::hours(24 * 30));
}

bool IsExternal(view::kai::PrometheusConfig prometheus) {
  return !prometheus.externalPrometheusUrl().empty();
}

void SelectAccounting(view::kai::PrometheusConfig prometheus, edit::Map labels) {
  labels.Set(prometheus.accountingLabelKey(), prometheus.accountingLabelValue());
}

void FillStorage(view::kai::PrometheusConfig prometheus,
                 edit::core::PersistentVolumeClaimSpec claim) {
  claim.set_accessModes(Value::Array({"ReadWriteOnce"}));
  claim.set_storageClassName(prometheus.storageClassName());
  const std::string_view size = prometheus.storageSize();
  claim.resources().requests().Set(kStorage, size.empty() ? kDefaultStorage : size);
}

Desired Instance(view::kai::ConfigSpec spec) {
  const auto prometheus = spec.prometheus();
  const std::string_view name = prometheus.instanceName();
  Desired made = NewObject(kPrometheuses, spec, name);
  const auto wanted = edit::monitoring::Prometheus(made.object).spec();
  wanted.podMetadata().labels().Set(names::kAppLabel, name);
  wanted.set_retention(prometheus.retentionPeriod())
      .set_scrapeInterval(prometheus.sampleInterval())
      .set_serviceAccountName(name)
      .set_serviceMonitorNamespaceSelector(Value::Object())
      .set_ruleNamespaceSelector(Value::Object());
  SelectAccounting(prometheus, wanted.serviceMonitorSelector().matchLabels());
  SelectAccounting(prometheus, wanted.ruleSelector().matchLabels());
  if (prometheus.enablePersistentStorage(true)) {
    FillStorage(prometheus, wanted.storage().volumeClaimTemplate().spec());
  }
  return made;
}

struct Scraped {
  std::string_view name;
  std::string_view port;
  Value namespaces;
  std::string_view label;
};

// A monitor of the services that are called like it.
Desired Monitor(view::kai::ConfigSpec spec, Scraped scraped) {
  const auto settings = spec.prometheus().serviceMonitor();
  Desired made = NewObject(kServiceMonitors, spec, scraped.name);
  const edit::monitoring::ServiceMonitor monitor(made.object);
  SelectAccounting(spec.prometheus(), monitor.metadata().labels());
  monitor.spec()
      .add_endpoints()
      .set_port(scraped.port)
      .set_interval(settings.interval())
      .set_scrapeTimeout(settings.scrapeTimeout())
      .set_bearerTokenFile(settings.bearerTokenFile());
  monitor.spec().namespaceSelector().set_matchNames(std::move(scraped.namespaces));
  monitor.spec().selector().matchLabels().Set(scraped.label, scraped.name);
  return made;
}

void AddMonitors(view::kai::ConfigSpec spec, const Surroundings& cluster, Objects& objects) {
  if (!cluster.serves_service_monitors) return;
  if (!spec.prometheus().serviceMonitor().enabled(true)) return;
  objects.push_back(Monitor(
      spec, {"queue-controller", "metrics", Value::Array({spec.namespace_()}), names::kAppLabel}));
  objects.push_back(
      Monitor(spec, {"kube-state-metrics", "http", Value::Array({"monitoring", "default"}),
                     api::labels::kAppName}));
}

// Turned off: what was recorded stays readable for as long as it would have been kept.
Objects Retired(view::kai::ConfigSpec spec, const Surroundings& cluster) {
  if (!cluster.serves_prometheus) return {};
  const std::string_view name = spec.prometheus().instanceName();
  const Value found = cluster.Live(kPrometheuses, spec.namespace_(), name);
  const view::monitoring::Prometheus live(found);
  if (!live) return {};
  const auto since = base::ParseRfc3339(kube::Annotation(found, kRetiredAt));
  if (since && cluster.now - *since >= RetentionOf(live.spec().retention())) return {};
  Desired made = NewObject(kPrometheuses, spec, name);
  const edit::monitoring::Prometheus kept(made.object);
  kept.set_spec(live.spec().Json());
  kept.metadata().annotations().Set(kRetiredAt, base::FormatRfc3339(since ? *since : cluster.now));
  return {std::move(made), MakeServiceAccount(spec, name)};
}

}  // namespace

std::string MissingForPrometheus(view::kai::ConfigSpec spec, const Surroundings& cluster) {
  const auto prometheus = spec.prometheus();
  if (!prometheus.enabled() || IsExternal(prometheus)) return "";
  return cluster.serves_prometheus ? "" : kOperatorName;
}

base::Result<Objects> PrometheusObjects(view::kai::ConfigSpec spec, const Surroundings& cluster) {
  const auto prometheus = spec.prometheus();
  Objects objects;
  if (IsExternal(prometheus)) {
    AddMonitors(spec, cluster, objects);
    return objects;
  }
  if (!prometheus.enabled()) return Retired(spec, cluster);
  const std::string_view name = prometheus.instanceName();
  objects.push_back(MakeServiceAccount(spec, name));
  AddMonitors(spec, cluster, objects);
  if (!cluster.serves_prometheus) return objects;
  objects.push_back(Instance(spec));
  Desired service = MakeService(spec, "usage-prometheus", {{"web", 9090, 9090}});
  edit::core::Service(service.object).spec().selector().Set(names::kAppLabel, name);
  objects.push_back(std::move(service));
  return objects;
}

}  // namespace coppice::services::platform
