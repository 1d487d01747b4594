#include <fmt/format.h>

#include "http/protocol/chunked_body.h"
#include "http/protocol/http1_head.h"
#include "http/server/protocol.h"

namespace coppice::http {
namespace {

bool HasBody(int status) { return status != 204 && status != 304 && status >= 200; }

// HTTP/1.1: one request at a time; what a client sends ahead waits in a bounded buffer.
class Http1 final : public Protocol {
 public:
  Http1(std::weak_ptr<ProtocolHost> host, Peer peer, const ProtocolLimits& limits)
      : host_(std::move(host)),
        peer_(std::move(peer)),
        limits_(limits),
        parser_(limits.max_header_bytes) {}

  void Receive(std::string_view bytes) override {
    if (closing_ || refused_) return;
    if (!input_.empty() || stream_) {
      input_ += bytes;
      ParseInput();
    } else {
      Consume(bytes);
      input_ = bytes;
    }
    Account();
  }

  void Wake(std::span<const int32_t>) override {}

  void Produce(std::string& out, size_t limit) override {
    out += output_;
    output_.clear();
    while (stream_ && out.size() < limit) {
      if (!ProduceBody(out, limit - out.size())) break;
    }
  }

  void Tick(SteadyTime now) override {
    if (!Receiving()) return;
    if (!input_started_at_) input_started_at_ = now;
    const auto limit = head_ ? limits_.request_timeout : limits_.header_timeout;
    if (now - *input_started_at_ > std::min(limit, limits_.request_timeout)) {
      Fail(408, "the request did not arrive in time");
    }
  }

  bool WantsInput() const override { return !stream_ || input_.size() < limits_.max_header_bytes; }
  bool Done() const override { return closing_ && !stream_ && output_.empty(); }
  bool Refused() const override { return refused_; }
  size_t ActiveRequests() const override { return stream_ || Receiving() ? 1 : 0; }

  void Shutdown() override {
    shutting_down_ = true;
    if (ActiveRequests() == 0 && output_.empty()) closing_ = true;
  }

  void Lost() override {
    closing_ = true;
    if (stream_) std::exchange(stream_, nullptr)->Close();
  }

 private:
  // A request has begun to arrive.
  bool Receiving() const { return !stream_ && !closing_ && (parser_.started() || !input_.empty()); }

  void NextRequest() {
    parser_ = Http1HeadParser(limits_.max_header_bytes);
    head_.reset();
    chunks_.reset();
    input_started_at_.reset();
  }

  void ParseInput() {
    std::string_view left = input_;
    Consume(left);
    if (left.empty()) {
      input_ = {};
    } else {
      input_.erase(0, input_.size() - left.size());
    }
  }

  // Takes what it can use off the front of `input`.
  void Consume(std::string_view& input) {
    while (!stream_ && !closing_ && !input.empty()) {
      const size_t before = input.size();
      head_ ? ReadBody(input) : ReadHead(input);
      if (input.size() == before) break;
    }
    if (refused_) input = {};
  }

  void ReadHead(std::string_view& input) {
    if (const auto refusal = parser_.Parse(input)) return Fail(refusal->status, refusal->message);
    if (!parser_.complete()) return;
    head_ = parser_.Take();
    if (head_->chunked) {
      chunks_.emplace(limits_.max_body_bytes);
    } else if (head_->length > limits_.max_body_bytes) {
      return FailTooLarge();
    } else if (head_->length == 0) {
      return Accept();
    }
    // Unless the body is here already.
    if (head_->expects_continue && input.empty()) output_ += "HTTP/1.1 100 Continue\r\n\r\n";
  }

  void ReadBody(std::string_view& input) {
    std::string& body = head_->request.body;
    if (chunks_) return ReadChunks(input, body);
    const size_t size = std::min<uint64_t>(head_->length - body.size(), input.size());
    body += input.substr(0, size);
    input.remove_prefix(size);
    if (body.size() == head_->length) Accept();
  }

  void ReadChunks(std::string_view& input, std::string& body) {
    switch (chunks_->Feed(input, body)) {
      case ChunkedBody::State::kMore:
        return;
      case ChunkedBody::State::kDone:
        return Accept();
      case ChunkedBody::State::kTooLarge:
        return FailTooLarge();
      case ChunkedBody::State::kMalformed:
        return Fail(400, fmt::format("malformed HTTP request: {}", chunks_->error()));
    }
  }

  // Reports to the host the bytes held for a request that is still arriving or queued.
  void Account() {
    size_t held = input_.empty() ? 0 : input_.capacity();
    if (head_) held += head_->bytes + head_->request.body.capacity();
    const auto host = host_.lock();
    if (!host || host->Hold(held) || stream_) return;
    Fail(429, "the server is receiving too many requests, try again");
  }

