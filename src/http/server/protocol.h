#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <string>

#include "http/server/limits.h"
#include "http/server/stream.h"

namespace coppice::http {

using SteadyTime = std::chrono::steady_clock::time_point;

struct ProtocolLimits {
  size_t max_header_bytes = kMaxHeaderBytes;
  size_t max_body_bytes = kMaxBodyBytes;
  size_t max_stream_buffer = 64 << 20;
  size_t gzip_min_bytes = 0;
  uint32_t max_concurrent_streams = kMaxConcurrentStreams;
  std::chrono::milliseconds header_timeout = kHeaderTimeout;
  std::chrono::milliseconds request_timeout = kRequestTimeout;
  std::chrono::milliseconds write_timeout = kWriteTimeout;
};

// The connection, as seen by a protocol.
class ProtocolHost : public StreamHost {
 public:
  // A complete request. Its response will appear in `stream`.
  virtual void Dispatch(Request request, std::shared_ptr<ResponseStream> stream) = 0;
  // Reports the bytes held for requests that are not dispatched yet. False if there are too many
  // and the growing request must be rejected.
  virtual bool Hold(size_t bytes) = 0;
};

// One version of HTTP on one connection, without I/O: bytes go in, requests come out; responses go
// in, bytes come out. Not thread-safe: everything happens on the connection's I/O thread. Knows no
// sockets, so that tests and fuzzers feed it directly.
class Protocol {
 public:
  virtual ~Protocol() = default;

  virtual void Receive(std::string_view bytes) = 0;
  // These streams have something new to send.
  virtual void Wake(std::span<const int32_t> streams) = 0;
  // Appends bytes to send, until there are none or `out` reaches `limit`.
  virtual void Produce(std::string& out, size_t limit) = 0;
  // Checks deadlines; called a few times a second.
  virtual void Tick(SteadyTime now) = 0;

  // False: stop reading; the client is too far ahead.
  virtual bool WantsInput() const = 0;
  // Finished: close when the produced bytes are sent.
  virtual bool Done() const = 0;
  // Finished while the client may still be sending.
  virtual bool Refused() const = 0;
  // Requests that are being received or processed.
  virtual size_t ActiveRequests() const = 0;

  // Finish requests in progress, accept no new ones.
  virtual void Shutdown() = 0;
  // The connection is gone.
  virtual void Lost() = 0;
};

std::unique_ptr<Protocol> MakeHttp1(std::weak_ptr<ProtocolHost> host, Peer peer,
                                    const ProtocolLimits& limits);
std::unique_ptr<Protocol> MakeHttp2(std::weak_ptr<ProtocolHost> host, Peer peer,
                                    const ProtocolLimits& limits);

// Fills path and query from the target. InvalidArgument if it is not a valid, decodable URL path.
base::Status SplitTarget(Request& request);
bool AcceptsGzip(const Headers& headers);
// A header value must not start another header.
std::string SafeHeaderValue(std::string_view value);

}  // namespace coppice::http
