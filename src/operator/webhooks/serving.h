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
  bool manual = false;  // Somebody else provides certificates in cert_dir.
  std::string cert_dir = "/etc/grove-operator/webhook-certs";
  std::string secret_name = "grove-webhook-server-cert";
  std::string ns = "default";  // Of the Secret and the Service.
  std::string url;             // How the API server reaches us; "" through the Service.
  bool authorizer = false;
};
ServingOptions ReadServing(const json::Value& configuration, ServingOptions defaults = {});

// Serves the webhooks over HTTPS, tells the API server about them, and keeps the certificate fresh:
// the Secret is looked at every minute, files of somebody else's every two seconds.
class ServedWebhooks {
 public:
  // `client` and `executor` must outlive it.
  ServedWebhooks(kube::Client& client, kube::Executor& executor, ServingOptions options,
                 std::shared_ptr<const Reviewer> reviewer);
  ~ServedWebhooks() { Stop(); }

  // Serves, and is known to the API server, when it returns.
  base::Status Start();
  // Webhooks that were called by URL are not called any more; a Service has other replicas.
  void Stop();
  // Unavailable until the certificate is there and the server runs.
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

  mutable std::mutex mutex_;  // Guards the two below.
  std::string ca_pem_;
  std::string told_url_;  // Where the API server calls us.
  std::unique_ptr<kube::WebhookServer> server_;
};

}  // namespace coppice::operators::webhooks
