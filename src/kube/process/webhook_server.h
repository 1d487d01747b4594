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

// Serves admission webhooks over HTTPS, with a certificate that may change while it runs: from two
// files (as a mounted Secret gives), or from wherever `source` finds it.
//
// A certificate that is not there yet is waited for, so that the process can start before its
// Secret is made; one that cannot be read keeps the one before in use.
class WebhookServer {
 public:
  // Answers one AdmissionReview posted to `path`. NotFound: there is no such webhook. Thread-safe.
  using Answer =
      std::function<base::Result<json::Value>(std::string_view path, const json::Value& review)>;

  struct Options {
    std::string address = "0.0.0.0";
    uint16_t port = 9443;
    std::string certificates = "/tmp/k8s-webhook-server/serving-certs";  // tls.crt and tls.key.
    // Gives the certificate instead of the files, when set. Its errors are reported.
    std::function<base::Result<http::KeyPair>()> source;
    // Called with the port whenever a certificate has been taken up, for those who must tell the
    // API server whom to trust. When it fails it is called again with the next look.
    std::function<base::Status(uint16_t port)> on_certificate;
    base::Duration reload_interval = std::chrono::seconds(2);
    Metrics* metrics = nullptr;
  };

  static std::unique_ptr<WebhookServer> Make(Executor& executor, Options options, Answer answer);
  // Stops; no answer is being computed afterwards.
  virtual ~WebhookServer() = default;

  // Listens as soon as there is a certificate. Fails when it cannot listen although there is one.
  virtual base::Status Start() = 0;
  virtual bool Listening() const = 0;
  virtual uint16_t port() const = 0;
};

}  // namespace coppice::kube
