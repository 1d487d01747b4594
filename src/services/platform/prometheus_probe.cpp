#include "services/platform/prometheus_probe.h"

#include <fmt/format.h>

#include "api/well_known.h"
#include "http/client/client.h"
#include "kube/object.h"

namespace coppice::services::platform {
namespace {

using std::chrono::seconds;

std::string UrlOf(view::kai::PrometheusConfig prometheus) {
  const std::string url(prometheus.externalPrometheusUrl());
  if (url.empty() || url.find("://") != std::string::npos) return url;
  return "http://" + url;
}

base::Status Ask(const std::string& url, base::Duration timeout) {
  COPPICE_ASSIGN(auto transport, http::ClientTransport::Make({}));
  http::ClientRequest request{.url = url + "/api/v1/status/config"};
  request.timeout = std::chrono::duration_cast<std::chrono::milliseconds>(timeout);
  const http::Exchange exchange = transport->Send(std::move(request));
  COPPICE_TRY(exchange.response);
  if (exchange.response->status == 200) return {};
  return base::Unavailable(fmt::format("the answer was {}", exchange.response->status));
}

class ProbeReconciler final : public kube::Reconciler {
 public:
  ProbeReconciler(kube::Manager& manager, const Options& options,
                  std::shared_ptr<PrometheusHealth> health)
      : manager_(manager),
        configs_(manager.runtime().cache.InformerFor(api::kConfigs)),
        images_(options.images),
        probe_(options.probe ? options.probe : Ask),
        health_(std::move(health)) {}

  base::Result<kube::Requeue> Reconcile(const api::ObjectKey& key) override {
    const auto config = configs_.Get(key);
    if (!config || key.name != kConfigName) return kube::Requeue::Done();
    const json::Value full = ConfigWithDefaults(view::kai::Config(*config).spec().Json(), images_);
    const auto prometheus = view::kai::ConfigSpec(full).prometheus();
    const std::string url = UrlOf(prometheus);
    if (url.empty()) return kube::Requeue::Done();
    const auto settings = prometheus.externalPrometheusHealthProbe();
    const base::Status asked = probe_(url, seconds(settings.timeout().AsInt()));
    if (!asked && ++failures_ <= settings.maxRetries()) {
      return kube::Requeue::After(seconds(failures_));
    }
    if (asked) failures_ = 0;
    Tell(prometheus, {url, asked ? "" : fmt::format("{}: {}", url, asked.error().message())}, key);
    return kube::Requeue::After(seconds(settings.interval().AsInt()));
  }

 private:
  void Tell(view::kai::PrometheusConfig prometheus, PrometheusHealth::Answer answer,
            const api::ObjectKey& key) {
    const auto before = health_->Of(prometheus);
    const bool news = !before || before->problem.empty() != answer.problem.empty();
    health_->Set(std::move(answer));
    if (news) manager_.Enqueue(std::string(kConfigController), key);
  }

  kube::Manager& manager_;
  kube::Informer& configs_;
  const ImageDefaults images_;
  const std::function<base::Status(const std::string&, base::Duration)> probe_;
  std::shared_ptr<PrometheusHealth> health_;
  int failures_ = 0;
};

}  // namespace

std::optional<PrometheusHealth::Answer> PrometheusHealth::Of(
    view::kai::PrometheusConfig prometheus) const {
  const std::string url = UrlOf(prometheus);
  std::lock_guard lock(mutex_);
  if (url.empty() || !answer_ || answer_->url != url) return std::nullopt;
  return answer_;
}

std::shared_ptr<PrometheusHealth> AddPrometheusProbe(kube::Manager& manager,
                                                     const Options& options) {
  auto health = std::make_shared<PrometheusHealth>();
  kube::ControllerSpec spec{.name = "platform-prometheus", .workers = 1};
  spec.For(api::kConfigs, kube::predicates::GenerationChanged);
  manager.AddController(std::move(spec),
                        std::make_unique<ProbeReconciler>(manager, options, health));
  return health;
}

}  // namespace coppice::services::platform
