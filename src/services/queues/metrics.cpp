#include "services/queues/metrics.h"

#include <cmath>

#include "api/view/kai.h"
#include "base/quantity.h"
#include "kube/object.h"

namespace coppice::services::queues {
namespace {

struct Gauge {
  const char* name;
  const char* help;
};

constexpr Gauge kGauges[] = {
    {"queue_info", "One per queue."},
    {"queue_deserved_gpus", "GPU quota of the queue, -1 for unlimited."},
    {"queue_quota_cpu_cores", "CPU quota of the queue in cores, -1 for unlimited."},
    {"queue_quota_memory_bytes", "Memory quota of the queue in bytes, -1 for unlimited."},
    {"queue_allocated_gpus", "GPUs that the queue's pods hold."},
    {"queue_allocated_cpu_cores", "CPU cores that the queue's pods hold."},
    {"queue_allocated_memory_bytes", "Bytes of memory that the queue's pods hold."},
};

double Scaled(view::kai::QueueResource resource, double factor) {
  const double value = resource.quota();
  return value == -1 ? -1 : value * factor;
}

double Rounded(double value) { return std::round(value * 1e4) / 1e4; }

double Amount(const json::Value& quantity) {
  const auto parsed = base::Quantity::Parse(quantity.AsString());
  return parsed ? Rounded(parsed->ToDouble()) : 0;
}

// Of the first resource whose name says GPU, as KAI does.
double Gpus(view::Quantities allocated) {
  for (const auto& [name, amount] : allocated) {
    if (name.ends_with("/gpu")) return Amount(amount);
  }
  return 0;
}

}  // namespace

QueueMetrics::QueueMetrics(kube::Metrics& metrics, Options options)
    : metrics_(metrics), options_(std::move(options)) {
  for (const Gauge& gauge : kGauges) {
    metrics_.Describe(options_.metrics_namespace + "_" + gauge.name, gauge.help);
  }
}

kube::Labels QueueMetrics::LabelsOf(const json::Value& queue) const {
  kube::Labels labels{
      {"queue_name", std::string(kube::Name(queue))},
      {"queue_metadata_name", std::string(kube::Name(queue))},
      {"queue_display_name", std::string(view::kai::Queue(queue).spec().displayName())}};
  for (const auto& [label, metric_label] : options_.label_to_metric_label) {
    const auto own = view::kai::Queue(queue).metadata().labels();
    const auto fallback = options_.label_to_default_value.find(label);
    std::string& value = labels[metric_label];
    if (own.Has(label)) {
      value = own[label];
    } else if (fallback != options_.label_to_default_value.end()) {
      value = fallback->second;
    }
  }
  return labels;
}

void QueueMetrics::Set(const json::Value& queue) {
  const auto resources = view::kai::Queue(queue).spec().resources();
  const auto allocated = view::kai::Queue(queue).status().allocated();
  const double values[] = {1,
                           resources.gpu().quota(),
                           Scaled(resources.cpu(), 1e-3),
                           Scaled(resources.memory(), 1e6),
                           Gpus(allocated),
                           Amount(allocated["cpu"]),
                           Amount(allocated["memory"])};
  const std::string name(kube::Name(queue));
  std::lock_guard lock(mutex_);
  const kube::Labels labels = LabelsOf(queue);
  if (const auto old = labels_.find(name); old != labels_.end() && old->second != labels) {
    RemoveLocked(name);
  }
  labels_[name] = labels;
  for (size_t i = 0; i < std::size(kGauges); ++i) {
    metrics_.Set(options_.metrics_namespace + "_" + kGauges[i].name, labels, values[i]);
  }
}

void QueueMetrics::Remove(const std::string& queue) {
  std::lock_guard lock(mutex_);
  RemoveLocked(queue);
}

void QueueMetrics::RemoveLocked(const std::string& queue) {
  const auto found = labels_.find(queue);
  if (found == labels_.end()) return;
  for (const Gauge& gauge : kGauges) {
    metrics_.Remove(options_.metrics_namespace + "_" + gauge.name, found->second);
  }
  labels_.erase(found);
}

}  // namespace coppice::services::queues
