#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace coppice::kube {

using Labels = std::map<std::string, std::string>;

// The process's metrics, in Prometheus' text format at /metrics. Thread-safe. A series is created
// on first use and kept; names are literal ("kai_e2e_scheduling_latency_milliseconds").
class Metrics {
 public:
  virtual ~Metrics() = default;
  virtual void Increment(const std::string& name, const Labels& labels = {}, double by = 1) = 0;
  virtual void Set(const std::string& name, const Labels& labels, double value) = 0;
  // Histogram with the buckets declared for `name`, or Prometheus' defaults.
  virtual void Observe(const std::string& name, const Labels& labels, double value) = 0;
  // Help text and, for histograms, bucket bounds. Before first use.
  virtual void Describe(const std::string& name, const std::string& help,
                        std::vector<double> buckets = {}) = 0;
  // Drops one series (a queue that is gone, say).
  virtual void Remove(const std::string& name, const Labels& labels) = 0;
  virtual std::string Text() const = 0;

  static std::unique_ptr<Metrics> Make();
};

}  // namespace coppice::kube
