#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <random>

#include "kube/transport/concurrency_limiter.h"
#include "kube/transport/http_client.h"
#include "kube/transport/request_rate.h"

namespace coppice::kube {

// Sends requests to one cluster: adds credentials, respects the concurrency and rate limits,
// retries what is safe to retry. Thread-safe.
class ClusterConnection {
 public:
  static base::Result<std::unique_ptr<ClusterConnection>> Make(ClusterConfig config,
                                                               HttpClientOptions options,
                                                               const base::Clock& clock);

  // `url` of the request is a path. The response is a success (2xx), or the typed error.
  base::Result<http::Response> Send(http::ClientRequest request);

  // A transport and the request prepared for it. Streams have their own transport, so a large list
  // does not delay other requests and responses.
  struct Prepared {
    std::shared_ptr<http::ClientTransport> transport;
    http::ClientRequest request;
  };
  base::Result<Prepared> PrepareStream(http::ClientRequest request) {
    return Prepare(std::move(request), streams_);
  }
  // The server refused our credentials.
  void InvalidateCredentials();

  uint32_t Random();

 private:
  ClusterConnection(ClusterConfig config, HttpClientOptions options, const base::Clock& clock);

  struct Channel {
    // Rebuilt when a plugin hands out another client certificate.
    std::shared_ptr<http::ClientTransport> transport;
    std::string certificate;
  };

  base::Result<Prepared> Prepare(http::ClientRequest request, Channel& channel);
  void Pause(std::chrono::milliseconds delay);
  base::Result<http::Exchange> SendOnce(const http::ClientRequest& request);
  base::Result<std::shared_ptr<http::ClientTransport>> TransportFor(const Credential& credential,
                                                                    Channel& channel);

  const ClusterConfig config_;
  const HttpClientOptions options_;
  const base::Clock& clock_;
  const bool gzip_;
  RequestRate rate_;
  ConcurrencyLimiter limiter_;

  std::mutex mutex_;  // Guards what follows.
  Channel requests_;
  Channel streams_;
  std::mt19937 random_;
};

}  // namespace coppice::kube
