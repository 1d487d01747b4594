#include "http/server/server_testing.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <malloc.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <random>

// Of the sanitizers, which have allocators of their own.
extern "C" __attribute__((weak)) size_t __sanitizer_get_current_allocated_bytes();

namespace coppice::http::testing {
namespace {

void Stream(int count, ResponseWriter& writer) {
  writer.Start(200, {{"content-type", "text/plain"}});
  for (int i = 0; i < count; ++i) writer.Write(fmt::format("line {}\n", i));
  writer.Finish();
}

int Number(const Request& request, std::string_view name) {
  return std::atoi(std::string(request.query.Get(name)).c_str());
}

std::string Describe(const Peer& peer) {
  return fmt::format("{} {} {} {}", peer.has_certificate, peer.certificate_verified,
                     peer.common_name, fmt::join(peer.organizations, ","));
}

}  // namespace

void TestHandler::Handle(Request request, std::shared_ptr<ResponseWriter> writer) {
  {
    std::lock_guard lock(mutex_);
    ++count_;
  }
  const std::string& path = request.path;
  if (path == "/big") {
    return writer->Send(
        Response::Make(200, "text/plain", std::string(Number(request, "size"), 'x')));
  }
  if (path == "/parts") {
    Response response = Response::Make(200, "text/plain", "first\n");
    for (int i = 0; i < Number(request, "n"); ++i) {
      response.parts.push_back(MakeBytes(fmt::format("part {}\n", i)));
    }
    return writer->Send(std::move(response));
  }
  if (path == "/shared") return SendShared(static_cast<size_t>(Number(request, "size")), *writer);
  if (path == "/stream") return Stream(Number(request, "n"), *writer);
  if (path == "/who")
    return writer->Send(Response::Make(200, "text/plain", Describe(request.peer)));
  if (path == "/headers") {
    std::string lines;
    for (const auto& [name, value] : request.headers.items()) {
      lines += fmt::format("{}: {}\n", name, value);
    }
    return writer->Send(Response::Make(200, "text/plain", lines));
  }
  if (path == "/login" || request.query.Has("login")) writer->MarkAuthenticated();
  if (path == "/drop") return;
  if (path == "/half") {
    writer->Start(200, {});
    writer->Write("half");
    return;
  }
  if (path == "/hold") {
    std::lock_guard lock(mutex_);
    held_.push_back(std::move(writer));
    changed_.notify_all();
    return;
  }
  writer->Send(Response::Make(200, "text/plain",
                              fmt::format("{} {} v{} {}", request.method, request.target,
                                          request.http_version, request.body)));
}

void TestHandler::SendShared(size_t size, ResponseWriter& writer) {
  constexpr size_t kPart = 1000;
  Response response = Response::Make(200, "text/plain", "");
  {
    std::lock_guard lock(mutex_);
    std::mt19937_64 random(shared_.size());
    while (shared_.size() * kPart < size) {
      std::string part;
      while (part.size() < kPart) part += static_cast<char>(random());
      shared_.push_back(MakeBytes(std::move(part)));
    }
    response.parts.assign(shared_.begin(), shared_.begin() + static_cast<ptrdiff_t>(size / kPart));
  }
  writer.Send(std::move(response));
}

std::shared_ptr<ResponseWriter> TestHandler::TakeHeld() {
  std::unique_lock lock(mutex_);
  if (!changed_.wait_for(lock, std::chrono::seconds(20), [this] { return !held_.empty(); })) {
    return nullptr;
  }
  auto writer = std::move(held_.front());
  held_.erase(held_.begin());
  return writer;
}

int TestHandler::count() const {
  std::lock_guard lock(mutex_);
  return count_;
}

const TestCertificates& TestCertificates::Get() {
  static const TestCertificates certificates = [] {
    const base::Time now = base::RealClock().Now();
    const auto day = std::chrono::hours(24);
    TestCertificates made;
    made.authority = *MakeCertificateAuthority("test-ca", now, day);
    made.server = *IssueCertificate(made.authority, {.common_name = "server",
                                                     .hosts = {"localhost", "127.0.0.1"},
                                                     .server = true,
                                                     .not_before = now,
                                                     .validity = day});
    const CertificateRequest client{.common_name = "alice",
                                    .organizations = {"admins", "people"},
                                    .client = true,
                                    .not_before = now,
                                    .validity = day};
    made.client = *IssueCertificate(made.authority, client);
    made.stranger = *IssueCertificate(*MakeCertificateAuthority("other-ca", now, day), client);
    return made;
  }();
  return certificates;
}

ServerTls TestServerTls() {
  const TestCertificates& made = TestCertificates::Get();
  return {made.server.certificate_pem, made.server.key_pem, made.authority.certificate_pem};
}

ClientTls TestClientTls(bool with_certificate) {
  const TestCertificates& made = TestCertificates::Get();
  ClientTls tls{.ca_pem = made.authority.certificate_pem};
  if (with_certificate) {
    tls.certificate_pem = made.client.certificate_pem;
    tls.key_pem = made.client.key_pem;
  }
  return tls;
}

size_t HeapBytes() {
  if (&__sanitizer_get_current_allocated_bytes) return __sanitizer_get_current_allocated_bytes();
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

RawConnection::RawConnection(uint16_t port, const char* from)
    : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = inet_addr(from);
  COPPICE_CHECK(bind(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  COPPICE_CHECK(connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  const timeval patience{.tv_sec = 20, .tv_usec = 0};
  setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
}

RawConnection::~RawConnection() { close(fd_); }

bool RawConnection::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

bool RawConnection::ReadSome(std::string& text) {
  char buffer[65536];
  const ssize_t got = recv(fd_, buffer, sizeof buffer, 0);
  if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) text += "timeout";
  if (got <= 0) return false;
  text.append(buffer, static_cast<size_t>(got));
  return true;
}

std::string RawConnection::ReadAll() {
  std::string text;
  while (ReadSome(text)) {
  }
  return text;
}

std::string RawConnection::ReadUntil(std::string_view needle) {
  std::string text;
  while (text.find(needle) == std::string::npos && ReadSome(text)) {
  }
  return text;
}

size_t RawConnection::Flood(std::string_view piece, size_t most) {
  std::string pieces(piece);  // Many small ones at a time.
  while (pieces.size() < (16 << 10)) pieces += piece;
  const size_t before = HeapBytes();
  size_t peak = before;
  for (size_t sent = 0; sent < most;) {
    pollfd ready{.fd = fd_, .events = POLLIN | POLLOUT, .revents = 0};
    constexpr int kPatienceMs = 2000;
    if (poll(&ready, 1, kPatienceMs) != 1 || ready.revents != POLLOUT) break;
    const std::string_view rest = std::string_view(pieces).substr(sent % pieces.size());
    const ssize_t taken = send(fd_, rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (taken <= 0) break;
    sent += static_cast<size_t>(taken);
    peak = std::max(peak, HeapBytes());
  }
  return std::max(peak, HeapBytes()) - before;
}

void RawConnection::Shutdown() { shutdown(fd_, SHUT_WR); }

}  // namespace coppice::http::testing
