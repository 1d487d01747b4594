#include "http/server/server.h"

#include <fmt/format.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <thread>

#include "base/log.h"
#include "http/server/connection.h"

namespace coppice::http {
namespace {

namespace asio = boost::asio;

// The threads that wait for all connections together. Whatever happens on one connection happens in
// its strand, so that a thread which answers a request of one leaves the others to the rest.
class IoLoop {
 public:
  IoLoop(int threads, std::shared_ptr<ConnectionTable> table)
      : io(std::make_shared<asio::io_context>(threads)),
        table_(std::move(table)),
        count_(threads),
        guard_(asio::make_work_guard(*io)),
        timer_(asio::make_strand(*io)) {}

  void Start(std::chrono::milliseconds tick) {
    tick_ = tick;
    asio::post(timer_.get_executor(), [this] { ScheduleTick(); });
    for (int i = 0; i < count_; ++i) threads_.emplace_back([this] { io->run(); });
  }

  // Each in its strand, later.
  template <typename Function>
  void ForEach(Function function) {
    table_->ForEach([&](Connection& connection) { connection.Post(function); });
  }

  // With all connections closed, the threads run out of work.
  void Join() {
    asio::post(timer_.get_executor(), [this] {
      stopping_ = true;
      timer_.cancel();
    });
    guard_.reset();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  const std::shared_ptr<asio::io_context> io;

 private:
  void ScheduleTick() {
    if (stopping_) return;
    timer_.expires_after(tick_);
    timer_.async_wait([this](error_code error) {
      if (error) return;
      const SteadyTime now = std::chrono::steady_clock::now();
      ForEach([now](Connection& connection) { connection.Tick(now); });
      ScheduleTick();
    });
  }

  const std::shared_ptr<ConnectionTable> table_;
  const int count_;
  asio::executor_work_guard<asio::io_context::executor_type> guard_;
  asio::steady_timer timer_;  // Its strand owns stopping_ too.
  std::chrono::milliseconds tick_{};
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

void KeepAlive(tcp::socket& socket) {
  error_code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  // Finds half-open connections under long watches.
  socket.set_option(asio::socket_base::keep_alive(true), ignored);
  const int fd = socket.native_handle();
  const int idle = 30, interval = 10, count = 3, unacknowledged_ms = 60'000;
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof count);
  setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &unacknowledged_ms, sizeof unacknowledged_ms);
}

std::chrono::milliseconds TickOf(const ServerOptions& options) {
  const auto shortest =
      std::min({options.handshake_timeout, options.header_timeout, options.request_timeout,
                options.idle_timeout, options.unauthenticated_idle_timeout, options.write_timeout});
  return std::clamp(shortest / 4, std::chrono::milliseconds(5), std::chrono::milliseconds(250));
}

class ServerImpl final : public Server {
 public:
  ServerImpl(ServerOptions options, Handler& handler)
      : options_(std::move(options)),
        table_(std::make_shared<ConnectionTable>(options_.max_connections)),
        loop_(std::max(options_.io_threads, 1), table_),
        workers_(
            std::make_shared<WorkerPool>(options_.worker_threads, options_.max_queued_requests)),
        shared_(new ConnectionShared{handler,
                                     workers_,
                                     table_,
                                     std::make_shared<ReceiveBudget>(options_.max_receiving_bytes),
                                     std::make_shared<SendBudget>(options_.max_unsent_bytes),
                                     {.max_header_bytes = options_.max_header_bytes,
                                      .max_body_bytes = options_.max_body_bytes,
                                      .max_stream_buffer = options_.max_stream_buffer,
                                      .gzip_min_bytes = options_.gzip_min_bytes,
                                      .max_concurrent_streams = options_.max_concurrent_streams,
                                      .header_timeout = options_.header_timeout,
                                      .request_timeout = options_.request_timeout,
                                      .write_timeout = options_.write_timeout},
                                     options_.handshake_timeout,
                                     options_.unauthenticated_idle_timeout,
                                     options_.idle_timeout,
                                     options_.io_threads - 1}),
        acceptor_(asio::make_strand(*loop_.io)) {}
  ~ServerImpl() override { Stop(std::chrono::milliseconds(0)); }

