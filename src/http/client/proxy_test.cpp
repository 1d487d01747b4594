// The client's way through a proxy: a CONNECT tunnel that carries TLS to the server itself.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "http/client/client.h"
#include "http/server/server_testing.h"

namespace coppice::http {
namespace {

// Takes one connection, answers its CONNECT, and passes bytes on to a server on loopback.
class OneTunnel {
 public:
  OneTunnel(uint16_t server_port, std::string answer)
      : server_port_(server_port), answer_(std::move(answer)) {
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    COPPICE_CHECK(bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0);
    COPPICE_CHECK(listen(listener_, 1) == 0);
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { Serve(); });
  }
  ~OneTunnel() {
    shutdown(listener_, SHUT_RDWR);  // Ends an accept that still waits.
    thread_.join();
    close(listener_);
  }

  std::string Url() const { return fmt::format("http://127.0.0.1:{}", port_); }
  bool used() const { return used_; }
  // After the client is gone.
  const std::string& request() const { return request_; }

 private:
  void Serve() {
    const int client = accept(listener_, nullptr, nullptr);
    if (client < 0) return;
    used_ = true;
    char byte;
    while (!request_.ends_with("\r\n\r\n") && recv(client, &byte, 1, 0) == 1) request_ += byte;
    send(client, answer_.data(), answer_.size(), MSG_NOSIGNAL);
    testing::RawConnection server(server_port_);
    pollfd ends[] = {{client, POLLIN, 0}, {server.fd(), POLLIN, 0}};
    while (poll(ends, 2, 20'000) > 0 && Pass(ends[0], server.fd()) && Pass(ends[1], client)) {
    }
    close(client);
  }

  static bool Pass(const pollfd& from, int to) {
    if (from.revents == 0) return true;
    char buffer[16384];
    const ssize_t got = recv(from.fd, buffer, sizeof buffer, 0);
    return got > 0 && send(to, buffer, static_cast<size_t>(got), MSG_NOSIGNAL) == got;
  }

  const uint16_t server_port_;
  const std::string answer_;
  int listener_;
  uint16_t port_ = 0;
  std::atomic<bool> used_ = false;
  std::string request_;
  std::thread thread_;
};

class ProxyTest : public ::testing::Test {
 protected:
  ProxyTest() {
    ServerOptions options;
    options.tls = testing::TestServerTls();
    server_ = *Server::Start(std::move(options), handler_);
  }
  Exchange GetThrough(const std::string& proxy_url) {
    const auto client =
        *ClientTransport::Make({.tls = testing::TestClientTls(), .proxy_url = proxy_url});
    return client->Send({.url = server_->Url() + "/echo"});
  }

  testing::TestHandler handler_;
  std::unique_ptr<Server> server_;
};

constexpr const char* kEstablished = "HTTP/1.1 200 Connection established\r\n\r\n";

TEST_F(ProxyTest, GoesThroughTheTunnelWithTlsToTheServer) {
  Exchange exchange{base::Unavailable("nothing yet")};
  std::string request;
  {
    OneTunnel proxy(server_->port(), kEstablished);
    exchange = GetThrough(proxy.Url());
    EXPECT_TRUE(proxy.used());
    request = proxy.request();
  }
  ASSERT_TRUE(exchange.response) << exchange.response.error().ToString();
  EXPECT_EQ(exchange.response->status, 200);
  EXPECT_EQ(exchange.response->BodyView(), "GET /echo v1 ");
  EXPECT_THAT(request, ::testing::StartsWith(
                           fmt::format("CONNECT 127.0.0.1:{} HTTP/1.1\r\n", server_->port())));
}

TEST_F(ProxyTest, ARefusingProxyIsAnErrorAndTheRequestNeverLeft) {
  OneTunnel proxy(server_->port(), "HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n");
  const Exchange exchange = GetThrough(proxy.Url());
  ASSERT_FALSE(exchange.response);
  EXPECT_THAT(exchange.response.error().ToString(), ::testing::HasSubstr("403"));
  EXPECT_EQ(handler_.count(), 0);
}

TEST_F(ProxyTest, TheEnvironmentNamesAProxyUnlessNoneIsWanted) {
  OneTunnel proxy(server_->port(), kEstablished);
  setenv("HTTPS_PROXY", proxy.Url().c_str(), 1);
  EXPECT_TRUE(GetThrough("none").response);
  EXPECT_FALSE(proxy.used());
  setenv("NO_PROXY", "127.0.0.1", 1);
  EXPECT_TRUE(GetThrough("").response);
  EXPECT_FALSE(proxy.used());
  unsetenv("NO_PROXY");
  EXPECT_TRUE(GetThrough("").response);
  EXPECT_TRUE(proxy.used());
  unsetenv("HTTPS_PROXY");
}

}  // namespace
}  // namespace coppice::http