  void FailTooLarge() {
    Fail(413, fmt::format("the request's body is larger than {} bytes", limits_.max_body_bytes));
  }

  // Answers without a handler, and ends the connection: where the next request starts is unknown.
  void Fail(int status, std::string_view message) {
    refused_ = true;
    keep_alive_ = false;
    head_only_ = false;
    head_.reset();
    input_ = {};
    if (const auto host = host_.lock()) host->Hold(0);
    stream_ = std::make_shared<ResponseStream>(1, host_, StreamOptions{});
    stream_->Send(ErrorResponse(status, message));
  }

  void Accept() {
    keep_alive_ = head_->keep_alive;
    version_11_ = head_->version_11;
    Request request = std::move(head_->request);
    head_.reset();
    request.peer = peer_;
    head_only_ = request.method == "HEAD";
    StreamOptions options{.max_buffer = limits_.max_stream_buffer, .head_only = head_only_};
    if (AcceptsGzip(request.headers)) options.gzip_min_bytes = limits_.gzip_min_bytes;
    stream_ = std::make_shared<ResponseStream>(1, host_, options);
    if (const base::Status valid = SplitTarget(request); !valid) {
      stream_->Send(ErrorResponse(400, valid.error().message()));
      return;
    }
    if (const auto host = host_.lock()) host->Dispatch(std::move(request), stream_);
  }

  // False when there is nothing to send for now.
  bool ProduceBody(std::string& out, size_t limit) {
    if (stream_->Aborted()) {
      EndResponse(false);
      return false;
    }
    // A handler may answer between these calls: no body is read before the head is written.
    if (!head_written_) {
      const auto head = stream_->TakeHead();
      if (!head) return false;
      WriteHead(*head, out);
      head_written_ = true;
    }
    const bool wrote = chunked_ ? WriteChunk(out, limit) : stream_->Read(out, limit) > 0;
    if (!stream_->AtEnd()) return wrote;
    if (chunked_) out += "0\r\n\r\n";
    EndResponse(keep_alive_ && !shutting_down_);
    return stream_ != nullptr;
  }

  void WriteHead(const ResponseHead& head, std::string& out) {
    const bool has_body = HasBody(head.status);
    chunked_ = !head.length && version_11_ && has_body && !head_only_;
    if (!head.length && !version_11_) keep_alive_ = false;  // Ends with the connection.
    if (shutting_down_) keep_alive_ = false;
    out += fmt::format("HTTP/1.1 {} {}\r\n", head.status, StatusText(head.status));
    for (const auto& [name, value] : head.headers.items()) {
      out += fmt::format("{}: {}\r\n", SafeHeaderValue(name), SafeHeaderValue(value));
    }
    if (head.length && has_body) out += fmt::format("content-length: {}\r\n", *head.length);
    if (chunked_) out += "transfer-encoding: chunked\r\n";
    if (!keep_alive_) out += "connection: close\r\n";
    out += "\r\n";
  }

  // False when there is none.
  bool WriteChunk(std::string& out, size_t limit) {
    std::string chunk;
    if (stream_->Read(chunk, limit) == 0) return false;
    out += fmt::format("{:x}\r\n", chunk.size());
    out += chunk;
    out += "\r\n";
    return true;
  }

  void EndResponse(bool keep_alive) {
    std::exchange(stream_, nullptr)->Close();
    chunked_ = false;
    head_written_ = false;
    if (!keep_alive) {
      closing_ = true;
      return;
    }
    NextRequest();
    ParseInput();
    Account();
  }

  const std::weak_ptr<ProtocolHost> host_;
  const Peer peer_;
  const ProtocolLimits limits_;

  Http1HeadParser parser_;
  std::optional<Http1Head> head_;      // Complete; its body is being read.
  std::optional<ChunkedBody> chunks_;  // Reads it.
  std::string input_;                  // Received, not parsed yet.
  std::string output_;                 // To send before the response.
  std::optional<SteadyTime> input_started_at_;
  std::shared_ptr<ResponseStream> stream_;  // The request that is being answered.
  bool keep_alive_ = true;
  bool version_11_ = true;
  bool head_only_ = false;
  bool chunked_ = false;
  bool head_written_ = false;
  bool shutting_down_ = false;
  bool refused_ = false;
  bool closing_ = false;  // After the output: no more requests.
};

}  // namespace

std::unique_ptr<Protocol> MakeHttp1(std::weak_ptr<ProtocolHost> host, Peer peer,
                                    const ProtocolLimits& limits) {
  return std::make_unique<Http1>(std::move(host), std::move(peer), limits);
}

}  // namespace coppice::http
