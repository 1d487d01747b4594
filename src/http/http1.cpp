#include <fmt/format.h>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "http/protocol.h"

namespace coppice::http {
namespace {

namespace beast = boost::beast::http;

std::string Text(boost::beast::string_view text) { return {text.data(), text.size()}; }

bool HasBody(int status) { return status != 204 && status != 304 && status >= 200; }

// HTTP/1.1: one request at a time; what a client sends ahead waits in a bounded buffer.
class Http1 final : public Protocol {
 public:
  Http1(std::weak_ptr<ProtocolHost> host, Peer peer, const ProtocolLimits& limits)
      : host_(std::move(host)), peer_(std::move(peer)), limits_(limits) {
    NextRequest();
  }

  void Receive(std::string_view bytes) override {
    if (closing_) return;
    input_.append(bytes);
    ParseInput();
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
    if (now - *input_started_at_ > limits_.request_timeout) {
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
  using Parser = beast::request_parser<beast::string_body>;

  // A request has begun to arrive.
  bool Receiving() const {
    return !stream_ && !closing_ && (parser_->got_some() || !input_.empty());
  }

  void NextRequest() {
    parser_.emplace();
    parser_->header_limit(static_cast<uint32_t>(limits_.max_header_bytes));
    parser_->body_limit(limits_.max_body_bytes);
    parser_->eager(true);
    input_started_at_.reset();
    said_continue_ = false;
  }

  void ParseInput() {
    while (!stream_ && !closing_ && !input_.empty()) {
      boost::system::error_code error;
      const size_t used = parser_->put(boost::asio::buffer(input_), error);
      input_.erase(0, used);
      if (error && error != beast::error::need_more) return FailParsing(error);
      if (parser_->is_done()) return Accept();
      SayContinue();
      if (error == beast::error::need_more || used == 0) break;
    }
    if (input_.size() > limits_.max_header_bytes && !stream_ && !parser_->is_header_done()) {
      Fail(431, "the request's header is too large");
    }
  }

  void SayContinue() {
    if (!parser_->is_header_done() || said_continue_) return;
    said_continue_ = true;
    if (boost::beast::iequals(parser_->get()[beast::field::expect], "100-continue")) {
      output_ += "HTTP/1.1 100 Continue\r\n\r\n";
    }
  }

  void FailParsing(const boost::system::error_code& error) {
    if (error == beast::error::body_limit) {
      Fail(413, fmt::format("the request's body is larger than {} bytes", limits_.max_body_bytes));
    } else if (error == beast::error::header_limit) {
      Fail(431, "the request's header is too large");
    } else {
      Fail(400, "malformed HTTP request: " + error.message());
    }
  }

  // Answers without a handler, and ends the connection: where the next request starts is unknown.
  void Fail(int status, std::string_view message) {
    refused_ = true;
    keep_alive_ = false;
    head_only_ = false;
    stream_ = std::make_shared<ResponseStream>(1, host_, StreamOptions{});
    stream_->Send(ErrorResponse(status, message));
    input_.clear();
  }

  void Accept() {
    Request request = TakeRequest();
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

  Request TakeRequest() {
    keep_alive_ = parser_->keep_alive();
    version_11_ = parser_->get().version() >= 11;
    beast::request<beast::string_body> message = parser_->release();
    Request request;
    request.method = Text(message.method_string());
    request.target = Text(message.target());
    for (const auto& field : message) {
      request.headers.Add(Text(field.name_string()), Text(field.value()));
    }
    request.body = std::move(message.body());
    request.peer = peer_;
    return request;
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
    chunk_.clear();
    stream_->Read(chunk_, limit);
    if (!chunk_.empty()) WriteChunk(out);
    if (!stream_->AtEnd()) return !chunk_.empty();
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

  void WriteChunk(std::string& out) {
    if (!chunked_) {
      out += chunk_;
      return;
    }
    out += fmt::format("{:x}\r\n", chunk_.size());
    out += chunk_;
    out += "\r\n";
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
  }

  const std::weak_ptr<ProtocolHost> host_;
  const Peer peer_;
  const ProtocolLimits limits_;

  std::optional<Parser> parser_;
  std::string input_;   // Received, not parsed yet.
  std::string output_;  // To send before the response.
  std::string chunk_;
  std::optional<SteadyTime> input_started_at_;
  std::shared_ptr<ResponseStream> stream_;  // The request that is being answered.
  bool said_continue_ = false;
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
