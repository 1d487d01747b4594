#include "services/platform/prometheus_probe.h"

#include <fmt/format.h>

#include "api/well_known.h"
#include "http/client.h"
#include "kube/object.h"

namespace coppice::services::platform {
namespace {

using std::chrono::seconds;

std::string UrlOf(const json::Value& spec) {
  const std::string url = spec["prometheus"]["externalPrometheusUrl"].ToString();
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
    const json::Value spec = ConfigWithDefaults((*config)["spec"], images_);
    const std::string url = UrlOf(spec);
    if (url.empty()) return kube::Requeue::Done();
    const json::Value& settings = spec["prometheus"]["externalPrometheusHealthProbe"];
    const base::Status asked = probe_(url, seconds(settings["timeout"].AsInt()));
    if (!asked && ++failures_ <= settings["maxRetries"].AsInt()) {
      return kube::Requeue::After(seconds(failures_));
    }
    if (asked) failures_ = 0;
    Tell(spec, {url, asked ? "" : fmt::format("{}: {}", url, asked.error().message())}, key);
    return kube::Requeue::After(seconds(settings["interval"].AsInt()));
  }

 private:
  void Tell(const json::Value& spec, PrometheusHealth::Answer answer, const api::ObjectKey& key) {
    const auto before = health_->Of(spec);
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

std::optional<PrometheusHealth::Answer> PrometheusHealth::Of(const json::Value& spec) const {
  const std::string url = UrlOf(spec);
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
