#include "http/server/admin_server.h"

#include "base/log.h"
#include "http/server/server.h"

namespace coppice::http {
namespace {

constexpr std::string_view kText = "text/plain; charset=utf-8";
constexpr std::string_view kMetricsText = "text/plain; version=0.0.4; charset=utf-8";

std::string_view NameOf(base::LogLevel level) {
  switch (level) {
    case base::LogLevel::kDebug:
      return "debug";
    case base::LogLevel::kInfo:
      return "info";
    case base::LogLevel::kWarn:
      return "warn";
    case base::LogLevel::kError:
      return "error";
  }
  return "info";
}

Response Text(int status, std::string text) {
  return Response::Make(status, kText, std::move(text) + "\n");
}

Response Check(const std::function<base::Status()>& check) {
  const base::Status status = check ? check() : base::Status();
  return status ? Text(200, "ok") : Text(503, status.error().message());
}

Response SetLevel(std::string_view body) {
  while (!body.empty() && (body.back() == '\n' || body.back() == '\r')) body.remove_suffix(1);
  const auto level = base::ParseLogLevel(body);
  if (!level) return Text(400, level.error().message());
  base::SetLogLevel(*level);
  return Text(200, std::string(NameOf(*level)));
}

class AdminHandler final : public Handler {
 public:
  explicit AdminHandler(AdminOptions options) : options_(std::move(options)) {}

  void Handle(Request request, std::shared_ptr<ResponseWriter> writer) override {
    writer->Send(Answer(request));
  }

 private:
  Response Answer(const Request& request) const {
    if (request.path == "/loglevel" && request.method == "PUT") return SetLevel(request.body);
    if (request.method != "GET" && request.method != "HEAD") {
      return Text(405, "only GET is supported here");
    }
    if (request.path == "/healthz" || request.path == "/livez") return Check(options_.healthy);
    if (request.path == "/readyz") return Check(options_.ready);
    if (request.path == "/loglevel") return Text(200, std::string(NameOf(base::GetLogLevel())));
    if (request.path == "/metrics") {
      return Response::Make(200, kMetricsText, options_.metrics ? options_.metrics() : "");
    }
    return Text(404, "not found: try /metrics, /healthz, /readyz or /loglevel");
  }

  const AdminOptions options_;
};

class AdminServerImpl final : public AdminServer {
 public:
  explicit AdminServerImpl(AdminOptions options) : handler_(std::move(options)) {}

  base::Status Start(const std::string& address, uint16_t port) {
    COPPICE_ASSIGN(server_, Server::Start({.address = address,
                                           .port = port,
                                           .worker_threads = 2,
                                           .max_queued_requests = 64,
                                           .max_connections = 64,
                                           .max_body_bytes = 1024},
                                          handler_));
    return {};
  }
  uint16_t port() const override { return server_->port(); }
  std::string Url() const override { return server_->Url(); }

 private:
  AdminHandler handler_;
  std::unique_ptr<Server> server_;
};

}  // namespace

base::Result<std::unique_ptr<AdminServer>> AdminServer::Start(AdminOptions options) {
  const std::string address = options.address;
  const uint16_t port = options.port;
  auto server = std::make_unique<AdminServerImpl>(std::move(options));
  COPPICE_TRY(server->Start(address, port));
  return std::unique_ptr<AdminServer>(std::move(server));
}

}  // namespace coppice::http
