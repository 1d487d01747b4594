#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "http/crypto/tls.h"
#include "json/value.h"
#include "kube/executor/executor.h"
#include "kube/metrics.h"

namespace coppice::kube {

// Serves admission webhooks over HTTPS. The certificate may change at run time; it comes from two
// files (such as a mounted Secret) or from `source`.
//
// If there is no certificate yet, it waits, so the process can start before its Secret exists. If a
// new certificate cannot be read, the previous one stays in use.
class WebhookServer {
 public:
  // Answers one AdmissionReview posted to `path`. NotFound: there is no such webhook. Thread-safe.
  using Answer =
      std::function<base::Result<json::Value>(std::string_view path, const json::Value& review)>;

  struct Options {
    std::string address = "0.0.0.0";
    uint16_t port = 9443;
    std::string certificates = "/tmp/k8s-webhook-server/serving-certs";  // tls.crt and tls.key.
    // If set, provides the certificate instead of the files. Its errors are reported.
    std::function<base::Result<http::KeyPair>()> source;
    // Called with the port whenever a certificate has been loaded, e.g. to publish the CA to the
    // API server. If it fails, it is called again at the next check.
    std::function<base::Status(uint16_t port)> on_certificate;
    base::Duration reload_interval = std::chrono::seconds(2);
    Metrics* metrics = nullptr;
  };

  static std::unique_ptr<WebhookServer> Make(Executor& executor, Options options, Answer answer);
  // Stops; no request is in progress afterwards.
  virtual ~WebhookServer() = default;

  // Listens as soon as there is a certificate. Fails if there is one and it cannot listen.
  virtual base::Status Start() = 0;
  virtual bool Listening() const = 0;
  virtual uint16_t port() const = 0;
};

}  // namespace coppice::kube
