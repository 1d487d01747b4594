#include "server/front/http_front.h"

#include <fmt/format.h>

#include <atomic>
#include <filesystem>

#include "base/base64.h"
#include "base/files.h"
#include "json/yaml/yaml.h"
#include "kube/transport/request_rate.h"
#include "server/auth/authenticator.h"
#include "server/core/core.h"
#include "server/core/namespaces.h"
#include "server/discovery/discovery.h"
#include "server/discovery/openapi.h"
#include "server/front/audit_log.h"
#include "server/front/audited_writer.h"
#include "server/front/health.h"
#include "server/front/resource_handler.h"
#include "server/front/route.h"
#include "server/front/server_metrics.h"
#include "server/model/pki.h"
#include "server/wire/options.h"

namespace coppice::server {
namespace {

bool IsHealthPath(std::string_view path) {
  for (const char* prefix : {"/healthz", "/livez", "/readyz"}) {
    const std::string_view text = prefix;
    if (path == text ||
        (path.starts_with(text) && path[text.size()] == '/' && path.size() > text.size() + 1)) {
      return true;
    }
  }
  return false;
}

// Whether a path that is not served belongs to an API that answers in JSON.
bool IsApiPath(const Registry& registry, std::string_view path) {
  const std::vector<std::string> parts = SplitPath(path);
  if (parts.size() == 2 && path.starts_with("/api/")) return true;
  return parts.size() == 3 && path.starts_with("/apis/") && IsBuiltinGroup(registry, parts[1]);
}

Attributes PathAttributes(const RequestInfo& info) {
  return {.verb = info.verb, .is_resource = false, .path = info.path};
}

}  // namespace

class HttpFront::Impl : public http::Handler {
 public:
  Impl(ApiServer& server, kube::Executor& executor, Options options)
      : core_(server.core()),
        options_(std::move(options)),
        resources_(core_, executor),
        rate_(options_.max_requests_per_second) {}

  base::Status Start() {
    if (!options_.audit_log.empty()) {
      COPPICE_ASSIGN(audit_, AuditLog::Open(options_.audit_log));
    }
    http::ServerOptions limits = options_.limits;
    limits.address = options_.address;
    limits.port = options_.port;
    limits.tls.reset();
    if (options_.tls) {
      COPPICE_ASSIGN(const std::shared_ptr<const Pki> pki, core_.pki());
      PublishCa(core_);
      std::vector<std::string> hosts = {"localhost",
                                        "127.0.0.1",
                                        "::1",
                                        "kubernetes",
                                        "kubernetes.default",
                                        "kubernetes.default.svc",
                                        "kubernetes.default.svc.cluster.local",
                                        "10.96.0.1"};
      hosts.push_back(options_.address);
      hosts.insert(hosts.end(), options_.hosts.begin(), options_.hosts.end());
      COPPICE_ASSIGN(const http::KeyPair pair, pki->IssueServer(hosts, core_.clock().Now()));
      limits.tls = http::ServerTls{pair.certificate_pem, pair.key_pem, pki->ca_pem()};
    } else if (options_.address != "127.0.0.1" && options_.address != "::1" &&
               options_.address != "localhost") {
      return base::InvalidArgument("plain HTTP is served on loopback addresses only");
    }
    COPPICE_ASSIGN(server_, http::Server::Start(std::move(limits), *this));
    return {};
  }

  void Stop() {
    resources_.Stop();
    if (server_) server_->Stop(std::chrono::seconds(2));
  }

  void Handle(http::Request request, std::shared_ptr<http::ResponseWriter> writer) override {
    Call call{std::move(request), nullptr, {}, {}, User::Anonymous()};
    call.info = RequestInfo::Parse(call.http.method, call.http.path, call.http.query);
    auto audited = std::make_shared<AuditedWriter>(std::move(writer));
    call.writer = audited;
    const RequestInfo info = call.info;
    const bool counted = info.verb != "watch";
    const base::Time start = core_.clock().Now();
    const base::Instant begun = core_.clock().Elapsed();
    const bool room = !counted || in_flight_.fetch_add(1) < options_.max_requests_in_flight;
    User user = User::Anonymous();
    const std::shared_ptr<const Remarks> remarks = call.remarks;
    if (room && rate_.Take(begun)) {
      user = Route(std::move(call));
    } else {
      SendError(call, base::Error(base::ErrorCode::kTooManyRequests,
                                  "Too many requests, please try again later.")
                          .WithRetryAfter(std::chrono::seconds(1)));
    }
    if (counted) in_flight_.fetch_sub(1);
    metrics_.Count(*core_.registry(), info, audited->status(), core_.clock().Elapsed() - begun);
    if (audit_) audit_->Write(start, user, info, audited->status(), *remarks);
  }

  std::unique_ptr<http::Server> server_;
  Core& core_;
  const Options options_;
  std::atomic<bool> ready_{true};

 private:
  // Returns who asked.
  User Route(Call call) {
    const base::Result<User> user = WhoIs(call);
    if (!user) {
      SendError(call, user.error());
      return User::Anonymous();
    }
    call.user = *user;
    if (call.info.is_resource) {
      resources_.Handle(std::move(call));
      return *user;
    }
    const base::Status allowed = core_.Authorize(*user, PathAttributes(call.info));
    if (!allowed) {
      SendError(call, allowed.error());
    } else {
      ServePath(call);
    }
    return *user;
  }

  base::Result<User> WhoIs(const Call& call) {
    if (options_.tls) {
      COPPICE_ASSIGN(User user, Authenticate(core_, call.http));
      if (user.InGroup("system:authenticated")) call.writer->MarkAuthenticated();
      return Impersonate(core_, call.http, std::move(user));
    }
    call.writer->MarkAuthenticated();
    return User::Admin();
  }

