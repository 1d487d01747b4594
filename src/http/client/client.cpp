#include "http/client/client.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <condition_variable>
#include <deque>
#include <future>
#include <thread>
#include <unordered_map>

#include "http/client/curl.h"
#include "http/client/curl_lanes.h"

namespace coppice::http {
namespace {

// A response that goes to a sink piece by piece. Used on the I/O thread alone.
class StreamingExchange final : public CurlExchange {
 public:
  StreamingExchange(const ClientOptions& options, ClientRequest request, StreamSink& sink)
      : CurlExchange(options, std::move(request)), sink_(&sink) {}

  // No more calls to the sink.
  void Detach() { sink_ = nullptr; }
  bool detached() const { return sink_ == nullptr; }

 protected:
  void OnHead(int status, Headers headers) override {
    if (sink_ != nullptr) sink_->OnHead(status, headers);
  }
  bool OnBody(std::string_view bytes) override {
    if (sink_ != nullptr) sink_->OnData(bytes);
    return sink_ != nullptr;
  }
  void OnEnd(base::Status status, bool) override {
    if (StreamSink* sink = std::exchange(sink_, nullptr)) sink->OnEnd(std::move(status));
  }

 private:
  StreamSink* sink_;
};

class CurlTransport final : public ClientTransport {
 public:
  explicit CurlTransport(ClientOptions options) : options_(std::move(options)), lanes_(options_) {
    multi_ = curl_multi_init();
    epoll_ = epoll_create1(EPOLL_CLOEXEC);
    wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    epoll_event event{.events = EPOLLIN, .data = {.fd = wake_}};
    epoll_ctl(epoll_, EPOLL_CTL_ADD, wake_, &event);
    curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &CurlTransport::SocketCallback);
    curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
    curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &CurlTransport::TimerCallback);
    curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
    curl_multi_setopt(multi_, CURLMOPT_MAX_CONCURRENT_STREAMS, 1000L);
    curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, 256L);
    thread_ = std::thread([this] { Run(); });
  }

  ~CurlTransport() override {
    RunSoon([this] { stopping_ = true; });
    thread_.join();
    curl_multi_cleanup(multi_);
    close(wake_);
    close(epoll_);
  }

  Exchange Send(ClientRequest request) override { return lanes_.Send(std::move(request)); }

  std::unique_ptr<StreamCall> Stream(ClientRequest request, StreamSink& sink) override;

 private:
  class Call;
  using Task = std::function<void()>;

  // Runs `task` on the I/O thread.
  void RunSoon(Task task) {
    {
      std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    const uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = write(wake_, &one, sizeof one);
  }
  bool OnIoThread() const { return std::this_thread::get_id() == thread_.get_id(); }

  // What follows runs on the I/O thread.

  void Run() {
    while (!stopping_) {
      epoll_event events[64];
      const int count = epoll_wait(epoll_, events, std::size(events), timeout_ms_);
      if (count == 0) Act(CURL_SOCKET_TIMEOUT, 0);
      for (int i = 0; i < count; ++i) {
        events[i].data.fd == wake_ ? RunTasks() : Act(events[i].data.fd, Flags(events[i].events));
      }
      CompleteFinished();
    }
    RunTasks();
    const auto left = std::exchange(running_, {});
    for (const auto& [key, exchange] : left) {
      curl_multi_remove_handle(multi_, exchange->handle());
      exchange->Cancel();
    }
  }

  static int Flags(uint32_t events) {
    int flags = 0;
    if (events & (EPOLLIN | EPOLLHUP)) flags |= CURL_CSELECT_IN;
    if (events & EPOLLOUT) flags |= CURL_CSELECT_OUT;
    if (events & EPOLLERR) flags |= CURL_CSELECT_ERR;
    return flags;
  }

  void Act(curl_socket_t fd, int flags) {
    int running = 0;
    // A timer is set again from within, if one is needed.
    if (fd == CURL_SOCKET_TIMEOUT) timeout_ms_ = -1;
    curl_multi_socket_action(multi_, fd, flags, &running);
  }

  void RunTasks() {
    uint64_t ignored;
    while (read(wake_, &ignored, sizeof ignored) > 0) {
    }
    std::deque<Task> tasks;
    {
      std::lock_guard lock(mutex_);
      tasks.swap(tasks_);
    }
    for (Task& task : tasks) task();
  }

  void Add(std::shared_ptr<CurlExchange> exchange) {
    if (curl_multi_add_handle(multi_, exchange->handle()) != CURLM_OK) {
      return exchange->Complete(CURLE_FAILED_INIT);
    }
    running_.emplace(exchange.get(), exchange);
  }

  std::shared_ptr<CurlExchange> Remove(CurlExchange* exchange) {
    const auto found = running_.find(exchange);
    if (found == running_.end()) return nullptr;
    curl_multi_remove_handle(multi_, exchange->handle());
    auto owned = std::move(found->second);
    running_.erase(found);
    return owned;
  }

  void CompleteFinished() {
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      const CURLcode code = message->data.result;
      char* owner = nullptr;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &owner);
      const auto exchange = Remove(reinterpret_cast<CurlExchange*>(owner));
      if (exchange) exchange->Complete(code);
    }
  }

  static int SocketCallback(CURL*, curl_socket_t fd, int what, void* self, void* known) {
    auto& transport = *static_cast<CurlTransport*>(self);
    if (what == CURL_POLL_REMOVE) {
      epoll_ctl(transport.epoll_, EPOLL_CTL_DEL, fd, nullptr);
      return 0;
    }
    epoll_event event{.events = 0, .data = {.fd = fd}};
    if (what & CURL_POLL_IN) event.events |= EPOLLIN;
    if (what & CURL_POLL_OUT) event.events |= EPOLLOUT;
    epoll_ctl(transport.epoll_, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &event);
    if (!known) curl_multi_assign(transport.multi_, fd, self);
    return 0;
  }

  static int TimerCallback(CURLM*, long timeout_ms, void* self) {
    static_cast<CurlTransport*>(self)->timeout_ms_ = static_cast<int>(timeout_ms);
    return 0;
  }

  const ClientOptions options_;
  CurlLanes lanes_;
  CURLM* multi_;  // Of the streams.
  int epoll_;
  int wake_;
  int timeout_ms_ = -1;
  bool stopping_ = false;
  std::unordered_map<CurlExchange*, std::shared_ptr<CurlExchange>> running_;

  std::mutex mutex_;  // Guards tasks_.
  std::deque<Task> tasks_;
  std::thread thread_;
};

