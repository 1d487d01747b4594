#include "kube/transport/http_watch.h"

#include <condition_variable>
#include <map>
#include <mutex>

#include "api/view/any.h"
#include "kube/executor/gate.h"
#include "kube/transport/status_error.h"

namespace coppice::kube {
namespace {

// With this much waiting to be read the connection waits too: the server notices and holds back.
constexpr size_t kMaxPending = 4 << 20;
// A buffer that a long list has left behind is not kept.
constexpr size_t kKeptBuffer = 256 << 10;
constexpr size_t kMaxErrorBody = 1 << 20;

std::optional<EventType> TypeOf(std::string_view name) {
  static const std::map<std::string_view, EventType> kTypes = {{"ADDED", EventType::kAdded},
                                                               {"MODIFIED", EventType::kModified},
                                                               {"DELETED", EventType::kDeleted},
                                                               {"BOOKMARK", EventType::kBookmark}};
  const auto found = kTypes.find(name);
  if (found == kTypes.end()) return std::nullopt;
  return found->second;
}

// The stream's receiving end, on the transport's I/O thread, and the delivery of its events, one
// task at a time on the executor.
class WatchStream final : public http::StreamSink,
                          public std::enable_shared_from_this<WatchStream> {
 public:
  WatchStream(Executor& executor, std::shared_ptr<ObjectDecoder> decoder, WatchSink& sink)
      : executor_(executor), sink_(sink), decoder_(std::move(decoder)) {}

  base::Status WaitForAnswer() {
    std::unique_lock lock(mutex_);
    answered_.wait(lock, [this] { return accepted_ || refusal_; });
    if (refusal_) return *refusal_;
    return {};
  }

  // No sink call after it returns, but the one it is called from.
  void Stop() {
    {
      std::lock_guard lock(mutex_);
      stopped_ = true;
      room_.notify_all();
    }
    gate_.Close();
  }

  void OnHead(int status, const http::Headers& headers) override {
    std::lock_guard lock(mutex_);
    head_.status = status;
    head_.headers = headers;
    if (status != 200) return;  // The body has the reason.
    accepted_ = true;
    answered_.notify_all();
  }

  void OnData(std::string_view bytes) override {
    std::unique_lock lock(mutex_);
    if (!accepted_ && pending_.size() > kMaxErrorBody) return;
    room_.wait(lock, [this] { return stopped_ || pending_.size() < kMaxPending; });
    if (stopped_) return;
    pending_.append(bytes);
    if (accepted_) ScheduleLocked();
  }

  void OnEnd(base::Status status) override {
    std::lock_guard lock(mutex_);
    if (!accepted_) {
      refusal_ = status ? RefusalLocked() : status.error();
      answered_.notify_all();
      return;
    }
    if (!ended_) {
      ended_ = status ? base::Unavailable("the server ended the watch")
                      : base::Unavailable(status.error().message());
    }
    ScheduleLocked();
  }

 private:
  base::Error RefusalLocked() {
    head_.body = http::MakeBytes(std::move(pending_));
    return ErrorFromResponse(head_);
  }

  void ScheduleLocked() {
    if (std::exchange(scheduled_, true)) return;
    executor_.Post([self = shared_from_this()] { self->Deliver(); });
  }

  void Deliver() {
    const Gate::Pass pass(gate_);
    if (!pass) return;
    std::string bytes;
    std::optional<base::Error> end;
    {
      std::lock_guard lock(mutex_);
      bytes.swap(pending_);
      end = ended_;
      room_.notify_all();
    }
    line_ += bytes;
    DeliverLines();
    if (end && !finished_) Finish(*end);
    std::lock_guard lock(mutex_);
    scheduled_ = false;
    if (!pending_.empty() || (ended_ && !end)) ScheduleLocked();
  }

  void DeliverLines() {
    size_t begin = 0;
    for (size_t end = line_.find('\n'); end != std::string::npos && !finished_;
         end = line_.find('\n', begin)) {
      DeliverLine(std::string_view(line_).substr(begin, end - begin));
      begin = end + 1;
    }
    line_.erase(0, finished_ ? line_.size() : begin);
    if (line_.size() < kKeptBuffer && line_.capacity() > 2 * kKeptBuffer) line_.shrink_to_fit();
  }

  void DeliverLine(std::string_view line) {
    if (gate_.closed() || line.find_first_not_of(" \r\t") == line.npos) return;
    auto event = decoder_->Decode(line, kEventDepth);
    if (!event) return Finish(event.error().During("reading a watch event"));
    json::Value object = view::any::WatchEvent(*event).object();
    const std::string_view type = view::any::WatchEvent(*event).type();
    if (type == "ERROR") return Finish(ErrorFromStatus(object, 500));
    if (const auto known = TypeOf(type)) sink_.OnEvent({*known, std::move(object)});
  }

  void Finish(const base::Error& reason) {
    finished_ = true;
    if (!gate_.closed()) sink_.OnEnd(reason);
  }

  Executor& executor_;
  WatchSink& sink_;
  const std::shared_ptr<ObjectDecoder> decoder_;
  Gate gate_;

  // The one delivering task's.
  std::string line_;
  bool finished_ = false;

  std::mutex mutex_;  // Guards what follows.
  std::condition_variable answered_;
  std::condition_variable room_;  // In pending_.
  http::Response head_;
  bool accepted_ = false;
  std::optional<base::Error> refusal_;
  std::string pending_;
  std::optional<base::Error> ended_;
  bool stopped_ = false;
  bool scheduled_ = false;
};

class HttpWatch final : public Watch {
 public:
  HttpWatch(std::shared_ptr<http::ClientTransport> transport, std::shared_ptr<WatchStream> stream,
            std::unique_ptr<http::StreamCall> call)
      : transport_(std::move(transport)), stream_(std::move(stream)), call_(std::move(call)) {}
  ~HttpWatch() override {
    stream_->Stop();
    call_.reset();
  }

 private:
  const std::shared_ptr<http::ClientTransport> transport_;
  const std::shared_ptr<WatchStream> stream_;
  std::unique_ptr<http::StreamCall> call_;
};

}  // namespace

base::Result<std::unique_ptr<Watch>> OpenHttpWatch(std::shared_ptr<http::ClientTransport> transport,
                                                   http::ClientRequest request, Executor& executor,
                                                   std::shared_ptr<ObjectDecoder> decoder,
                                                   WatchSink& sink) {
  auto stream = std::make_shared<WatchStream>(executor, std::move(decoder), sink);
  auto call = transport->Stream(std::move(request), *stream);
  auto watch = std::make_unique<HttpWatch>(std::move(transport), stream, std::move(call));
  COPPICE_TRY(stream->WaitForAnswer());
  return std::unique_ptr<Watch>(std::move(watch));
}

}  // namespace coppice::kube
