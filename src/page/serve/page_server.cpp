#include "page/serve/page_server.h"

#include <fmt/format.h>

#include "http/own_addresses.h"

namespace coppice::page {
namespace {

bool IsLoopback(std::string_view address) {
  return address.starts_with("127.") || address == "::1" || address == "localhost";
}

// Under which names visitors may ask for the page.
std::vector<std::string> HostsOf(const std::string& address) {
  std::vector<std::string> hosts = {"localhost", "127.0.0.1", "::1"};
  if (!IsLoopback(address)) hosts.push_back(address);
  if (address == "0.0.0.0" || address == "::") {
    for (std::string& own : http::OwnAddresses()) hosts.push_back(std::move(own));
  }
  return hosts;
}

// Passes requests on once there is someone to answer them: the port, which is known only when the
// server listens, is part of the cookie's name.
class LateHandler final : public http::Handler {
 public:
  void Set(http::Handler* handler) { handler_ = handler; }
  void Handle(http::Request request, std::shared_ptr<http::ResponseWriter> writer) override {
    http::Handler* const handler = handler_;
    if (handler != nullptr) return handler->Handle(std::move(request), std::move(writer));
    writer->Send(http::Response::Make(503, "text/plain", "starting\n"));
  }

 private:
  std::atomic<http::Handler*> handler_ = nullptr;
};

}  // namespace

PageServer::PageServer(kube::Client& client, kube::Executor& executor, PageOptions options)
    : cluster_(client, executor, board_, std::move(options.cluster)),
      why_(options.why ? options.why(cluster_) : WhyFunction()) {}

base::Result<std::unique_ptr<PageServer>> PageServer::Start(kube::Client& client,
                                                            kube::Executor& executor,
                                                            PageOptions options) {
  std::unique_ptr<PageServer> page(new PageServer(client, executor, options));
  COPPICE_TRY(page->Listen(options));
  COPPICE_TRY(page->cluster_.Start());
  return page;
}

base::Status PageServer::Listen(const PageOptions& options) {
  auto late = std::make_unique<LateHandler>();
  COPPICE_ASSIGN(server_, http::Server::Start({.address = options.address,
                                               .port = options.port,
                                               .worker_threads = 4,
                                               .max_queued_requests = 256,
                                               .max_connections = 256,
                                               .max_body_bytes = 1024},
                                              *late));
  access_ = std::make_unique<Access>(options.token, HostsOf(options.address), server_->port());
  handler_ = std::make_unique<PageHandler>(*access_, board_, cluster_, why_);
  late->Set(handler_.get());
  late_ = std::move(late);
  return {};
}

PageServer::~PageServer() {
  board_.Close();
  if (server_) server_->Stop(std::chrono::seconds(1));
  cluster_.Stop();
}

std::string PageServer::Url() const { return server_->Url() + access_->EntryPath(); }

}  // namespace coppice::page
