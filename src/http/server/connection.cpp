#include "http/server/connection.h"

#include "base/log.h"

namespace coppice::http {
namespace {

constexpr size_t kReadSize = 16 << 10;
constexpr size_t kWriteSize = 256 << 10;
constexpr size_t kKeptOutput = 16 << 10;  // Of a connection that is idle.
// How long a client whose request was rejected may keep sending before the connection is reset,
// which could discard the response.
constexpr std::chrono::seconds kLinger{2};
constexpr std::string_view kHttp2Preface = "PRI * HTTP/2.0\r\n";

// A request until its handler is done with it.
struct Received {
  Received(Request taken, std::shared_ptr<ReceiveBudget> budget)
      : request(std::move(taken)),
        charge(std::move(budget), request.headers.ByteSize() + request.body.capacity()) {}

  Request request;
  const ReceiveCharge charge;
};

// One of `count`, if there is any.
bool Take(std::atomic<int>& count) {
  int left = count.load();
  while (left > 0) {
    if (count.compare_exchange_weak(left, left - 1)) return true;
  }
  return false;
}

}  // namespace

Connection::Connection(std::shared_ptr<boost::asio::io_context> io, std::unique_ptr<Socket> socket,
                       std::shared_ptr<const ConnectionShared> shared, bool tls)
    : io_(std::move(io)),
      socket_(std::move(socket)),
      shared_(std::move(shared)),
      tls_(tls),
      unsent_(std::make_shared<UnsentBytes>(shared_->sending)),
      input_(kReadSize),
      last_active_(std::chrono::steady_clock::now()) {}

Connection::~Connection() {
  shared_->receiving->Subtract(held_);
  unsent_->SetWriting(0);
}

void Connection::Start() {
  socket_->Handshake(
      [self = shared_from_this()](error_code error, size_t) { self->OnHandshake(error); });
}

void Connection::Shutdown() {
  shutting_down_ = true;
  if (!protocol_) return Close();
  protocol_->Shutdown();
  Pump();
}

void Connection::Close() {
  if (closed_) return;
  closed_ = true;
  socket_->Close();
  if (protocol_) protocol_->Lost();
  shared_->table->Remove(this);
}

void Connection::Tick(SteadyTime now) {
  if (closed_) return;
  if (!protocol_) {
    if (now - last_active_ > shared_->handshake_timeout) Close();
    return;
  }
  if (linger_since_ && now - *linger_since_ > kLinger) return Close();
  if (write_started_ && now - *write_started_ > shared_->limits.write_timeout) return Close();
  protocol_->Tick(now);
  const bool was_idle = protocol_->ActiveRequests() == 0 && !write_started_;
  if (!was_idle) last_active_ = now;
  if (IsIdleTooLong(now)) protocol_->Shutdown();
  CheckUnsent();
  Pump();
}

void Connection::CheckUnsent() {
  const SteadyTime now = std::chrono::steady_clock::now();
  if (shared_->sending->NeedsLook(now)) shared_->table->CloseHeaviest(*shared_->sending, now);
}

bool Connection::IsIdleTooLong(SteadyTime now) const {
  auto patience = shared_->idle_timeout;
  if (!authenticated_) patience = std::min(patience, shared_->unauthenticated_idle_timeout);
  return now - last_active_ > patience;
}

void Connection::WakeStream(int32_t id) {
  {
    std::lock_guard lock(wake_mutex_);
    woken_.push_back(id);
    if (wake_posted_) return;
    wake_posted_ = true;
  }
  Post([](Connection& self) { self.OnWake(); });
}

void Connection::RunOnWorker(std::function<void()> task) {
  shared_->workers->Post(std::move(task));
}

void Connection::MarkAuthenticated() {
  if (!authenticated_.exchange(true)) shared_->table->MarkAuthenticated(this);
}

bool Connection::Hold(size_t bytes) {
  const size_t before = held_.exchange(bytes);
  if (bytes <= before) {
    shared_->receiving->Subtract(before - bytes);
    return true;
  }
  shared_->receiving->Add(bytes - before);
  if (shared_->receiving->Crowded()) shared_->table->CloseOldestReceiver();
  const size_t own =
      authenticated_ ? kMaxReceivingBytesPerConnection : kMaxReceivingBytesUnauthenticated;
  return bytes <=
             std::max(own, shared_->limits.max_body_bytes + shared_->limits.max_header_bytes) &&
         !shared_->receiving->Full();
}

void Connection::Dispatch(Request request, std::shared_ptr<ResponseStream> stream) {
  last_active_ = std::chrono::steady_clock::now();
  ++in_handlers_;
  auto received = std::make_shared<Received>(std::move(request), shared_->receiving);
  auto task = [shared = shared_, unsent = unsent_, received,
               writer = stream->MakeWriter()]() mutable {
    if (unsent->Full()) {
      return writer->Send(ErrorResponse(429, "read the responses to earlier requests first"));
    }
    shared->handler.Handle(std::move(received->request), std::move(writer));
  };
  // The next request of HTTP/1.1 comes after this answer: its thread has nothing better to do, and
  // handing over to a worker and back would cost two wake-ups.
  if (feeding_ && !http2_ && Take(shared_->spare_threads)) {
    to_answer_ = std::move(task);
    return;
  }
  // Before the task is dropped, which would answer 500.
  auto held = std::make_shared<decltype(task)>(std::move(task));
  if (!shared_->workers->TryPost([held] { (*held)(); })) {
    stream->Send(ErrorResponse(429, "too many requests are waiting, try again"));
  }
}

void Connection::OnHandshake(error_code error) {
  if (error || closed_) return Close();
  last_active_ = std::chrono::steady_clock::now();
  ChooseProtocol();
  Read();
}

void Connection::ChooseProtocol() {
  socket_->DescribePeer(peer_);
  if (peer_.certificate_verified) MarkAuthenticated();
  if (tls_) StartProtocol(socket_->PrefersHttp2());
}

void Connection::StartProtocol(bool http2) {
  http2_ = http2;
  protocol_ = http2 ? MakeHttp2(weak_from_this(), peer_, shared_->limits)
                    : MakeHttp1(weak_from_this(), peer_, shared_->limits);
  if (shutting_down_) protocol_->Shutdown();
  Pump();
}

void Connection::Read() {
  if (reading_ || closed_ || (protocol_ && !protocol_->WantsInput() && !linger_since_)) return;
  reading_ = true;
  socket_->ReadSome(input_.data(), input_.size(),
                    [self = shared_from_this()](error_code error, size_t bytes) {
                      self->reading_ = false;
                      self->OnRead(error, bytes);
                    });
}

void Connection::OnRead(error_code error, size_t bytes) {
  if (error || closed_) return Close();
  if (!linger_since_) {
    feeding_ = true;
    Feed({input_.data(), bytes});
    feeding_ = false;
  }
  Pump();
  Read();
  AnswerHere();
}

void Connection::AnswerHere() {
  if (!to_answer_) return;
  {
    std::lock_guard lock(wake_mutex_);
    wake_posted_ = true;  // What it writes is sent below.
  }
  std::exchange(to_answer_, nullptr)();
  shared_->spare_threads.fetch_add(1);
  OnWake();
}

void Connection::Feed(std::string_view bytes) {
  // Pings of an unauthenticated client do not keep a connection open; its requests do.
  if (authenticated_) last_active_ = std::chrono::steady_clock::now();
  if (protocol_) return protocol_->Receive(bytes);
  // Without TLS the first bytes decide the version.
  first_bytes_ += bytes;
  const size_t known = std::min(first_bytes_.size(), kHttp2Preface.size());
  const bool http2 =
      std::string_view(first_bytes_).substr(0, known) == kHttp2Preface.substr(0, known);
  if (http2 && known < kHttp2Preface.size()) return;
  StartProtocol(http2);
  protocol_->Receive(std::exchange(first_bytes_, {}));
}

void Connection::Pump() {
  if (write_started_ || closed_ || !protocol_ || linger_since_) return;
  output_.clear();
  protocol_->Produce(output_, kWriteSize);
  active_ = protocol_->ActiveRequests() > 0 || !output_.empty();
  if (output_.empty()) {
    if (protocol_->Done()) protocol_->Refused() ? Linger() : Close();
    return;
  }
  write_started_ = std::chrono::steady_clock::now();
  unsent_->SetWriting(output_.capacity());
  socket_->Write(output_,
                 [self = shared_from_this()](error_code error, size_t) { self->OnWritten(error); });
}

void Connection::OnWritten(error_code error) {
  write_started_.reset();
  if (output_.capacity() > kKeptOutput) output_ = {};
  unsent_->SetWriting(0);
  if (error || closed_) return Close();
  if (authenticated_) last_active_ = std::chrono::steady_clock::now();
  Pump();
  Read();
}

void Connection::OnWake() {
  std::vector<int32_t> woken;
  {
    std::lock_guard lock(wake_mutex_);
    woken.swap(woken_);
    wake_posted_ = false;
  }
  if (closed_ || !protocol_) return;
  protocol_->Wake(woken);
  Pump();
}

void Connection::Linger() {
  linger_since_ = std::chrono::steady_clock::now();
  socket_->ShutdownSend();
  Read();
}

}  // namespace coppice::http
