#include "services/scheduler/usage/prometheus_usage.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "api/view/prometheusquery.h"
#include "http/client/client.h"
#include "json/parse.h"

namespace coppice::services::scheduler {
namespace {

using json::Value;
using view::prometheusquery::Sample;

constexpr std::string_view kQueueName = "queue_name";  // Label.

int64_t Seconds(base::Duration duration) {
  return std::chrono::duration_cast<std::chrono::seconds>(duration).count();
}

// Samples are [time, "value"].
base::Result<double> SampleValue(Sample sample) {
  const std::string text = sample.value().At(1).ToString();
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != 0 || !std::isfinite(value)) {
    return base::Internal(fmt::format("Prometheus answered \"{}\", which is no number", text));
  }
  return value;
}

class PrometheusUsage final : public UsageSource {
 public:
  PrometheusUsage(UsageConfig config, PrometheusQuery query)
      : config_(std::move(config)), query_(std::move(query)) {}

  base::Result<Usage> Fetch(base::Time now) override {
    Usage usage;
    for (const auto& [resource, metric] : config_.allocation_metrics) {
      COPPICE_ASSIGN(const double capacity, Capacity(resource, now));
      COPPICE_ASSIGN(const Value samples, Ask(metric, now));
      for (const Sample sample : view::List<Sample>(samples)) {
        COPPICE_ASSIGN(const double used, SampleValue(sample));
        engine::QueueUsage& queue = usage[std::string(sample.metric()[kQueueName])];
        const double share = capacity > 0 ? used / capacity : 0;
        (resource == "gpu" ? queue.gpu : resource == "cpu" ? queue.cpu : queue.memory) += share;
      }
    }
    return usage;
  }

 private:
  base::Result<Value> Ask(const std::string& metric, base::Time now) {
    COPPICE_ASSIGN(const std::string query, UsageQuery(config_, metric, now));
    COPPICE_ASSIGN(const Value answer, query_(query, now));
    const view::prometheusquery::Data data(answer);
    if (data.resultType() != "vector") {
      return base::Internal(
          fmt::format("Prometheus answered with a {} to {}", data.resultType(), query));
    }
    return data.result().Json();
  }

  base::Result<double> Capacity(const std::string& resource, base::Time now) {
    COPPICE_ASSIGN(const Value samples, Ask(config_.capacity_metrics.at(resource), now));
    if (samples.empty()) {
      return base::Unavailable(fmt::format("Prometheus knows no capacity of {}", resource));
    }
    double sum = 0;
    for (const Sample sample : view::List<Sample>(samples)) {
      COPPICE_ASSIGN(const double value, SampleValue(sample));
      sum += value;
    }
    return sum;
  }

  const UsageConfig config_;
  const PrometheusQuery query_;
};

}  // namespace

base::Result<std::string> UsageQuery(const UsageConfig& config, const std::string& metric,
                                     base::Time now) {
  std::string decayed = metric;
  if (config.half_life) {
    decayed = fmt::format("(({}) * (0.5^(({} - time()) / {})))", metric,
                          Seconds(now.time_since_epoch()), Seconds(*config.half_life));
  }
  std::string window = config.window_text;
  if (config.window != UsageConfig::Window::kSliding) {
    COPPICE_ASSIGN(const base::Time start, WindowStart(config, now));
    window = fmt::format("{}s", std::max<int64_t>(1, Seconds(now - start)));
  }
  return fmt::format("sum_over_time(({})[{}:{}])", decayed, window, config.resolution_text);
}

std::unique_ptr<UsageSource> MakePrometheusUsage(UsageConfig config, PrometheusQuery query) {
  return std::make_unique<PrometheusUsage>(std::move(config), std::move(query));
}

base::Result<PrometheusQuery> ConnectPrometheus(const UsageConfig& config) {
  COPPICE_ASSIGN(std::shared_ptr<http::ClientTransport> transport, http::ClientTransport::Make({}));
  const std::string url = config.connection;
  const auto timeout = std::chrono::duration_cast<std::chrono::milliseconds>(config.query_timeout);
  return PrometheusQuery(
      [transport, url, timeout](const std::string& query, base::Time at) -> base::Result<Value> {
        http::ClientRequest request;
        request.url = fmt::format("{}/api/v1/query?query={}&time={}", url, http::EncodeUrl(query),
                                  Seconds(at.time_since_epoch()));
        request.timeout = timeout;
        const http::Exchange exchange = transport->Send(std::move(request));
        COPPICE_TRY(exchange.response);
        COPPICE_ASSIGN(const Value document, json::Parse(exchange.response->BodyView()));
        const view::prometheusquery::Reply reply(document);
        if (reply.status() != "success") {
          return base::Unavailable(fmt::format("Prometheus refused a query: {}", reply.error()));
        }
        return reply.data().Json();
      });
}

}  // namespace coppice::services::scheduler
