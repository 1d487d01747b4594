#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "http/server/handler.h"
#include "http/server/limits.h"

namespace coppice::http {

struct ServerTls {
  std::string certificate_pem;  // The server's certificate, then any intermediates.
  std::string key_pem;
  // Client certificates are requested and verified against this CA, but not required, so that
  // tokens work too: see Peer. Empty: not requested.
  std::string client_ca_pem;
};

// Every limit of a server. A client that exceeds one gets the matching HTTP status (413, 431, 408,
// 429) if the connection can still carry it, and is disconnected otherwise.
struct ServerOptions {
  std::string address = "127.0.0.1";
  uint16_t port = 0;  // 0: the system picks one; see Server::port().
  std::optional<ServerTls> tls;

  // I/O threads; all but one may also handle HTTP/1.1 requests themselves.
  int io_threads = 2;
  int worker_threads = 16;
  // Requests queued for a worker; more get 429.
  size_t max_queued_requests = 4096;

  // Limits on what clients can make the server hold and wait for; see limits.h.
  size_t max_connections = kMaxConnections;
  size_t max_header_bytes = kMaxHeaderBytes;
  size_t max_body_bytes = kMaxBodyBytes;
  size_t max_receiving_bytes = kMaxReceivingBytes;
  size_t max_unsent_bytes = kMaxUnsentBytes;
  uint32_t max_concurrent_streams = kMaxConcurrentStreams;
  // Of one response, waiting for its client.
  size_t max_stream_buffer = 64 << 20;

  std::chrono::milliseconds handshake_timeout = kHandshakeTimeout;
  // From the first byte of a request to the end of its header, and to its last.
  std::chrono::milliseconds header_timeout = kHeaderTimeout;
  std::chrono::milliseconds request_timeout = kRequestTimeout;
  // A connection without a request in progress, before and after its client is authenticated.
  std::chrono::milliseconds unauthenticated_idle_timeout = kUnauthenticatedIdleTimeout;
  std::chrono::milliseconds idle_timeout = kIdleTimeout;
  // The client reads nothing although bytes are pending.
  std::chrono::milliseconds write_timeout = kWriteTimeout;

  // Responses at least this large are compressed for clients that accept gzip; 0: never.
  size_t gzip_min_bytes = 128 << 10;
};

// An HTTP server: HTTP/1.1, and with TLS also HTTP/2 as the client prefers (ALPN); without TLS,
// HTTP/2 with prior knowledge. I/O runs on its own threads, the handler there or on a pool
// of workers.
//
//   MyHandler handler;
//   COPPICE_ASSIGN(auto server, http::Server::Start({.port = 8080}, handler));
class Server {
 public:
  // Listens when it returns. `handler` must outlive the server.
  static base::Result<std::unique_ptr<Server>> Start(ServerOptions options, Handler& handler);

  // As Stop with no grace.
  virtual ~Server() = default;

  virtual const std::string& address() const = 0;
  virtual uint16_t port() const = 0;
  // "https://127.0.0.1:6443".
  virtual std::string Url() const = 0;
  virtual size_t connections() const = 0;

  // Serves this certificate on connections accepted from now on; those that are open keep theirs.
  // Only for a server that was started with TLS. Thread-safe.
  virtual base::Status SetTls(const ServerTls& tls) = 0;

  // Accepts nothing new (GOAWAY, connection: close), lets running requests finish for `grace`, then
  // cuts what is left. When it returns no handler runs and no callback will be called. Long-running
  // streams should be finished by their owner before, or they use up the grace.
  virtual void Stop(std::chrono::milliseconds grace) = 0;
};

}  // namespace coppice::http
