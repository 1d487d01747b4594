#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>
#include <string_view>

#include "kube/config/cluster_config.h"

namespace coppice::load {

// What connections to one server have in common.
class RawServer {
 public:
  // Stops the program where the configuration makes no sense.
  explicit RawServer(const kube::ClusterConfig& config);

  SSL_CTX* context() const { return context_.get(); }
  const std::string& host() const { return host_; }
  int port() const { return port_; }
  // "authorization: …\r\n", or nothing.
  const std::string& authorization() const { return authorization_; }

 private:
  std::shared_ptr<SSL_CTX> context_;
  std::string host_;
  int port_ = 443;
  std::string authorization_;
};

// One TLS connection that blocks, with as little between the caller and the socket as possible: on
// a machine that load and server share, what the load costs is taken from the server.
class RawConnection {
 public:
  // `protocol` for ALPN: "http/1.1" or "h2".
  RawConnection(const RawServer& server, std::string_view protocol);
  ~RawConnection();
  RawConnection(const RawConnection&) = delete;

  // False when the connection is closed.
  bool Write(std::string_view bytes);
  // Some bytes, at least one; stops the program when the server closes.
  std::string_view Read();
  // Empty when the connection is closed.
  std::string_view TryRead();
  // From any thread: ends a read that waits.
  void Shutdown();

 private:
  int fd_ = -1;
  SSL* ssl_ = nullptr;
  std::unique_ptr<char[]> buffer_;
};

// HTTP/1.1 over one connection, one request at a time.
class RawClient {
 public:
  explicit RawClient(const RawServer& server) : server_(server), connection_(server, "http/1.1") {}

  // The size of the response's body. Stops the program when the status is no success.
  size_t Send(std::string_view method, std::string_view path, std::string_view body = {});

 private:
  size_t ReadBody(std::string_view head, std::string rest);
  size_t ReadChunks(std::string rest);

  const RawServer& server_;
  RawConnection connection_;
  std::string request_;
};

}  // namespace coppice::load
