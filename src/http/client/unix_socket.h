#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace coppice::http {

// A blocking connection to a unix socket with one timeout for all calls together: after it
// everything fails with kTimeout. Other failures are kUnavailable. Not thread-safe.
class UnixSocket {
 public:
  explicit UnixSocket(base::Duration timeout)
      : deadline_(std::chrono::steady_clock::now() + timeout) {}
  ~UnixSocket();
  UnixSocket(const UnixSocket&) = delete;
  UnixSocket& operator=(const UnixSocket&) = delete;

  base::Status Connect(const std::string& path);
  // All of `bytes`.
  base::Status Send(std::string_view bytes);
  // Reads at least one byte; a connection closed by the peer is a failure. The bytes are valid
  // until the next call.
  base::Result<std::string_view> Receive();

 private:
  base::Status Await(short events) const;

  int fd_ = -1;
  std::string buffer_;
  const std::chrono::steady_clock::time_point deadline_;
};

}  // namespace coppice::http
