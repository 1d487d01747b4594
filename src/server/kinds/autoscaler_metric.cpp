#include "server/kinds/autoscaler_metric.h"

#include <algorithm>

#include "base/quantity.h"
#include "server/kinds/checks/checks.h"
#include "server/model/object_meta.h"

namespace coppice::server {
namespace {

using json::Value;

constexpr std::pair<const char*, const char*> kSources[] = {
    {"Object", "object"},
    {"Pods", "pods"},
    {"Resource", "resource"},
    {"External", "external"},
    {"ContainerResource", "containerResource"}};

void Require(const Value& text, const std::string& path, std::string_view why, Causes& causes) {
  if (text.AsString().empty()) causes.push_back(api::RequiredField(path, why));
}

void CheckTarget(const Value& target, const std::string& path, Causes& causes) {
  const std::string_view type = target["type"].AsString();
  if (type.empty()) {
    causes.push_back(
        api::RequiredField(api::Child(path, "type"), "must specify a metric target type"));
  }
  if (type != "Utilization" && type != "Value" && type != "AverageValue") {
    causes.push_back(api::InvalidField(api::Child(path, "type"), target["type"],
                                       "must be either Utilization, Value, or AverageValue"));
  }
  for (const char* field : {"value", "averageValue"}) {
    if (!target.Has(field) || IsPositive(target[field])) continue;
    causes.push_back(api::InvalidField(api::Child(path, field), target[field], "must be positive"));
  }
  if (target.Has("averageUtilization") && target["averageUtilization"].AsInt() < 1) {
    causes.push_back(api::InvalidField(api::Child(path, "averageUtilization"),
                                       target["averageUtilization"], "must be greater than 0"));
  }
}

// One of two ways to aim at something; `both` is empty where both may be said.
void CheckOneWay(const Value& target, const std::string& path, const char* one, const char* other,
                 std::string_view neither, std::string_view both, Causes& causes) {
  if (!target.Has(one) && !target.Has(other)) {
    causes.push_back(api::RequiredField(api::Child(path, one), neither));
  }
  if (target.Has(one) && target.Has(other) && !both.empty()) {
    causes.push_back(api::ForbiddenField(api::Child(path, other), both));
  }
}

void CheckMetricName(const Value& source, const std::string& path, Causes& causes) {
  const Value& name = source["metric"]["name"];
  const std::string place = api::Child(path, "metric.name");
  Require(name, place, "must specify a metric name", causes);
  for (const std::string& problem : NameProblems(NameForm::kPathSegment, name.AsString())) {
    causes.push_back(api::InvalidField(place, name, problem));
  }
}

void CheckResourceSource(const Value& source, const std::string& path, Causes& causes) {
  const std::string target = api::Child(path, "target");
  Require(source["name"], api::Child(path, "name"), "must specify a resource name", causes);
  CheckTarget(source["target"], target, causes);
  CheckOneWay(source["target"], target, "averageUtilization", "averageValue",
              "must set either a target raw value or a target utilization",
              "may not set both a target raw value and a target utilization", causes);
}

void CheckMetricSource(std::string_view type, const Value& source, const std::string& path,
                       Causes& causes) {
  const std::string target = api::Child(path, "target");
  if (type == "Resource") return CheckResourceSource(source, path, causes);
  if (type == "ContainerResource") {
    Require(source["container"], api::Child(path, "container"), "must specify a container", causes);
    return CheckResourceSource(source, path, causes);
  }
  if (type == "Object") {
    CheckScaledReference(source["describedObject"], api::Child(path, "describedObject"), causes);
  }
  CheckMetricName(source, path, causes);
  CheckTarget(source["target"], target, causes);
  if (type == "Pods") {
    if (source["target"].Has("averageValue")) return;
    causes.push_back(api::RequiredField(api::Child(target, "averageValue"),
                                        "must specify a positive target averageValue"));
  } else if (type == "Object") {
    CheckOneWay(source["target"], target, "averageValue", "value",
                "must set either a target value or averageValue", "", causes);
  } else {
    CheckOneWay(source["target"], target, "averageValue", "value",
                "must set either a target value for metric or a per-pod target",
                "may not set both a target value for metric and a per-pod target", causes);
  }
}

}  // namespace

void CheckScaledReference(const Value& reference, const std::string& path, Causes& causes) {
  for (const char* field : {"kind", "name"}) {
    if (!reference[field].AsString().empty()) continue;
    causes.push_back(api::RequiredField(api::Child(path, field)));
  }
}

void CheckAutoscalerMetric(const Value& metric, const std::string& path, Causes& causes) {
  const std::string_view type = metric["type"].AsString();
  if (type.empty()) {
    causes.push_back(
        api::RequiredField(api::Child(path, "type"), "must specify a metric source type"));
  }
  CheckOneOf(metric["type"], {"ContainerResource", "External", "Object", "Pods", "Resource"},
             api::Child(path, "type"), causes);
  const auto present = std::ranges::count_if(
      kSources, [&](const auto& source) { return metric[source.second].IsObject(); });
  for (const auto& [name, field] : kSources) {
    const std::string place = api::Child(path, field);
    if (metric[field].IsObject()) CheckMetricSource(name, metric[field], place, causes);
    if (type == name && !metric[field].IsObject()) {
      causes.push_back(
          api::RequiredField(place, "must populate information for the given metric source"));
    }
    if (type != name && metric[field].IsObject() && present > 1) {
      causes.push_back(
          api::ForbiddenField(place, "must populate information for the given metric source only"));
    }
  }
}

}  // namespace coppice::server
