#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "json/value.h"
#include "kube/executor.h"
#include "kube/metrics.h"

namespace coppice::kube {

// Serves admission webhooks over HTTPS, with a certificate from two files that may change while it
// runs (as a mounted Secret does).
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
