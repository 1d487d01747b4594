#include "http/server/stream.h"

#include <algorithm>
#include <tuple>

#include "http/crypto/crypto.h"
#include "http/server/limits.h"
#include "json/write.h"

namespace coppice::http {
namespace {

class StreamWriter final : public ResponseWriter {
 public:
  explicit StreamWriter(std::shared_ptr<ResponseStream> stream) : stream_(std::move(stream)) {}
  ~StreamWriter() override { stream_->Abandon(); }

  void Send(Response response) override { stream_->Send(std::move(response)); }
  void Start(int status, Headers headers) override { stream_->Start(status, std::move(headers)); }
  bool Write(Bytes bytes) override { return stream_->Write(std::move(bytes)); }
  void Finish() override { stream_->Finish(); }
  bool Closed() const override { return stream_->Closed(); }
  void OnClosed(std::function<void()> callback) override { stream_->OnClosed(std::move(callback)); }
  size_t Buffered() const override { return stream_->Buffered(); }
  void OnDrained(std::function<void()> callback) override {
    stream_->OnDrained(std::move(callback));
  }
  void MarkAuthenticated() override { stream_->MarkAuthenticated(); }

 private:
  const std::shared_ptr<ResponseStream> stream_;
};

// Of zlib, while a response is being compressed: about what its documentation says.
constexpr size_t kGzipStateBytes = 272 << 10;

std::string_view ReasonOf(int status) {
  switch (status) {
    case 400:
      return "BadRequest";
    case 408:
      return "Timeout";
    case 413:
      return "RequestEntityTooLarge";
    case 429:
      return "TooManyRequests";
    case 500:
      return "InternalError";
    case 503:
      return "ServiceUnavailable";
    default:
      return "";
  }
}

void Compress(Response& response) {
  std::string whole;
  whole.reserve(response.BodySize());
  whole += response.BodyView();
  for (const Bytes& part : response.parts) whole += *part;
  response.parts.clear();
  response.body = MakeBytes(Gzip(whole));
  response.headers.Set("content-encoding", "gzip");
  response.headers.Add("vary", "accept-encoding");
}

}  // namespace

Response ErrorResponse(int status, std::string_view message) {
  json::Value body = json::Value::Object({{"apiVersion", "v1"},
                                          {"kind", "Status"},
                                          {"metadata", json::Value::Object()},
                                          {"status", "Failure"},
                                          {"message", message},
                                          {"code", status}});
  if (!ReasonOf(status).empty()) body.Set("reason", ReasonOf(status));
  Response response = Response::Make(status, "application/json", json::Write(body));
  if (status == 429) response.headers.Set("retry-after", "1");
  return response;
}

ResponseStream::ResponseStream(int32_t id, std::weak_ptr<StreamHost> host, StreamOptions options)
    : id_(id), host_(std::move(host)), options_(options), unsent_([this] {
        const auto connection = host_.lock();
        return connection ? connection->unsent() : nullptr;
      }()) {
  if (unsent_) unsent_->Enter(this);
}

ResponseStream::~ResponseStream() {
  if (!unsent_) return;
  unsent_->Leave(this);
  unsent_->Subtract(counted_);
}

std::shared_ptr<ResponseWriter> ResponseStream::MakeWriter() {
  return std::make_shared<StreamWriter>(shared_from_this());
}

void ResponseStream::Send(Response response) {
  if (options_.gzip_min_bytes > 0 && response.BodySize() >= options_.gzip_min_bytes &&
      !response.headers.Has("content-encoding")) {
    if (response.BodySize() > kGzipPiece) return SendInPieces(std::move(response));
    Compress(response);
  }
  {
    std::lock_guard lock(mutex_);
    if (started_ || closed_) return;
    started_ = finished_ = sent_ = true;
    on_closed_ = nullptr;
    head_ = {response.status, std::move(response.headers), response.BodySize()};
    if (!options_.head_only) {
      if (response.body) Append(std::move(response.body));
      for (Bytes& part : response.parts) Append(std::move(part));
    }
  }
  Wake();
  if (const auto host = host_.lock()) host->CheckUnsent();
}

// How long it will be is not known.
void ResponseStream::SendInPieces(Response response) {
  response.headers.Set("content-encoding", "gzip");
  response.headers.Add("vary", "accept-encoding");
  {
    std::lock_guard lock(mutex_);
    if (started_ || closed_) return;
    started_ = sent_ = true;
    finished_ = options_.head_only;
    on_closed_ = nullptr;
    head_ = {response.status, std::move(response.headers), std::nullopt};
    if (!finished_) {
      Count(response.BodySize() + kGzipStateBytes);
      if (response.body) uncompressed_.push_back(std::move(response.body));
      for (Bytes& part : response.parts) uncompressed_.push_back(std::move(part));
    }
  }
  if (options_.head_only) return Wake();
  gzip_ = std::make_unique<GzipStream>();
  if (const auto host = host_.lock()) host->CheckUnsent();
  CompressMore();
}

void ResponseStream::CompressMore() {
  bool last = false;
  while (!last && Buffered() < kGzipPiece) {
    std::string piece;
    std::tie(piece, last) = TakeUncompressed();
    std::string compressed = gzip_->Add(piece, last);
    if (!compressed.empty() && !Write(MakeBytes(std::move(compressed)))) return;
  }
  if (last) return Finish();
  OnDrained([self = shared_from_this()] { self->CompressMore(); });
}

std::pair<std::string, bool> ResponseStream::TakeUncompressed() {
  std::string piece;
  std::lock_guard lock(mutex_);
  while (piece.size() < kGzipPiece && !uncompressed_.empty()) {
    const std::string& front = *uncompressed_.front();
    const size_t part = std::min(kGzipPiece - piece.size(), front.size() - uncompressed_offset_);
    piece.append(front, uncompressed_offset_, part);
    uncompressed_offset_ += part;
    if (uncompressed_offset_ < front.size()) break;
    uncompressed_.pop_front();
    uncompressed_offset_ = 0;
  }
  Uncount(std::min(piece.size(), counted_));
  return {std::move(piece), uncompressed_.empty()};
}

void ResponseStream::Start(int status, Headers headers) {
  {
    std::lock_guard lock(mutex_);
    if (started_ || closed_) return;
    started_ = true;
    head_ = {status, std::move(headers), std::nullopt};
  }
  Wake();
}

bool ResponseStream::Write(Bytes bytes) {
  bool too_slow = false;
  {
    std::lock_guard lock(mutex_);
    if (!started_ || finished_ || closed_ || aborted_) return false;
    if (options_.head_only || !bytes || bytes->empty()) return true;
    too_slow = buffered_ + bytes->size() > options_.max_buffer;
    if (!too_slow) Append(std::move(bytes));
  }
  if (too_slow) Abort();
  Wake();
  if (const auto host = host_.lock()) host->CheckUnsent();
  return !too_slow;
}

void ResponseStream::Finish() {
  std::function<void()> dropped;  // Destroyed outside the lock: it may own the writer.
  {
    std::lock_guard lock(mutex_);
    if (!started_ || finished_ || closed_) return;
    finished_ = true;
    dropped = std::move(on_closed_);
    on_closed_ = nullptr;
  }
  Wake();
}

bool ResponseStream::Closed() const {
  std::lock_guard lock(mutex_);
  return closed_ || aborted_;
}

void ResponseStream::OnClosed(std::function<void()> callback) {
  {
    std::lock_guard lock(mutex_);
    if (finished_ && !closed_ && !aborted_) return;
    if (!closed_ && !aborted_) {
      std::swap(on_closed_, callback);
      return;
    }
  }
  callback();
}

size_t ResponseStream::Buffered() const {
  std::lock_guard lock(mutex_);
  return buffered_;
}

void ResponseStream::OnDrained(std::function<void()> callback) {
  {
    std::lock_guard lock(mutex_);
    if (closed_ || aborted_) return;
    if (buffered_ > 0) {
      std::swap(on_drained_, callback);
      return;
    }
  }
  Run(std::move(callback));
}

void ResponseStream::MarkAuthenticated() {
  if (const auto host = host_.lock()) host->MarkAuthenticated();
}

void ResponseStream::Abandon() {
  if (const auto host = host_.lock()) host->HandlerDone();
  bool started;
  {
    std::lock_guard lock(mutex_);
    if (finished_ || sent_ || closed_ || aborted_) return;
    started = started_;
  }
  if (started) {
    Abort();
    Wake();
  } else {
    Send(ErrorResponse(500, "the request was not answered"));
  }
}

std::optional<ResponseHead> ResponseStream::TakeHead() {
  std::lock_guard lock(mutex_);
  woken_ = false;
  return std::exchange(head_, std::nullopt);
}

size_t ResponseStream::Read(std::string& out, size_t limit) {
  std::function<void()> drained;
  size_t taken = 0;
  {
    std::lock_guard lock(mutex_);
    woken_ = false;
    while (taken < limit && !chunks_.empty()) {
      const std::string& chunk = *chunks_.front();
      const size_t part = std::min(limit - taken, chunk.size() - offset_);
      out.append(chunk, offset_, part);
      taken += part;
      offset_ += part;
      if (offset_ == chunk.size()) {
        chunks_.pop_front();
        offset_ = 0;
      }
    }
    buffered_ -= taken;
    Uncount(taken);
    if (taken > 0 && buffered_ == 0) std::swap(drained, on_drained_);
  }
  if (drained) Run(std::move(drained));
  return taken;
}

bool ResponseStream::Finished() const {
  std::lock_guard lock(mutex_);
  return finished_;
}

bool ResponseStream::AtEnd() const {
  std::lock_guard lock(mutex_);
  return finished_ && !head_ && buffered_ == 0;
}

bool ResponseStream::Aborted() const {
  std::lock_guard lock(mutex_);
  return aborted_;
}

void ResponseStream::Close() {
  std::function<void()> callback, dropped;
  std::deque<Bytes> chunks, uncompressed;
  {
    std::lock_guard lock(mutex_);
    if (closed_) return;
    closed_ = true;
    Uncount(counted_);
    uncompressed.swap(uncompressed_);
    std::swap(callback, on_closed_);
    std::swap(dropped, on_drained_);
    chunks.swap(chunks_);
    buffered_ = 0;
  }
  if (callback) Run(std::move(callback));
}

size_t ResponseStream::HeldBytes() const {
  std::lock_guard lock(mutex_);
  const size_t state = uncompressed_.empty() ? 0 : kGzipStateBytes;
  return state + Held(chunks_) + Held(uncompressed_);
}

size_t ResponseStream::Held(const std::deque<Bytes>& chunks) {
  size_t held = 0;
  for (const Bytes& chunk : chunks) {
    held += chunk->size() / static_cast<size_t>(chunk.use_count()) + sizeof chunk;
  }
  return held;
}

void ResponseStream::Count(size_t added) {
  counted_ += added;
  if (unsent_) unsent_->Add(added);
}

void ResponseStream::Uncount(size_t removed) {
  counted_ -= removed;
  if (unsent_) unsent_->Subtract(removed);
}

void ResponseStream::Append(Bytes bytes) {
  if (bytes->empty()) return;
  buffered_ += bytes->size();
  Count(bytes->size());
  chunks_.push_back(std::move(bytes));
}

// Keeps the buffer until Close: the connection may have announced a part of it already.
void ResponseStream::Abort() {
  std::function<void()> callback, dropped;
  {
    std::lock_guard lock(mutex_);
    if (aborted_ || closed_) return;
    aborted_ = true;
    std::swap(callback, on_closed_);
    std::swap(dropped, on_drained_);
  }
  if (callback) Run(std::move(callback));
}

void ResponseStream::Wake() {
  {
    std::lock_guard lock(mutex_);
    if (woken_ || closed_) return;
    woken_ = true;
  }
  if (const auto host = host_.lock()) host->WakeStream(id_);
}

void ResponseStream::Run(std::function<void()> callback) {
  if (const auto host = host_.lock()) host->RunOnWorker(std::move(callback));
}

}  // namespace coppice::http
