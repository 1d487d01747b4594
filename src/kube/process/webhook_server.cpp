#include "kube/process/webhook_server.h"

#include <atomic>
#include <mutex>

#include "base/log.h"
#include "http/crypto/tls.h"
#include "http/server/server.h"
#include "json/parse.h"
#include "json/write.h"
#include "kube/executor/task_scope.h"

namespace coppice::kube {
namespace {

int StatusOf(const base::Error& error) {
  if (error.Is(base::ErrorCode::kNotFound)) return 404;
  return error.Is(base::ErrorCode::kInvalidArgument) ? 400 : 500;
}

class ReviewHandler final : public http::Handler {
 public:
  ReviewHandler(WebhookServer::Answer answer, Metrics* metrics)
      : answer_(std::move(answer)), metrics_(metrics) {}

  void Handle(http::Request request, std::shared_ptr<http::ResponseWriter> writer) override {
    const auto reviewed = Review(request);
    const int status = reviewed ? 200 : StatusOf(reviewed.error());
    if (metrics_) {
      metrics_->Increment("controller_runtime_webhook_requests_total",
                          {{"webhook", request.path}, {"code", std::to_string(status)}});
    }
    if (!reviewed) {
      writer->Send(http::Response::Make(status, "text/plain", reviewed.error().message() + "\n"));
      return;
    }
    writer->Send(http::Response::Make(200, "application/json", json::Write(*reviewed)));
  }

 private:
  base::Result<json::Value> Review(const http::Request& request) const {
    if (request.method != "POST") return base::InvalidArgument("reviews are posted");
    COPPICE_ASSIGN(const json::Value review, json::Parse(request.body));
    return answer_(request.path, review);
  }

  const WebhookServer::Answer answer_;
  Metrics* const metrics_;
};

class WebhookServerImpl final : public WebhookServer {
 public:
  WebhookServerImpl(Executor& executor, Options options, Answer answer)
      : options_(std::move(options)),
        handler_(std::move(answer), options_.metrics),
        scope_(executor) {}
  ~WebhookServerImpl() override {
    scope_.Close();
    if (server_) server_->Stop(std::chrono::seconds(1));
  }

  base::Status Start() override {
    COPPICE_TRY(Load());
    if (!Listening()) {
      base::LogInfo("waiting for a webhook certificate", {{"folder", options_.certificates}});
    }
    scope_.PostAfter(options_.reload_interval, [this] { Reload(); });
    return {};
  }

  bool Listening() const override { return port_ != 0; }
  uint16_t port() const override { return port_; }

 private:
  // A missing file is not an error.
  base::Status Load() {
    const auto pair =
        options_.source ? options_.source() : http::LoadKeyPair(options_.certificates, "tls");
    if (!pair && options_.source) return pair.error();
    if (!pair || IsLoaded(*pair)) return {};
    COPPICE_TRY(Show({pair->certificate_pem, pair->key_pem, ""}));
    if (options_.on_certificate) COPPICE_TRY(options_.on_certificate(port_));
    loaded_ = *pair;
    if (options_.metrics) options_.metrics->Increment("certwatcher_read_certificate_total");
    return {};
  }

  bool IsLoaded(const http::KeyPair& pair) const {
    return server_ && pair.certificate_pem == loaded_.certificate_pem &&
           pair.key_pem == loaded_.key_pem;
  }

  base::Status Show(const http::ServerTls& tls) {
    if (server_) {
      COPPICE_TRY(server_->SetTls(tls));
      base::LogInfo("webhooks have a new certificate");
    } else {
      http::ServerOptions options{.address = options_.address, .port = options_.port, .tls = tls};
      options.max_body_bytes = 16 << 20;  // A review holds the object twice.
      // Reviews carry no credentials: the API server is as unknown as anybody else.
      options.unauthenticated_idle_timeout = options.idle_timeout;
      COPPICE_ASSIGN(server_, http::Server::Start(std::move(options), handler_));
      port_ = server_->port();
      base::LogInfo("serving webhooks", {{"url", server_->Url()}});
    }
    return {};
  }

  void Reload() {
    if (const base::Status loaded = Load(); !loaded) {
      if (options_.metrics)
        options_.metrics->Increment("certwatcher_read_certificate_errors_total");
      base::LogWarn("cannot use the webhook certificate", {{"error", loaded.error().message()}});
    }
    scope_.PostAfter(options_.reload_interval, [this] { Reload(); });
  }

  const Options options_;
  ReviewHandler handler_;
  std::unique_ptr<http::Server> server_;  // Null until there is a certificate.
  http::KeyPair loaded_;
  std::atomic<uint16_t> port_ = 0;
  TaskScope scope_;
};

}  // namespace

std::unique_ptr<WebhookServer> WebhookServer::Make(Executor& executor, Options options,
                                                   Answer answer) {
  return std::make_unique<WebhookServerImpl>(executor, std::move(options), std::move(answer));
}

}  // namespace coppice::kube