  void ServePath(Call& call) {
    const std::string& path = call.info.path;
    if (IsHealthPath(path)) return ServeHealth(call);
    if (call.http.method != "GET" && call.http.method != "HEAD") {
      return IsServed(path) ? SendError(call, MethodNotAllowed()) : SendUnknown(call);
    }
    if (path == "/metrics") return SendText(call, 200, metrics_.Text(core_));
    if (path == "/openid/v1/jwks" || path == "/.well-known/openid-configuration") {
      return ServeIssuer(call);
    }
    if (path.rfind("/openapi/", 0) == 0) return ServeOpenApi(core_, call);
    const base::Result<ResponseForm> form = NegotiateResponse(call.http.headers.Joined("accept"));
    if (!form) return SendError(call, form.error());
    call.form = *form;
    if (form->shape == Shape::kAggregatedDiscovery && (path == "/api" || path == "/apis")) {
      return ServeAggregatedDiscovery(core_, call);
    }
    if (path == "/") return SendValue(call, 200, RootPaths(core_));
    const base::Result<json::Value> found = Discover(core_, path);
    if (!found) return SendUnknown(call);
    SendValue(call, 200, *found);
  }

  bool IsServed(const std::string& path) const {
    return path == "/" || path == "/metrics" || path == "/openid/v1/jwks" ||
           path == "/.well-known/openid-configuration" || path.starts_with("/openapi/") ||
           Discover(core_, path).ok();
  }

  void SendUnknown(const Call& call) {
    if (IsApiPath(*core_.registry(), call.info.path)) return SendError(call, ResourceUnknown());
    SendText(call, 404, "404 page not found\n");
  }

  void ServeHealth(const Call& call) {
    std::vector<HealthCheck> checks = {{"ping", [] { return base::Status(); }}};
    if (call.info.path.rfind("/readyz", 0) == 0) {
      checks.push_back({"disk", [this] { return core_.store().CheckRoom(); }});
      checks.push_back(
          {"serving", [this] { return ready_ ? base::Status() : base::Unavailable("not ready"); }});
    }
    HealthAnswer answer = AnswerHealth(call.http, checks);
    SendText(call, answer.status, std::move(answer.text));
  }

  void ServeIssuer(const Call& call) {
    const auto pki = core_.pki();
    if (!pki) return SendError(call, pki.error());
    const auto key = (*pki)->token_key().PublicJwk();
    if (!key) return SendError(call, key.error());
    if (call.info.path == "/openid/v1/jwks") {
      return SendValue(call, 200, json::Value::Object({{"keys", json::Value::Array({*key})}}));
    }
    SendValue(call, 200,
              json::Value::Object({{"issuer", "https://kubernetes.default.svc.cluster.local"},
                                   {"jwks_uri", server_->Url() + "/openid/v1/jwks"},
                                   {"response_types_supported", json::Value::Array({"id_token"})},
                                   {"subject_types_supported", json::Value::Array({"public"})},
                                   {"id_token_signing_alg_values_supported",
                                    json::Value::Array({(*pki)->token_key().algorithm()})}}));
  }

  ResourceHandler resources_;
  ServerMetrics metrics_;
  std::unique_ptr<AuditLog> audit_;
  kube::RequestRate rate_;
  std::atomic<size_t> in_flight_{0};
};

HttpFront::HttpFront(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

HttpFront::~HttpFront() { Stop(); }

base::Result<std::unique_ptr<HttpFront>> HttpFront::Start(ApiServer& server,
                                                          kube::Executor& executor,
                                                          Options options) {
  auto impl = std::make_unique<Impl>(server, executor, std::move(options));
  COPPICE_TRY(impl->Start());
  return std::unique_ptr<HttpFront>(new HttpFront(std::move(impl)));
}

std::string HttpFront::Url() const { return impl_->server_->Url(); }
uint16_t HttpFront::port() const { return impl_->server_->port(); }
size_t HttpFront::connections() const { return impl_->server_->connections(); }
void HttpFront::SetReady(bool ready) { impl_->ready_ = ready; }
void HttpFront::Stop() { impl_->Stop(); }

base::Result<std::string> HttpFront::AdminKubeconfig() const {
  json::Value cluster = json::Value::Object({{"server", Url()}});
  json::Value user = json::Value::Object();
  if (impl_->options_.tls) {
    COPPICE_ASSIGN(const std::shared_ptr<const Pki> pki, impl_->core_.pki());
    COPPICE_ASSIGN(
        const http::KeyPair admin,
        pki->IssueClient("kubernetes-admin", {"system:masters"}, impl_->core_.clock().Now()));
    cluster.Set("certificate-authority-data", base::Base64Encode(pki->ca_pem()));
    user.Set("client-certificate-data", base::Base64Encode(admin.certificate_pem));
    user.Set("client-key-data", base::Base64Encode(admin.key_pem));
  }
  const auto named = [](const char* key, json::Value value) {
    return json::Value::Array(
        {json::Value::Object({{"name", "coppice"}, {key, std::move(value)}})});
  };
  return json::WriteYaml(json::Value::Object(
      {{"apiVersion", "v1"},
       {"kind", "Config"},
       {"current-context", "coppice"},
       {"clusters", named("cluster", std::move(cluster))},
       {"users", named("user", std::move(user))},
       {"contexts",
        named("context", json::Value::Object({{"cluster", "coppice"}, {"user", "coppice"}}))}}));
}

base::Status HttpFront::WriteKubeconfig(const std::string& path) const {
  COPPICE_ASSIGN(const std::string text, AdminKubeconfig());
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  if (!parent.empty()) std::filesystem::create_directories(parent, error);
  return base::WriteSecretFile(path, text);
}

}  // namespace coppice::server
