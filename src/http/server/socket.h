#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "http/message.h"
#include "http/server/server.h"

// Asio's sockets, plain or with TLS, behind one small interface, so that the connection logic
// compiles once. For .cpp files of this folder only.
namespace coppice::http {

using boost::asio::ip::tcp;
using boost::system::error_code;

class Socket {
 public:
  using Done = std::function<void(error_code error, size_t bytes)>;

  virtual ~Socket() = default;
  // Where everything about it runs, one thing at a time.
  virtual boost::asio::any_io_executor executor() = 0;
  virtual void Handshake(Done done) = 0;
  virtual void ReadSome(char* buffer, size_t size, Done done) = 0;
  // All of `bytes`, which must stay until `done`.
  virtual void Write(const std::string& bytes, Done done) = 0;
  // No more bytes will be sent.
  virtual void ShutdownSend() = 0;
  // Pending operations end with an error.
  virtual void Close() = 0;

  // After the handshake.
  virtual bool PrefersHttp2() const = 0;
  virtual void DescribePeer(Peer& peer) const = 0;
};

std::unique_ptr<Socket> MakePlainSocket(tcp::socket socket);
std::unique_ptr<Socket> MakeTlsSocket(tcp::socket socket, boost::asio::ssl::context& context);

base::Result<std::unique_ptr<boost::asio::ssl::context>> MakeServerContext(const ServerTls& tls);

}  // namespace coppice::http
