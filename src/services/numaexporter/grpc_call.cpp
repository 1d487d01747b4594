#include "services/numaexporter/grpc_call.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

namespace coppice::services::numaexporter {
namespace {

constexpr size_t kMaxAnswer = 16u << 20;
constexpr size_t kFrameHeader = 9;
constexpr size_t kMessageHeader = 5;
constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

enum FrameType : uint8_t {
  kData = 0,
  kHeaders = 1,
  kReset = 3,
  kSettings = 4,
  kPing = 6,
  kGoAway = 7,
  kWindow = 8
};
enum Flag : uint8_t { kEndStream = 1, kAck = 1, kEndHeaders = 4, kPadded = 8 };

std::string BigEndian(uint32_t value, int bytes) {
  std::string out;
  for (int i = bytes - 1; i >= 0; --i) out += static_cast<char>((value >> (8 * i)) & 0xff);
  return out;
}

uint32_t ReadBigEndian(std::string_view bytes) {
  uint32_t value = 0;
  for (const char c : bytes) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

std::string Frame(FrameType type, uint8_t flags, uint32_t stream, std::string_view payload) {
  std::string out = BigEndian(static_cast<uint32_t>(payload.size()), 3);
  out += static_cast<char>(type);
  out += static_cast<char>(flags);
  return out + BigEndian(stream, 4) + std::string(payload);
}

// A header as a literal that enters no table; names and values are short enough for one length
// byte.
std::string Header(std::string_view name, std::string_view value) {
  std::string out(1, '\0');
  out += static_cast<char>(name.size());
  out += name;
  out += static_cast<char>(value.size());
  return out + std::string(value);
}

std::string RequestBytes(std::string_view method, std::string_view message) {
  const std::string headers = Header(":method", "POST") + Header(":scheme", "http") +
                              Header(":path", method) + Header(":authority", "localhost") +
                              Header("content-type", "application/grpc") + Header("te", "trailers");
  const std::string body = std::string(1, '\0') +
                           BigEndian(static_cast<uint32_t>(message.size()), 4) +
                           std::string(message);
  // A window for everything at once: nothing has to be granted while reading.
  const std::string settings = BigEndian(4, 2) + BigEndian(kMaxAnswer, 4);
  return std::string(kPreface) + Frame(kSettings, 0, 0, settings) +
         Frame(kWindow, 0, 0, BigEndian(kMaxAnswer, 4)) + Frame(kHeaders, kEndHeaders, 1, headers) +
         Frame(kData, kEndStream, 1, body);
}

class Socket {
 public:
  explicit Socket(base::Duration timeout) : deadline_(std::chrono::steady_clock::now() + timeout) {}
  ~Socket() {
    if (fd_ >= 0) close(fd_);
  }

  base::Status Connect(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path)
      return base::InvalidArgument("socket path too long");
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    fd_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd_ < 0) return Failure("socket");
    if (connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
      return Failure("connecting to " + path);
    }
    return {};
  }

  base::Status Send(std::string_view bytes) {
    while (!bytes.empty()) {
      COPPICE_TRY(Await(POLLOUT));
      const ssize_t sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent < 0) return Failure("sending");
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
    return {};
  }

  base::Result<std::string> Receive(size_t size) {
    std::string out(size, '\0');
    size_t have = 0;
    while (have < size) {
      COPPICE_TRY(Await(POLLIN));
      const ssize_t got = recv(fd_, out.data() + have, size - have, 0);
      if (got < 0) return Failure("receiving");
      if (got == 0) return base::Unavailable("the kubelet closed the connection");
      have += static_cast<size_t>(got);
    }
    return out;
  }

 private:
  base::Status Await(short events) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline_ - std::chrono::steady_clock::now());
    pollfd poll_fd{fd_, events, 0};
    if (left.count() > 0 && poll(&poll_fd, 1, static_cast<int>(left.count())) > 0) return {};
    return base::Error(base::ErrorCode::kTimeout, "the kubelet did not answer in time");
  }

  static base::Error Failure(std::string_view doing) {
    return base::Unavailable(fmt::format("{}: {}", doing, std::strerror(errno)));
  }

  int fd_ = -1;
  const std::chrono::steady_clock::time_point deadline_;
};

std::string_view WithoutPadding(std::string_view payload, uint8_t flags) {
  if ((flags & kPadded) == 0 || payload.empty()) return payload;
  const size_t padding = static_cast<unsigned char>(payload.front());
  payload.remove_prefix(1);
  return payload.substr(0, payload.size() - std::min(padding, payload.size()));
}

base::Result<std::string> MessageOf(std::string_view data) {
  if (data.size() < kMessageHeader) {
    return base::Unavailable("the kubelet refused the call: it answered without a message");
  }
  const uint32_t size = ReadBigEndian(data.substr(1, 4));
  if (data.front() != 0) return base::Unimplemented("the kubelet compresses its answer");
  if (data.size() - kMessageHeader < size) return base::Unavailable("the answer is cut short");
  return std::string(data.substr(kMessageHeader, size));
}

base::Result<std::string> ReadAnswer(Socket& socket) {
  std::string data;
  while (true) {
    COPPICE_ASSIGN(const std::string header, socket.Receive(kFrameHeader));
    const std::string_view view = header;
    const uint32_t size = ReadBigEndian(view.substr(0, 3));
    const auto type = static_cast<uint8_t>(header[3]);
    const auto flags = static_cast<uint8_t>(header[4]);
    COPPICE_ASSIGN(const std::string payload, socket.Receive(size));
    if (type == kReset || type == kGoAway) return base::Unavailable("the kubelet ended the call");
    if (type == kSettings && (flags & kAck) == 0)
      COPPICE_TRY(socket.Send(Frame(kSettings, kAck, 0, "")));
    if (type == kPing && (flags & kAck) == 0)
      COPPICE_TRY(socket.Send(Frame(kPing, kAck, 0, payload)));
    if (type == kData) data += WithoutPadding(payload, flags);
    if (data.size() > kMaxAnswer)
      return base::Error(base::ErrorCode::kTooLarge, "answer too large");
    const bool over = (type == kData || type == kHeaders) && (flags & kEndStream) != 0;
    if (over) return MessageOf(data);
  }
}

}  // namespace

base::Result<std::string> CallGrpc(const std::string& socket_path, std::string_view method,
                                   std::string_view message, base::Duration timeout) {
  Socket socket(timeout);
  COPPICE_TRY(socket.Connect(socket_path));
  COPPICE_TRY(socket.Send(RequestBytes(method, message)));
  return ReadAnswer(socket);
}

}  // namespace coppice::services::numaexporter
