#include "cli/run/service_webhooks.h"

#include <filesystem>

#include "http/crypto/tls.h"
#include "kube/process/webhook_server.h"
#include "services/admission/webhook.h"
#include "services/platform/own_webhooks.h"

namespace coppice::cli {
namespace {

using services::platform::OwnWebhooks;

class RunningServiceWebhooks final : public ServiceWebhooks {
 public:
  RunningServiceWebhooks(const services::ProcessOptions& process,
                         const ServiceWebhookOptions& options)
      : process_(process), options_(options) {}

  base::Status Serve(kube::Client& client, kube::Executor& executor,
                     const services::admission::Options& rules, kube::Metrics& metrics) {
    const OwnWebhooks own = Own(rules);
    if (!own.service.empty()) COPPICE_TRY(FillFolder(client, own, executor.Now()));
    server_ = kube::WebhookServer::Make(
        executor,
        {.port = static_cast<uint16_t>(process_.webhook_port),
         .certificates = process_.webhook_certificates,
         .metrics = &metrics},
        Answer(client, rules, static_cast<uint64_t>(executor.Now().time_since_epoch().count())));
    COPPICE_TRY(server_->Start());
    if (own.service.empty()) return {};
    return services::platform::RegisterWebhooks(client, own, executor.Now());
  }

  base::Status Ready() const override {
    if (!options_.pods || !IsMounted() || server_->Listening()) return {};
    return base::Unavailable("the webhooks are not served yet");
  }

 private:
  OwnWebhooks Own(const services::admission::Options& rules) const {
    return {.ns = options_.ns,
            .service = process_.webhook_service,
            .scheduler_name = rules.scheduler_name,
            .pods = options_.pods,
            .placed = services::admission::PlacedPods(rules.placement),
            .queues = options_.queues,
            .pod_groups = options_.pod_groups};
  }

  base::Status FillFolder(kube::Client& client, const OwnWebhooks& own, base::Time now) const {
    COPPICE_ASSIGN(const http::KeyPair pair,
                   services::platform::EnsureOwnCertificate(client, own, now));
    std::error_code failed;
    std::filesystem::create_directories(process_.webhook_certificates, failed);
    return http::SaveKeyPair(pair, process_.webhook_certificates, "tls");
  }

  // Without a mounted certificate, nothing calls the webhooks.
  bool IsMounted() const {
    std::error_code ignored;
    return std::filesystem::is_directory(process_.webhook_certificates, ignored);
  }

  bool Serves(std::string_view path) const {
    if (path.ends_with("-queue")) return options_.queues;
    return path.ends_with("-podgroup") ? options_.pod_groups : options_.pods;
  }

  kube::WebhookServer::Answer Answer(kube::Client& client,
                                     const services::admission::Options& rules,
                                     uint64_t seed) const {
    auto admission = std::make_shared<services::admission::Admission>(client, rules, seed);
    return [this, admission](std::string_view path,
                             const json::Value& review) -> base::Result<json::Value> {
      if (!Serves(path)) return base::NotFound("there is no such webhook here");
      return services::admission::AnswerReview(*admission, path, review);
    };
  }

  const services::ProcessOptions process_;
  const ServiceWebhookOptions options_;
  std::unique_ptr<kube::WebhookServer> server_;
};

}  // namespace

base::Result<std::unique_ptr<ServiceWebhooks>> ServiceWebhooks::Start(
    kube::Client& client, kube::Executor& executor, const services::AllOptions& services,
    const ServiceWebhookOptions& options, kube::Metrics& metrics) {
  if (!options.pods && !options.queues && !options.pod_groups) {
    return std::unique_ptr<ServiceWebhooks>();
  }
  auto running = std::make_unique<RunningServiceWebhooks>(services.process, options);
  COPPICE_TRY(running->Serve(client, executor, services.admission, metrics));
  return std::unique_ptr<ServiceWebhooks>(std::move(running));
}

}  // namespace coppice::cli