class CurlTransport::Call final : public StreamCall {
 public:
  Call(CurlTransport& transport, ClientRequest request, StreamSink& sink)
      : transport_(transport),
        exchange_(
            std::make_shared<StreamingExchange>(transport.options_, std::move(request), sink)) {
    transport_.RunSoon([&transport, exchange = exchange_] {
      if (!exchange->detached()) transport.Add(exchange);
    });
  }

  ~Call() override {
    if (transport_.OnIoThread()) {
      exchange_->Detach();
      // Perhaps within a callback of this very exchange, so libcurl still holds its handle.
      transport_.RunSoon(
          [&transport = transport_, exchange = exchange_] { transport.Remove(exchange.get()); });
      return;
    }
    std::promise<void> stopped;
    transport_.RunSoon([this, &stopped] {
      exchange_->Detach();
      transport_.Remove(exchange_.get());
      stopped.set_value();
    });
    stopped.get_future().wait();
  }

 private:
  CurlTransport& transport_;
  const std::shared_ptr<StreamingExchange> exchange_;
};

std::unique_ptr<StreamCall> CurlTransport::Stream(ClientRequest request, StreamSink& sink) {
  return std::make_unique<Call>(*this, std::move(request), sink);
}

}  // namespace

base::Result<std::unique_ptr<ClientTransport>> ClientTransport::Make(ClientOptions options) {
  InitializeCurl();
  if (options.tls.certificate_pem.empty() != options.tls.key_pem.empty()) {
    return base::InvalidArgument("a client certificate needs its key, and a key its certificate");
  }
  return std::unique_ptr<ClientTransport>(std::make_unique<CurlTransport>(std::move(options)));
}

}  // namespace coppice::http
