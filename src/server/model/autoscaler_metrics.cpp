#include "server/model/autoscaler_metrics.h"

#include <fmt/format.h>

#include "json/parse.h"
#include "json/write.h"

namespace coppice::server {
namespace {

using json::Value;

// How a source of metrics is called in both versions, and where its numbers lie.
struct MetricSource {
  const char* type;
  const char* field;
};
constexpr MetricSource kMetricSources[] = {{"Resource", "resource"},
                                           {"ContainerResource", "containerResource"},
                                           {"Pods", "pods"},
                                           {"Object", "object"},
                                           {"External", "external"}};

std::string Title(std::string_view kind, std::string_view rest) {
  return fmt::format("{}{}", kind, rest);
}

std::string MetricSelectorText(const Value& selector) {
  if (!selector.IsObject()) return "";
  return OrderedObject()
      .Add("matchLabels", selector["matchLabels"])
      .Add("matchExpressions", selector["matchExpressions"])
      .Text();
}

std::string ReferenceText(const Value& reference) {
  return OrderedObject()
      .Add("kind", reference["kind"])
      .Add("name", reference["name"])
      .Add("apiVersion", reference["apiVersion"])
      .Text();
}

Value OrZero(const Value& quantity) { return quantity.IsNull() ? Value("0") : quantity; }

std::string SourceText(std::string_view type, const Value& source, std::string_view kind) {
  const bool status = kind == "current";
  const Value& numbers = source[kind];
  const Value& metric = source["metric"];
  OrderedObject out;
  if (type == "Resource" || type == "ContainerResource") {
    out.Add("name", source["name"])
        .Add(Title(kind, "AverageUtilization"), numbers["averageUtilization"])
        .Add(Title(kind, "AverageValue"),
             status ? OrZero(numbers["averageValue"]) : numbers["averageValue"])
        .Add("container", source["container"]);
  } else if (type == "Pods") {
    out.Add("metricName", metric["name"])
        .Add(Title(kind, "AverageValue"), OrZero(numbers["averageValue"]))
        .AddText("selector", MetricSelectorText(metric["selector"]));
  } else if (type == "Object") {
    out.AddText("target", ReferenceText(source["describedObject"]))
        .Add("metricName", metric["name"])
        .Add(Title(kind, "Value"), OrZero(numbers["value"]))
        .AddText("selector", MetricSelectorText(metric["selector"]))
        .Add("averageValue", numbers["averageValue"]);
  } else {
    out.Add("metricName", metric["name"])
        .AddText("metricSelector", MetricSelectorText(metric["selector"]))
        .Add(Title(kind, "Value"), status ? OrZero(numbers["value"]) : numbers["value"])
        .Add(Title(kind, "AverageValue"), numbers["averageValue"]);
  }
  return out.Text();
}

void SetUnlessNull(std::string_view name, const Value& value, Value& object) {
  if (!value.IsNull()) object.Set(name, value);
}

Value MetricName(const Value& source, const char* selector) {
  Value metric = Value::Object({{"name", source["metricName"]}});
  SetUnlessNull("selector", source[selector], metric);
  return metric;
}

// What is measured, without the numbers.
Value SourceToV2(std::string_view type, const Value& source) {
  Value out = Value::Object();
  if (type == "Resource" || type == "ContainerResource") {
    out.Set("name", source["name"]);
    SetUnlessNull("container", source["container"], out);
  } else if (type == "External") {
    out.Set("metric", MetricName(source, "metricSelector"));
  } else {
    out.Set("metric", MetricName(source, "selector"));
    if (type == "Object") out.Set("describedObject", source["target"]);
  }
  return out;
}

Value NumbersToV2(std::string_view type, const Value& source, std::string_view kind) {
  const Value& utilization = source[Title(kind, "AverageUtilization")];
  const Value& average =
      source[type == "Object" ? std::string("averageValue") : Title(kind, "AverageValue")];
  Value numbers = Value::Object();
  SetUnlessNull("averageUtilization", utilization, numbers);
  SetUnlessNull("averageValue", average, numbers);
  // The old version writes a value even where an average is aimed at.
  const Value& value = source[Title(kind, "Value")];
  if (average.IsNull() || value.AsString() != "0") SetUnlessNull("value", value, numbers);
  if (kind == "target") {
    numbers.Set("type", !utilization.IsNull() ? "Utilization"
                        : average.IsNull()    ? "Value"
                                              : "AverageValue");
  }
  return numbers;
}

}  // namespace

OrderedObject& OrderedObject::Add(std::string_view name, const Value& value) {
  return AddText(name, value.IsNull() ? "" : json::Write(value));
}

OrderedObject& OrderedObject::AddText(std::string_view name, std::string_view text) {
  if (text.empty()) return *this;
  if (!members_.empty()) members_ += ',';
  members_ += fmt::format("\"{}\":{}", name, text);
  return *this;
}

std::string MetricsToV1(const Value& metrics, std::string_view kind) {
  std::vector<std::string> texts;
  for (const Value& metric : metrics.Items()) {
    OrderedObject out;
    out.Add("type", metric["type"]);
    for (const MetricSource& source : kMetricSources) {
      if (metric["type"].AsString() != source.type) continue;
      out.AddText(source.field, SourceText(source.type, metric[source.field], kind));
    }
    texts.push_back(out.Text());
  }
  return fmt::format("[{}]", fmt::join(texts, ","));
}

Value MetricsToV2(std::string_view text, std::string_view kind) {
  const auto parsed = json::Parse(text);
  if (!parsed || !parsed->IsArray()) return {};
  Value metrics = Value::Array();
  for (const Value& metric : parsed->Items()) {
    Value out = Value::Object({{"type", metric["type"]}});
    for (const MetricSource& source : kMetricSources) {
      if (!metric[source.field].IsObject()) continue;
      Value measured = SourceToV2(source.type, metric[source.field]);
      measured.Set(kind, NumbersToV2(source.type, metric[source.field], kind));
      out.Set(source.field, std::move(measured));
    }
    metrics.Append(std::move(out));
  }
  return metrics;
}

}  // namespace coppice::server