  base::Status Listen() {
    if (options_.tls) {
      COPPICE_TRY(SetTls(*options_.tls));
    }
    error_code error;
    const auto address = asio::ip::make_address(options_.address, error);
    if (error) return base::InvalidArgument("not an IP address: " + options_.address);
    const tcp::endpoint endpoint(address, options_.port);
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error) {
      return base::Unavailable(fmt::format("cannot listen on {}:{}: {}", options_.address,
                                           options_.port, error.message()));
    }
    port_ = acceptor_.local_endpoint().port();
    loop_.Start(TickOf(options_));
    asio::post(acceptor_.get_executor(), [this] { Accept(); });
    return {};
  }

  const std::string& address() const override { return options_.address; }
  uint16_t port() const override { return port_; }
  std::string Url() const override {
    const bool v6 = options_.address.find(':') != std::string::npos;
    return fmt::format("{}://{}{}{}:{}", options_.tls ? "https" : "http", v6 ? "[" : "",
                       options_.address, v6 ? "]" : "", port_);
  }
  size_t connections() const override { return table_->size(); }

  base::Status SetTls(const ServerTls& tls) override {
    if (!options_.tls) return base::InvalidArgument("the server was started without TLS");
    COPPICE_ASSIGN(std::shared_ptr<asio::ssl::context> made, MakeServerContext(tls));
    std::lock_guard lock(mutex_);
    context_ = std::move(made);
    return {};
  }

  void Stop(std::chrono::milliseconds grace) override {
    if (std::exchange(stopped_, true)) return;
    asio::post(acceptor_.get_executor(), [this] {
      error_code ignored;
      acceptor_.close(ignored);
    });
    loop_.ForEach([](Connection& connection) { connection.Shutdown(); });
    if (grace.count() > 0) table_->WaitUntilEmpty(grace);
    CutAll();
    workers_->Stop();
    loop_.Join();
  }

 private:
  // Again and again: a connection accepted just before may show up late on its thread.
  void CutAll() {
    do {
      loop_.ForEach([](Connection& connection) { connection.Close(); });
    } while (!table_->WaitUntilEmpty(std::chrono::milliseconds(20)));
  }

  void Accept() {
    const auto accepted = [this](error_code error, tcp::socket socket) {
      if (error == asio::error::operation_aborted || !acceptor_.is_open()) return;
      if (!error) {
        Admit(std::move(socket));
        return Accept();
      }
      // Out of descriptors: the next attempt waits until some may be free again.
      base::LogWarn("cannot accept a connection", {{"error", error.message()}});
      auto timer = std::make_shared<asio::steady_timer>(acceptor_.get_executor(),
                                                        std::chrono::milliseconds(100));
      timer->async_wait([this, timer](error_code) { Accept(); });
    };
    acceptor_.async_accept(asio::make_strand(*loop_.io), accepted);
  }

  // A socket for which there is no room closes with its object.
  void Admit(tcp::socket socket) {
    error_code error;
    const tcp::endpoint client = socket.remote_endpoint(error);
    if (error) return;
    KeepAlive(socket);
    const std::shared_ptr<asio::ssl::context> context = Context();
    auto link =
        context ? MakeTlsSocket(std::move(socket), *context) : MakePlainSocket(std::move(socket));
    auto connection =
        std::make_shared<Connection>(loop_.io, std::move(link), shared_, context != nullptr);
    if (!table_->Add(connection, AddressKey(client.address().to_string()))) return;
    connection->Post([](Connection& each) { each.Start(); });
  }

  std::shared_ptr<asio::ssl::context> Context() const {
    std::lock_guard lock(mutex_);
    return context_;
  }

  const ServerOptions options_;
  const std::shared_ptr<ConnectionTable> table_;
  IoLoop loop_;
  const std::shared_ptr<WorkerPool> workers_;
  const std::shared_ptr<ConnectionShared> shared_;
  tcp::acceptor acceptor_;
  uint16_t port_ = 0;
  bool stopped_ = false;

  mutable std::mutex mutex_;                     // Guards context_.
  std::shared_ptr<asio::ssl::context> context_;  // Null without TLS.
};

}  // namespace

base::Result<std::unique_ptr<Server>> Server::Start(ServerOptions options, Handler& handler) {
  auto server = std::make_unique<ServerImpl>(std::move(options), handler);
  COPPICE_TRY(server->Listen());
  return std::unique_ptr<Server>(std::move(server));
}

}  // namespace coppice::http
