#include "kube/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <variant>

#include "base/log.h"

namespace coppice::kube {
namespace {

using prometheus::Counter;
using prometheus::Gauge;
using prometheus::Histogram;

const std::vector<double> kDefaultBuckets = {.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10};

template <typename T>
prometheus::Family<T>* Build(prometheus::Registry& registry, const std::string& name,
                             const std::string& help) {
  const auto family = [&](auto builder) {
    return &builder.Name(name).Help(help).Register(registry);
  };
  if constexpr (std::is_same_v<T, Counter>) return family(prometheus::BuildCounter());
  if constexpr (std::is_same_v<T, Gauge>) return family(prometheus::BuildGauge());
  if constexpr (std::is_same_v<T, Histogram>) return family(prometheus::BuildHistogram());
}

// By both ends of a text, where names and labels differ: every reconcile counts in half a dozen
// series, and looking them up must not be what it spends its time on.
struct TextHash {
  size_t operator()(std::string_view text) const {
    uint64_t first = 0, last = 0;
    const size_t size = std::min(text.size(), sizeof first);
    std::memcpy(&first, text.data(), size);
    std::memcpy(&last, text.data() + text.size() - size, size);
    const uint64_t mixed = (first ^ text.size()) * 0x9E3779B97F4A7C15ull + last;
    return mixed ^ (mixed >> 32);
  }
};

struct LabelsHash {
  size_t operator()(const Labels& labels) const {
    const TextHash hash_of;
    size_t hash = labels.size();
    for (const auto& [name, value] : labels) hash = hash * 31 + hash_of(name) * 31 + hash_of(value);
    return hash;
  }
};

// All series of one name. Keeps its own map: the library's look-up builds a new metric each time.
template <typename T>
struct Series {
  prometheus::Family<T>* family;
  std::vector<double> buckets;
  std::unordered_map<Labels, T*, LabelsHash> metrics;

  T& For(const Labels& labels) {
    T*& metric = metrics[labels];
    if (metric == nullptr) metric = &Add(labels);
    return *metric;
  }
  void Remove(const Labels& labels) {
    if (const auto found = metrics.extract(labels)) family->Remove(found.mapped());
  }

 private:
  T& Add(const Labels& labels) {
    if constexpr (std::is_same_v<T, Histogram>) return family->Add(labels, buckets);
    if constexpr (!std::is_same_v<T, Histogram>) return family->Add(labels);
  }
};

class PrometheusMetrics final : public Metrics {
 public:
  void Increment(const std::string& name, const Labels& labels, double by) override {
    std::lock_guard lock(mutex_);
    if (auto* series = SeriesOf<Counter>(name)) series->For(labels).Increment(by);
  }

  void Set(const std::string& name, const Labels& labels, double value) override {
    std::lock_guard lock(mutex_);
    if (auto* series = SeriesOf<Gauge>(name)) series->For(labels).Set(value);
  }

  void Observe(const std::string& name, const Labels& labels, double value) override {
    std::lock_guard lock(mutex_);
    if (auto* series = SeriesOf<Histogram>(name)) series->For(labels).Observe(value);
  }

  void Describe(const std::string& name, const std::string& help,
                std::vector<double> buckets) override {
    std::lock_guard lock(mutex_);
    descriptions_[name] = {help, std::move(buckets)};
  }

  void Remove(const std::string& name, const Labels& labels) override {
    std::lock_guard lock(mutex_);
    const auto found = series_.find(name);
    if (found == series_.end()) return;
    std::visit([&](auto& series) { series.Remove(labels); }, found->second);
  }

  std::string Text() const override {
    std::lock_guard lock(mutex_);
    return prometheus::TextSerializer().Serialize(registry_.Collect());
  }

 private:
  struct Description {
    std::string help;
    std::vector<double> buckets;
  };
  using AnySeries = std::variant<Series<Counter>, Series<Gauge>, Series<Histogram>>;

  // Null when the name is in use for another type: a defect, but none worth stopping for.
  template <typename T>
  Series<T>* SeriesOf(const std::string& name) {
    auto found = series_.find(name);
    if (found == series_.end()) found = series_.emplace(name, NewSeries<T>(name)).first;
    auto* series = std::get_if<Series<T>>(&found->second);
    if (series == nullptr) base::LogError("metric used with two types", {{"metric", name}});
    return series;
  }

  template <typename T>
  Series<T> NewSeries(const std::string& name) {
    const Description& described = descriptions_[name];
    const auto& buckets = described.buckets.empty() ? kDefaultBuckets : described.buckets;
    return {Build<T>(registry_, name, described.help), buckets, {}};
  }

  mutable std::mutex mutex_;  // Guards all below.
  prometheus::Registry registry_;
  std::map<std::string, Description> descriptions_;
  std::unordered_map<std::string, AnySeries, TextHash> series_;
};

}  // namespace

std::unique_ptr<Metrics> Metrics::Make() { return std::make_unique<PrometheusMetrics>(); }

}  // namespace coppice::kube
