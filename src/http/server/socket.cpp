#include "http/server/socket.h"

#include <fmt/format.h>

#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>

#include "http/crypto/openssl.h"

namespace coppice::http {
namespace {

namespace asio = boost::asio;

void DescribeAddress(const tcp::socket& socket, Peer& peer) {
  error_code error;
  const tcp::endpoint endpoint = socket.remote_endpoint(error);
  if (error) return;
  const bool v6 = endpoint.address().is_v6();
  peer.address = fmt::format(fmt::runtime(v6 ? "[{}]:{}" : "{}:{}"), endpoint.address().to_string(),
                             endpoint.port());
}

void CloseSocket(tcp::socket& socket) {
  error_code ignored;
  socket.shutdown(tcp::socket::shutdown_both, ignored);
  socket.close(ignored);
}

// A write starts at the end of its thread's current task: if the kernel accepts the bytes at once,
// the same thread continues, and no other thread is woken for nothing.
struct Next {
  Socket::Done done;
  void operator()(error_code error, size_t bytes) { done(error, bytes); }
  friend bool asio_handler_is_continuation(Next*) { return true; }
};

class PlainSocket final : public Socket {
 public:
  explicit PlainSocket(tcp::socket socket) : socket_(std::move(socket)) {}

  asio::any_io_executor executor() override { return socket_.get_executor(); }
  void Handshake(Done done) override { done({}, 0); }
  void ReadSome(char* buffer, size_t size, Done done) override {
    socket_.async_read_some(asio::buffer(buffer, size), std::move(done));
  }
  void Write(const std::string& bytes, Done done) override {
    asio::async_write(socket_, asio::buffer(bytes), Next{std::move(done)});
  }
  void ShutdownSend() override {
    error_code ignored;
    socket_.shutdown(tcp::socket::shutdown_send, ignored);
  }
  void Close() override { CloseSocket(socket_); }
  bool PrefersHttp2() const override { return false; }
  void DescribePeer(Peer& peer) const override { DescribeAddress(socket_, peer); }

 private:
  tcp::socket socket_;
};

class TlsSocket final : public Socket {
 public:
  TlsSocket(tcp::socket socket, asio::ssl::context& context)
      : stream_(std::move(socket), context) {}

  asio::any_io_executor executor() override { return stream_.get_executor(); }
  void Handshake(Done done) override {
    stream_.async_handshake(asio::ssl::stream_base::server,
                            [done = std::move(done)](error_code error) { done(error, 0); });
  }
  void ReadSome(char* buffer, size_t size, Done done) override {
    stream_.async_read_some(asio::buffer(buffer, size), std::move(done));
  }
  void Write(const std::string& bytes, Done done) override {
    asio::async_write(stream_, asio::buffer(bytes), Next{std::move(done)});
  }
  void ShutdownSend() override {}
  void Close() override { CloseSocket(stream_.next_layer()); }

  bool PrefersHttp2() const override {
    const unsigned char* name = nullptr;
    unsigned int size = 0;
    SSL_get0_alpn_selected(ssl(), &name, &size);
    return std::string_view(reinterpret_cast<const char*>(name), size) == "h2";
  }

  void DescribePeer(Peer& peer) const override {
    DescribeAddress(stream_.next_layer(), peer);
    peer.tls = true;
    const openssl::X509Ptr certificate(SSL_get1_peer_certificate(ssl()));
    if (!certificate) return;
    peer.has_certificate = true;
    peer.certificate_verified = SSL_get_verify_result(ssl()) == X509_V_OK;
    const X509_NAME* name = X509_get_subject_name(certificate.get());
    const auto common_names = openssl::NameValues(name, NID_commonName);
    if (!common_names.empty()) peer.common_name = common_names.back();
    peer.organizations = openssl::NameValues(name, NID_organizationName);
  }

 private:
  SSL* ssl() const { return const_cast<asio::ssl::stream<tcp::socket>&>(stream_).native_handle(); }

  asio::ssl::stream<tcp::socket> stream_;
};

// "h2" when the client offers it, else "http/1.1".
int SelectProtocol(SSL*, const unsigned char** out, unsigned char* out_size,
                   const unsigned char* offered, unsigned int offered_size, void*) {
  static constexpr unsigned char kServed[] = "\x02h2\x08http/1.1";
  unsigned char* selected = nullptr;
  if (SSL_select_next_proto(&selected, out_size, kServed, sizeof kServed - 1, offered,
                            offered_size) != OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_NOACK;
  }
  *out = selected;
  return SSL_TLSEXT_ERR_OK;
}

base::Status TrustClients(SSL_CTX* context, std::string_view ca_pem) {
  const openssl::BioPtr bio = openssl::ReadOnly(ca_pem);
  int count = 0;
  while (true) {
    const openssl::X509Ptr ca(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
    if (!ca) break;
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context), ca.get());
    SSL_CTX_add_client_CA(context, ca.get());
    ++count;
  }
  ERR_clear_error();
  if (count == 0) return base::InvalidArgument("the client CA holds no certificate");
  // A bad certificate does not end the handshake: the request gets a proper 401 instead.
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, [](int, X509_STORE_CTX*) { return 1; });
  return {};
}

}  // namespace

std::unique_ptr<Socket> MakePlainSocket(tcp::socket socket) {
  return std::make_unique<PlainSocket>(std::move(socket));
}

std::unique_ptr<Socket> MakeTlsSocket(tcp::socket socket, asio::ssl::context& context) {
  return std::make_unique<TlsSocket>(std::move(socket), context);
}

base::Result<std::unique_ptr<asio::ssl::context>> MakeServerContext(const ServerTls& tls) {
  auto context = std::make_unique<asio::ssl::context>(asio::ssl::context::tls_server);
  SSL_CTX* native = context->native_handle();
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  SSL_CTX_set_options(native, SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_mode(native, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_max_cert_list(native, kMaxClientCertificateBytes);
  // Sessions are resumed by tickets, which the clients keep: a cache would hold the certificates of
  // unauthenticated clients.
  SSL_CTX_set_session_cache_mode(native, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_session_id_context(native, reinterpret_cast<const unsigned char*>("coppice"), 7);
  SSL_CTX_set_alpn_select_cb(native, SelectProtocol, nullptr);
  error_code error;
  context->use_certificate_chain(asio::buffer(tls.certificate_pem), error);
  if (error) return base::InvalidArgument("server certificate: " + error.message());
  context->use_private_key(asio::buffer(tls.key_pem), asio::ssl::context::pem, error);
  if (error) return base::InvalidArgument("server key: " + error.message());
  if (SSL_CTX_check_private_key(native) != 1) {
    return openssl::LastError("matching the server's certificate and key");
  }
  if (!tls.client_ca_pem.empty()) COPPICE_TRY(TrustClients(native, tls.client_ca_pem));
  return context;
}

}  // namespace coppice::http
