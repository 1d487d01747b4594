#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "http/server/server.h"
#include "kube/executor/executor.h"
#include "server/api_server.h"

namespace coppice::server {

// Serves an ApiServer over HTTP(S), as kube-apiserver does: resources, watches, discovery, OpenAPI,
// health, metrics.
//
//   COPPICE_ASSIGN(auto front, server::HttpFront::Start(*server, executor, {.port = 6443}));
//   front->WriteKubeconfig("kubeconfig");
class HttpFront {
 public:
  struct Options {
    std::string address = "127.0.0.1";
    uint16_t port = 0;  // 0: the system picks one.
    bool tls = true;    // Off: plain HTTP, everyone is an administrator; loopback only.
    // More names and addresses for the server's certificate.
    std::vector<std::string> hosts;
    std::string audit_log;  // A file that gets one JSON line per request; "" for none.
    size_t max_requests_in_flight = 512;  // Besides watches; more get 429.
    double max_requests_per_second = 0;   // Of all clients together; more get 429. 0: no limit.
    http::ServerOptions limits;           // Address, port and TLS in here are ignored.
  };

  // Listens when it returns. Watches run as tasks on `executor`. Both outlive the front.
  static base::Result<std::unique_ptr<HttpFront>> Start(ApiServer& server, kube::Executor& executor,
                                                        Options options);
  ~HttpFront();

  std::string Url() const;
  uint16_t port() const;
  // Open client connections.
  size_t connections() const;
  // A kubeconfig with an administrator's certificate.
  base::Result<std::string> AdminKubeconfig() const;
  // Readable by its owner only.
  base::Status WriteKubeconfig(const std::string& path) const;
  // Sets the result of /readyz.
  void SetReady(bool ready);
  void Stop();

 private:
  class Impl;
  explicit HttpFront(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace coppice::server
