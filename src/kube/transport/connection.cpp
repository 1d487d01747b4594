#include "kube/transport/connection.h"

#include <thread>

#include "kube/transport/status_error.h"

namespace coppice::kube {
namespace {

// Compression between processes of one machine only costs.
bool IsLoopback(std::string_view server) {
  return server.find("://127.") != server.npos || server.find("://localhost") != server.npos ||
         server.find("://[::1]") != server.npos;
}

ConcurrencyLimiter::Options LimiterOptions(int max_in_flight) {
  ConcurrencyLimiter::Options options;
  if (max_in_flight > 0) options.maximum = max_in_flight;
  options.initial = std::min(options.initial, options.maximum);
  return options;
}

bool IsThrottled(const http::Exchange& exchange) {
  return exchange.response && exchange.response->status == 429 &&
         exchange.response->headers.Has("retry-after");
}

}  // namespace

base::Result<std::unique_ptr<ClusterConnection>> ClusterConnection::Make(ClusterConfig config,
                                                                         HttpClientOptions options,
                                                                         const base::Clock& clock) {
  std::unique_ptr<ClusterConnection> connection(
      new ClusterConnection(std::move(config), std::move(options), clock));
  if (!connection->config_.credentials) {
    COPPICE_TRY(connection->TransportFor({}, connection->requests_));
  }
  return connection;
}

ClusterConnection::ClusterConnection(ClusterConfig config, HttpClientOptions options,
                                     const base::Clock& clock)
    : config_(std::move(config)),
      options_(std::move(options)),
      clock_(clock),
      gzip_(!IsLoopback(config_.server)),
      rate_(options_.max_per_second),
      limiter_(LimiterOptions(options_.max_in_flight)),
      random_(std::random_device()()) {}

base::Result<http::Response> ClusterConnection::Send(http::ClientRequest request) {
  bool refused_before = false;
  for (int attempt = 1;; ++attempt) {
    COPPICE_ASSIGN(http::Exchange exchange, SendOnce(request));
    if (exchange.response && exchange.response->status < 300) return *exchange.response;
    if (exchange.response && exchange.response->status == 401 && config_.credentials &&
        !std::exchange(refused_before, true)) {
      InvalidateCredentials();
      continue;
    }
    const auto delay = RetryDelay(options_.retry, request.method, exchange, attempt, Random());
    if (!delay) {
      if (!exchange.response) return exchange.response.error();
      return ErrorFromResponse(*exchange.response);
    }
    Pause(*delay);
  }
}

base::Result<ClusterConnection::Prepared> ClusterConnection::Prepare(http::ClientRequest request,
                                                                     Channel& channel) {
  Credential credential;
  if (config_.credentials) {
    COPPICE_ASSIGN(credential, config_.credentials->Get());
  }
  COPPICE_ASSIGN(auto transport, TransportFor(credential, channel));
  request.url = config_.server + request.url;
  request.gzip = gzip_;
  request.headers.Set("accept", "application/json");
  if (!credential.authorization.empty()) {
    request.headers.Set("authorization", credential.authorization);
  }
  for (const auto& [name, value] : config_.impersonation.items()) request.headers.Add(name, value);
  return Prepared{std::move(transport), std::move(request)};
}

void ClusterConnection::InvalidateCredentials() {
  if (config_.credentials) config_.credentials->Invalidate();
}

uint32_t ClusterConnection::Random() {
  std::lock_guard lock(mutex_);
  return random_();
}

void ClusterConnection::Pause(std::chrono::milliseconds delay) {
  if (delay <= delay.zero()) return;
  options_.pause ? options_.pause(delay) : std::this_thread::sleep_for(delay);
}

base::Result<http::Exchange> ClusterConnection::SendOnce(const http::ClientRequest& request) {
  COPPICE_ASSIGN(Prepared prepared, Prepare(request, requests_));
  prepared.request.timeout = options_.request_timeout;
  Pause(rate_.Reserve(clock_.Elapsed()));
  ConcurrencyLimiter::Slot slot(limiter_);
  http::Exchange exchange = prepared.transport->Send(std::move(prepared.request));
  if (IsThrottled(exchange)) slot.set_outcome(ConcurrencyLimiter::Outcome::kThrottled);
  return exchange;
}

base::Result<std::shared_ptr<http::ClientTransport>> ClusterConnection::TransportFor(
    const Credential& credential, Channel& channel) {
  std::lock_guard lock(mutex_);
  if (channel.transport && credential.certificate_pem == channel.certificate) {
    return channel.transport;
  }
  http::ClientOptions options;
  options.tls = config_.tls;
  if (!credential.certificate_pem.empty()) {
    options.tls.certificate_pem = credential.certificate_pem;
    options.tls.key_pem = credential.key_pem;
  }
  options.proxy_url = config_.proxy_url;
  options.user_agent =
      options_.user_agent.empty() ? "coppice/" COPPICE_VERSION : options_.user_agent;
  COPPICE_ASSIGN(auto made, http::ClientTransport::Make(std::move(options)));
  channel.transport = std::move(made);
  channel.certificate = credential.certificate_pem;
  return channel.transport;
}

}  // namespace coppice::kube
