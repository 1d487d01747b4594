#include "operator/webhooks/serving.h"

#include <fmt/format.h>

#include <utility>

#include "api/key/groveconfig.h"
#include "api/view/groveconfig.h"
#include "base/log.h"

namespace coppice::operators::webhooks {
namespace {

constexpr base::Duration kLookEvery = std::chrono::minutes(1);

// "https://127.0.0.1:2750" → "127.0.0.1".
std::string HostOf(std::string url) {
  if (const size_t scheme = url.find("://"); scheme != std::string::npos) url.erase(0, scheme + 3);
  return url.substr(0, url.find_first_of(":/"));
}

}  // namespace

ServingOptions ReadServing(const json::Value& configuration, ServingOptions options) {
  using Key = key::groveconfig::WebhookServer;
  const json::Value& webhooks =
      view::groveconfig::OperatorConfiguration(configuration).server().webhooks().Json();
  options.bind_address = webhooks[Key::bindAddress].ToString(options.bind_address);
  options.port = static_cast<uint16_t>(webhooks[Key::port].AsInt(options.port));
  options.cert_dir = webhooks[Key::serverCertDir].ToString(options.cert_dir);
  options.secret_name = webhooks[Key::secretName].ToString(options.secret_name);
  options.manual = webhooks[Key::certProvisionMode].AsString() == "manual";
  return options;
}

ServedWebhooks::ServedWebhooks(kube::Client& client, kube::Executor& executor,
                               ServingOptions options, std::shared_ptr<const Reviewer> reviewer)
    : client_(client),
      executor_(executor),
      options_(std::move(options)),
      reviewer_(std::move(reviewer)) {}

base::Status ServedWebhooks::Start() {
  kube::WebhookServer::Options options{.address = options_.bind_address, .port = options_.port};
  if (options_.manual) {
    options.certificates = options_.cert_dir;
  } else {
    options.source = [this] { return Certificate(); };
    options.reload_interval = kLookEvery;
  }
  options.on_certificate = [this](uint16_t port) { return TellApiServer(port); };
  server_ = kube::WebhookServer::Make(
      executor_, std::move(options),
      [reviewer = reviewer_](std::string_view path, const json::Value& review) {
        return reviewer->Answer(path, review);
      });
  return server_->Start();
}

void ServedWebhooks::Stop() {
  if (!server_) return;
  if (const std::string url = told_url(); !url.empty()) {
    const base::Status withdrawn = WithdrawConfigurations(client_, url);
    if (!withdrawn) {
      base::LogWarn("cannot take the webhooks back", {{"error", withdrawn.error().ToString()}});
    }
  }
  server_.reset();
}

base::Status ServedWebhooks::Ready() const {
  if (server_ && server_->Listening()) return {};
  return base::Unavailable("the webhook server has no certificate yet");
}

std::string ServedWebhooks::ca_pem() const {
  const std::lock_guard lock(mutex_);
  return ca_pem_;
}

std::string ServedWebhooks::told_url() const {
  const std::lock_guard lock(mutex_);
  return told_url_;
}

base::Result<http::KeyPair> ServedWebhooks::Certificate() {
  std::vector<std::string> hosts = ServiceHosts(options_.ns);
  if (!options_.url.empty()) hosts.insert(hosts.begin(), HostOf(options_.url));
  auto certificate =
      EnsureCertificate(client_, {options_.ns, options_.secret_name}, hosts, executor_.Now());
  if (!certificate) {
    return certificate.error().During(
        fmt::format("keeping the webhooks' certificate in Secret {} of namespace {} "
                    "(--lease-namespace names another)",
                    options_.secret_name, options_.ns));
  }
  KeepCa(std::move(certificate->ca_pem));
  return std::move(certificate->server);
}

void ServedWebhooks::KeepCa(std::string pem) {
  const std::lock_guard lock(mutex_);
  ca_pem_ = std::move(pem);
}

base::Status ServedWebhooks::TellApiServer(uint16_t port) {
  if (options_.manual) {
    COPPICE_ASSIGN(ServingCertificate certificate, LoadCertificate(options_.cert_dir));
    KeepCa(std::move(certificate.ca_pem));
  }
  const std::string ca = ca_pem();
  if (ca.empty()) return {};
  std::string url = options_.url;
  if (url.ends_with(":0")) url.replace(url.size() - 1, 1, std::to_string(port));
  {
    const std::lock_guard lock(mutex_);
    told_url_ = url;
  }
  return InstallConfigurations(client_, {.url = url, .ns = options_.ns}, ca, options_.authorizer);
}

}  // namespace coppice::operators::webhooks
