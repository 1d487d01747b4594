#include "operator/webhooks/serving.h"

#include "base/log.h"
#include "json/parse.h"
#include "json/write.h"

namespace coppice::operators::webhooks {
namespace {

constexpr base::Duration kLookEvery = std::chrono::minutes(1);
constexpr std::chrono::milliseconds kGrace{1000};

// "https://127.0.0.1:2750" → "127.0.0.1".
std::string HostOf(std::string url) {
  if (const size_t scheme = url.find("://"); scheme != std::string::npos) url.erase(0, scheme + 3);
  return url.substr(0, url.find_first_of(":/"));
}

}  // namespace

ServingOptions ReadServing(const json::Value& configuration, ServingOptions options) {
  const json::Value& webhooks = configuration["server"]["webhooks"];
  options.bind_address = webhooks["bindAddress"].ToString(options.bind_address);
  options.port = static_cast<uint16_t>(webhooks["port"].AsInt(options.port));
  options.cert_dir = webhooks["serverCertDir"].ToString(options.cert_dir);
  options.secret_name = webhooks["secretName"].ToString(options.secret_name);
  options.manual = webhooks["certProvisionMode"].AsString() == "manual";
  return options;
}

WebhookServer::WebhookServer(kube::Client& client, kube::Executor& executor, ServingOptions options,
                             std::shared_ptr<const Reviewer> reviewer)
    : client_(client),
      options_(std::move(options)),
      reviewer_(std::move(reviewer)),
      port_(options_.port),
      scope_(executor) {}

base::Status WebhookServer::Start() {
  COPPICE_TRY(Refresh());
  Watch();
  return {};
}

void WebhookServer::Stop() {
  scope_.Close();
  const std::lock_guard lock(mutex_);
  if (server_) server_->Stop(kGrace);
  server_.reset();
}

base::Status WebhookServer::Ready() const {
  const std::lock_guard lock(mutex_);
  if (!server_) return base::Unavailable("the webhook server has no certificate yet");
  return {};
}

uint16_t WebhookServer::port() const {
  const std::lock_guard lock(mutex_);
  return port_;
}

std::string WebhookServer::ca_pem() const {
  const std::lock_guard lock(mutex_);
  return shown_.ca_pem;
}

base::Result<ServingCertificate> WebhookServer::Certificate() {
  if (options_.manual) return LoadCertificate(options_.cert_dir);
  std::vector<std::string> hosts = ServiceHosts(options_.ns);
  if (!options_.url.empty()) hosts.insert(hosts.begin(), HostOf(options_.url));
  return EnsureCertificate(client_, {options_.ns, options_.secret_name}, hosts, scope_.Now());
}

base::Status WebhookServer::Refresh() {
  COPPICE_ASSIGN(const ServingCertificate certificate, Certificate());
  const std::lock_guard lock(mutex_);
  if (server_ && certificate == shown_) return {};
  if (server_) server_->Stop(kGrace);
  server_.reset();
  http::ServerOptions serving{.address = options_.bind_address, .port = port_};
  serving.tls = http::ServerTls{.certificate_pem = certificate.server.certificate_pem,
                                .key_pem = certificate.server.key_pem,
                                .client_ca_pem = ""};
  COPPICE_ASSIGN(server_, http::Server::Start(std::move(serving), *this));
  port_ = server_->port();
  shown_ = certificate;
  base::LogInfo("serving webhooks", {{"url", server_->Url()}});
  if (certificate.ca_pem.empty()) return {};
  std::string url = options_.url;
  if (url.ends_with(":0")) url.replace(url.size() - 1, 1, std::to_string(port_));
  return InstallConfigurations(client_, {.url = url, .ns = options_.ns}, certificate.ca_pem,
                               options_.authorizer);
}

void WebhookServer::Watch() {
  scope_.PostAfter(kLookEvery, [this] {
    if (const base::Status refreshed = Refresh(); !refreshed) {
      base::LogError("cannot refresh the webhook certificate",
                     {{"error", refreshed.error().ToString()}});
    }
    Watch();
  });
}

void WebhookServer::Handle(http::Request request, std::shared_ptr<http::ResponseWriter> writer) {
  const auto review = json::Parse(request.body);
  const auto answer =
      review ? reviewer_->Answer(request.path, *review) : base::Result<json::Value>(review.error());
  if (answer) {
    writer->Send(http::Response::Make(200, "application/json", json::Write(*answer)));
    return;
  }
  const int status = answer.Is(base::ErrorCode::kNotFound) ? 404 : 400;
  writer->Send(http::Response::Make(status, "text/plain", answer.error().message()));
}

}  // namespace coppice::operators::webhooks
