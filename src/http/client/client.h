#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "http/message.h"

namespace coppice::http {

struct ClientTls {
  std::string ca_pem;  // Empty: the system's authorities.
  std::string certificate_pem;
  std::string key_pem;
  // Expected in the server's certificate instead of the URL's host.
  std::string server_name;
  bool insecure_skip_verify = false;
};

struct ClientOptions {
  ClientTls tls;
  // "" uses the environment (HTTPS_PROXY, NO_PROXY), "none" uses no proxy.
  std::string proxy_url;
  std::string user_agent;
  // If the server offers it. Many streams on one connection cost both sides more CPU time than as
  // many connections.
  bool http2 = false;
  std::chrono::milliseconds connect_timeout{10'000};
  size_t max_response_bytes = size_t{2} << 30;
};

struct ClientRequest {
  std::string method = "GET";
  std::string url;
  Headers headers;
  std::string body;
  bool gzip = true;  // Accept compressed responses; they arrive decompressed.
  std::chrono::milliseconds timeout{60'000};  // For the whole exchange; 0: none.
  // Called once there is a connection, right before the first byte is written. If it returns false,
  // nothing is sent, and the exchange ends with Cancelled. Must be quick.
  std::function<bool()> may_send;
};

// The outcome of an exchange. Errors: Unavailable (refused, broken), Timeout, Unauthorized (the
// server's certificate), TooLarge, Cancelled.
struct Exchange {
  base::Result<Response> response;
  // False if the request was never sent: retrying is always safe.
  bool sent = true;
};

// Receives one streamed response on the transport's I/O thread. A sink that blocks delays
// everything on its transport.
class StreamSink {
 public:
  virtual ~StreamSink() = default;
  virtual void OnHead(int status, const Headers& headers) = 0;
  virtual void OnData(std::string_view bytes) = 0;
  // Nothing follows. Success when the server ended the response properly.
  virtual void OnEnd(base::Status status) = 0;
};

// A streaming exchange. Destroying it ends it: no sink call happens after the destructor returns,
// unless it is destroyed from within a sink call.
class StreamCall {
 public:
  virtual ~StreamCall() = default;
};

// Sends requests over pooled connections, each on its caller's thread; one I/O thread serves all
// streams. Thread-safe.
class ClientTransport {
 public:
  static base::Result<std::unique_ptr<ClientTransport>> Make(ClientOptions options);
  // Running exchanges end with Cancelled. Outlives its streams.
  virtual ~ClientTransport() = default;

  // Blocks until the response is complete.
  virtual Exchange Send(ClientRequest request) = 0;
  // `sink` must outlive the call.
  virtual std::unique_ptr<StreamCall> Stream(ClientRequest request, StreamSink& sink) = 0;
};

}  // namespace coppice::http
