#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace coppice::http {

// A connection to a unix socket that blocks its caller, in all no longer than the timeout: after it
// everything fails with kTimeout. Other failures are kUnavailable. For one thread.
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
  // Whatever is there, at least one byte; closed by the other side is a failure. The bytes are
  // valid until the next call.
  base::Result<std::string_view> Receive();

 private:
  base::Status Await(short events) const;

  int fd_ = -1;
  std::string buffer_;
  const std::chrono::steady_clock::time_point deadline_;
};

}  // namespace coppice::http
