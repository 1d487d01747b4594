#include "http/client/unix_socket.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace coppice::http {
namespace {

constexpr size_t kBufferBytes = 64 << 10;

base::Error Failure(std::string_view doing) {
  return base::Unavailable(fmt::format("{}: {}", doing, std::strerror(errno)));
}

bool MayTryAgain() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace

UnixSocket::~UnixSocket() {
  if (fd_ >= 0) close(fd_);
}

base::Status UnixSocket::Connect(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    return base::InvalidArgument("the path of the socket is too long: " + path);
  }
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  fd_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd_ < 0) return Failure("opening a socket");
  if (connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    return Failure("connecting to " + path);
  }
  return {};
}

base::Status UnixSocket::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    COPPICE_TRY(Await(POLLOUT));
    const ssize_t sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && !MayTryAgain()) return Failure("sending");
    if (sent > 0) bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return {};
}

base::Result<std::string_view> UnixSocket::Receive() {
  buffer_.resize(kBufferBytes);
  while (true) {
    COPPICE_TRY(Await(POLLIN));
    const ssize_t got = recv(fd_, buffer_.data(), buffer_.size(), 0);
    if (got == 0) return base::Unavailable("the server closed the connection");
    if (got > 0) return std::string_view(buffer_).substr(0, static_cast<size_t>(got));
    if (!MayTryAgain()) return Failure("receiving");
  }
}

base::Status UnixSocket::Await(short events) const {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      deadline_ - std::chrono::steady_clock::now());
  pollfd poll_fd{fd_, events, 0};
  if (left.count() > 0 && poll(&poll_fd, 1, static_cast<int>(left.count())) != 0) return {};
  return base::Error(base::ErrorCode::kTimeout, "the server did not answer in time");
}

}  // namespace coppice::http
