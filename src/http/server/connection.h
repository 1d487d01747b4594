#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <mutex>
#include <vector>

#include "http/server/connection_table.h"
#include "http/server/protocol.h"
#include "http/server/receive_budget.h"
#include "http/server/socket.h"
#include "http/server/worker_pool.h"

namespace coppice::http {

// What all connections of a server share.
struct ConnectionShared {
  Handler& handler;
  std::shared_ptr<WorkerPool> workers;
  std::shared_ptr<ConnectionTable> table;
  std::shared_ptr<ReceiveBudget> receiving;
  std::shared_ptr<SendBudget> sending;
  ProtocolLimits limits;
  std::chrono::milliseconds handshake_timeout;
  std::chrono::milliseconds unauthenticated_idle_timeout;
  std::chrono::milliseconds idle_timeout;
  // I/O threads that may handle a request themselves while the others wait for clients.
  mutable std::atomic<int> spare_threads;
};

// One client: moves bytes between its socket and its protocol. Everything happens in its socket's
// strand; only Post, the functions for the table and those of StreamHost may be called from other
// threads. Keeps itself alive while a socket operation is in progress.
class Connection final : public ProtocolHost, public std::enable_shared_from_this<Connection> {
 public:
  // `io` must live as long as any stream of the connection can be woken.
  Connection(std::shared_ptr<boost::asio::io_context> io, std::unique_ptr<Socket> socket,
             std::shared_ptr<const ConnectionShared> shared, bool tls);
  ~Connection() override;

  // Runs `function(*this)` in the strand, later.
  template <typename Function>
  void Post(Function function) {
    boost::asio::post(socket_->executor(),
                      [self = shared_from_this(), function] { function(*self); });
  }
  void Start();
  // Finish requests in progress, then close.
  void Shutdown();
  void Close();
  // Checks deadlines.
  void Tick(SteadyTime now);

  // For the table; may be slightly out of date. A handler has one of its requests.
  bool InHandler() const { return in_handlers_ > 0; }
  // A request is being received or processed.
  bool Active() const { return active_; }
  size_t HeldBytes() const { return held_; }
  const UnsentBytes& Unsent() const { return *unsent_; }

  // ProtocolHost.
  void WakeStream(int32_t id) override;
  void RunOnWorker(std::function<void()> task) override;
  void MarkAuthenticated() override;
  void HandlerDone() override { --in_handlers_; }
  std::shared_ptr<UnsentBytes> unsent() override { return unsent_; }
  void CheckUnsent() override;
  bool Hold(size_t bytes) override;
  void Dispatch(Request request, std::shared_ptr<ResponseStream> stream) override;

 private:
  void OnHandshake(error_code error);
  void ChooseProtocol();
  void StartProtocol(bool http2);
  void Read();
  void OnRead(error_code error, size_t bytes);
  void Feed(std::string_view bytes);
  void Pump();
  void OnWritten(error_code error);
  void OnWake();
  void Linger();
  void AnswerHere();
  bool IsIdleTooLong(SteadyTime now) const;

  const std::shared_ptr<boost::asio::io_context> io_;
  const std::unique_ptr<Socket> socket_;
  const std::shared_ptr<const ConnectionShared> shared_;
  const bool tls_;
  const std::shared_ptr<UnsentBytes> unsent_;

  Peer peer_;
  std::unique_ptr<Protocol> protocol_;  // Null until the first bytes decide which.
  std::string first_bytes_;
  std::vector<char> input_;
  std::string output_;
  SteadyTime last_active_;
  std::optional<SteadyTime> write_started_;
  std::optional<SteadyTime> linger_since_;
  bool reading_ = false;
  bool shutting_down_ = false;
  bool closed_ = false;
  bool http2_ = false;
  bool feeding_ = false;
  std::function<void()> to_answer_;  // A request for AnswerHere.

  std::atomic<bool> authenticated_ = false;
  std::atomic<bool> active_ = false;
  std::atomic<int> in_handlers_ = 0;
  std::atomic<size_t> held_ = 0;

  std::mutex wake_mutex_;  // Guards the two below.
  std::vector<int32_t> woken_;
  bool wake_posted_ = false;
};

}  // namespace coppice::http
