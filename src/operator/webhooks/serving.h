#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "base/result.h"
#include "json/value.h"
#include "kube/client/client.h"
#include "kube/executor/executor.h"
#include "kube/process/webhook_server.h"
#include "operator/webhooks/certificates.h"
#include "operator/webhooks/configurations.h"
#include "operator/webhooks/reviews.h"

namespace coppice::operators::webhooks {

// How webhooks are served: `server.webhooks` of an OperatorConfiguration.
struct ServingOptions {
  std::string bind_address = "0.0.0.0";
  uint16_t port = 2750;
  bool manual = false;  // An administrator provides certificates in cert_dir.
  std::string cert_dir = "/etc/grove-operator/webhook-certs";
  std::string secret_name = "grove-webhook-server-cert";
  std::string ns = "default";  // The namespace of the Secret and the Service.
  std::string url;             // How the API server reaches us; "" means through the Service.
  bool authorizer = false;
};
ServingOptions ReadServing(const json::Value& configuration, ServingOptions defaults = {});

// Serves the webhooks over HTTPS, registers them with the API server, and keeps the certificate
// fresh: checks the Secret every minute, and certificates provided as files every two seconds.
class ServedWebhooks {
 public:
  // `client` and `executor` must outlive it.
  ServedWebhooks(kube::Client& client, kube::Executor& executor, ServingOptions options,
                 std::shared_ptr<const Reviewer> reviewer);
  ~ServedWebhooks() { Stop(); }

  // When it returns, the webhooks are served and registered.
  base::Status Start();
  // Unregisters webhooks that are called by URL; a Service may have other replicas.
  void Stop();
  // Unavailable until the certificate exists and the server runs.
  base::Status Ready() const;
  uint16_t port() const { return server_ ? server_->port() : 0; }
  std::string ca_pem() const;

 private:
  base::Result<http::KeyPair> Certificate();
  void KeepCa(std::string pem);
  std::string told_url() const;
  base::Status TellApiServer(uint16_t port);

  kube::Client& client_;
  kube::Executor& executor_;
  const ServingOptions options_;
  const std::shared_ptr<const Reviewer> reviewer_;

  mutable std::mutex mutex_;  // Guards ca_pem_ and told_url_.
  std::string ca_pem_;
  std::string told_url_;  // The URL at which the API server calls us.
  std::unique_ptr<kube::WebhookServer> server_;
};

}  // namespace coppice::operators::webhooks
