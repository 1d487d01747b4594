#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "base/result.h"
#include "http/server.h"
#include "json/value.h"
#include "kube/client.h"
#include "kube/executor.h"
#include "kube/task_scope.h"
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
// it is looked at every minute, and the server starts anew with a new one.
class WebhookServer : public http::Handler {
 public:
  // `client` and `executor` must outlive it.
  WebhookServer(kube::Client& client, kube::Executor& executor, ServingOptions options,
                std::shared_ptr<const Reviewer> reviewer);
  ~WebhookServer() override { Stop(); }

  // Serves, and is known to the API server, when it returns.
  base::Status Start();
  void Stop();
  // Unavailable until the certificate is there and the server runs.
  base::Status Ready() const;
  uint16_t port() const;
  std::string ca_pem() const;

  void Handle(http::Request request, std::shared_ptr<http::ResponseWriter> writer) override;

 private:
  base::Result<ServingCertificate> Certificate();
  // Takes up a certificate that differs from the one that is shown.
  base::Status Refresh();
  void Watch();

  kube::Client& client_;
  const ServingOptions options_;
  const std::shared_ptr<const Reviewer> reviewer_;

  mutable std::mutex mutex_;  // Guards all below but scope_.
  ServingCertificate shown_;
  std::unique_ptr<http::Server> server_;
  uint16_t port_;

  kube::TaskScope scope_;
};

}  // namespace coppice::operators::webhooks
