#include "http/server/owning_server.h"

#include "http/server/server.h"

namespace coppice::http {

base::Result<std::unique_ptr<OwningServer>> OwningServer::Start(uint16_t port,
                                                                std::unique_ptr<Handler> handler) {
  std::unique_ptr<OwningServer> made(new OwningServer(std::move(handler)));
  COPPICE_ASSIGN(made->server_,
                 Server::Start({.port = port, .worker_threads = 2}, *made->handler_));
  return made;
}

OwningServer::OwningServer(std::unique_ptr<Handler> handler) : handler_(std::move(handler)) {}

OwningServer::~OwningServer() {
  if (server_) server_->Stop(std::chrono::seconds(1));
}

uint16_t OwningServer::port() const { return server_->port(); }

}  // namespace coppice::http
