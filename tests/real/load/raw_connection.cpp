#include "tests/real/load/raw_connection.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace coppice::load {
namespace {

constexpr size_t kBuffer = 64 << 10;

[[noreturn]] void Fail(const std::string& what) {
  fmt::print(stderr, "{}\n", what);
  std::exit(1);
}

std::unique_ptr<BIO, decltype(&BIO_free)> Memory(const std::string& text) {
  return {BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), &BIO_free};
}

void UseCertificate(SSL_CTX* context, const http::ClientTls& tls) {
  const auto certificate_text = Memory(tls.certificate_pem);
  const auto key_text = Memory(tls.key_pem);
  X509* certificate = PEM_read_bio_X509(certificate_text.get(), nullptr, nullptr, nullptr);
  EVP_PKEY* key = PEM_read_bio_PrivateKey(key_text.get(), nullptr, nullptr, nullptr);
  if (SSL_CTX_use_certificate(context, certificate) != 1 ||
      SSL_CTX_use_PrivateKey(context, key) != 1) {
    Fail("the client certificate is of no use");
  }
  X509_free(certificate);
  EVP_PKEY_free(key);
}

int Connect(const std::string& host, int port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  inet_pton(AF_INET, host.c_str(), &address.sin_addr);
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    Fail(fmt::format("cannot connect to {}:{}", host, port));
  }
  const int yes = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  return fd;
}

// The value of a header in a head whose names may be written in any case.
std::string Header(std::string_view head, std::string_view name) {
  for (size_t at = head.find("\r\n"); at != head.npos; at = head.find("\r\n", at + 2)) {
    const std::string_view line = head.substr(at + 2);
    if (line.size() <= name.size() || line[name.size()] != ':') continue;
    if (strncasecmp(line.data(), name.data(), name.size()) != 0) continue;
    const size_t begin = line.find_first_not_of(' ', name.size() + 1);
    return std::string(line.substr(begin, line.find("\r\n") - begin));
  }
  return "";
}

}  // namespace

RawServer::RawServer(const kube::ClusterConfig& config)
    : context_(SSL_CTX_new(TLS_client_method()), &SSL_CTX_free) {
  const size_t begin = config.server.find("://") + 3;
  const size_t colon = config.server.find(':', begin);
  if (config.server.rfind("https://", 0) != 0 || colon == std::string::npos) {
    Fail("the server must be https://ADDRESS:PORT");
  }
  host_ = config.server.substr(begin, colon - begin);
  port_ = std::atoi(config.server.c_str() + colon + 1);
  if (!config.tls.certificate_pem.empty()) UseCertificate(context_.get(), config.tls);
  if (!config.credentials) return;
  const auto credential = config.credentials->Get();
  if (!credential) Fail(credential.error().ToString());
  authorization_ = "authorization: " + credential->authorization + "\r\n";
}

RawConnection::RawConnection(const RawServer& server, std::string_view protocol)
    : fd_(Connect(server.host(), server.port())),
      ssl_(SSL_new(server.context())),
      buffer_(std::make_unique_for_overwrite<char[]>(kBuffer)) {
  std::string offered(1, static_cast<char>(protocol.size()));
  offered += protocol;
  SSL_set_alpn_protos(ssl_, reinterpret_cast<const unsigned char*>(offered.data()),
                      static_cast<unsigned>(offered.size()));
  SSL_set_fd(ssl_, fd_);
  if (SSL_connect(ssl_) != 1) Fail("the TLS handshake failed");
}

RawConnection::~RawConnection() {
  SSL_free(ssl_);
  close(fd_);
}

bool RawConnection::Write(std::string_view bytes) {
  return SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size())) > 0;
}

std::string_view RawConnection::Read() {
  const std::string_view got = TryRead();
  if (got.empty()) Fail("the server closed the connection");
  return got;
}

std::string_view RawConnection::TryRead() {
  const int got = SSL_read(ssl_, buffer_.get(), kBuffer);
  return {buffer_.get(), static_cast<size_t>(std::max(got, 0))};
}

void RawConnection::Shutdown() { shutdown(fd_, SHUT_RDWR); }

size_t RawClient::Send(std::string_view method, std::string_view path, std::string_view body) {
  request_.clear();
  fmt::format_to(std::back_inserter(request_),
                 "{} {} HTTP/1.1\r\nhost: {}\r\n{}accept: application/json\r\ncontent-type: "
                 "application/json\r\nuser-agent: load\r\ncontent-length: {}\r\n\r\n{}",
                 method, path, server_.host(), server_.authorization(), body.size(), body);
  if (!connection_.Write(request_)) Fail("the server closed the connection");
  std::string text(connection_.Read());
  size_t end;
  while ((end = text.find("\r\n\r\n")) == text.npos) text += connection_.Read();
  const std::string head = text.substr(0, end + 2);
  if (head.compare(0, 10, "HTTP/1.1 2") != 0) Fail(fmt::format("{} {}: {}", method, path, text));
  return ReadBody(head, text.substr(end + 4));
}

size_t RawClient::ReadBody(std::string_view head, std::string rest) {
  const std::string length = Header(head, "content-length");
  if (length.empty()) return ReadChunks(std::move(rest));
  const size_t size = std::strtoull(length.c_str(), nullptr, 10);
  for (size_t got = rest.size(); got < size;) got += connection_.Read().size();
  return size;
}

size_t RawClient::ReadChunks(std::string rest) {
  size_t total = 0;
  while (true) {
    size_t line;
    while ((line = rest.find("\r\n")) == rest.npos) rest += connection_.Read();
    const size_t size = std::strtoull(rest.c_str(), nullptr, 16);
    const size_t needed = line + 2 + size + 2;
    while (rest.size() < needed) rest += connection_.Read();
    rest.erase(0, needed);
    total += size;
    if (size == 0) return total;
  }
}

}  // namespace coppice::load
