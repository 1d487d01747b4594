#include <fmt/format.h>
#include <nghttp2/nghttp2.h>

#include <map>

#include "http/server/protocol.h"

namespace coppice::http {
namespace {

struct Stream {
  Request request;
  size_t header_bytes = 0;
  bool has_header = false;
  size_t held = 0;                           // Of a request that is not complete.
  std::shared_ptr<ResponseStream> response;  // Set when the request is complete or refused.
  SteadyTime since{};  // Begin of the request, then last progress of the response.
  size_t pending = 0;  // Buffered at the last look, to see progress.
  bool refused = false;
};

nghttp2_nv Field(const std::string& name, const std::string& value) {
  auto bytes = [](const std::string& text) {
    return reinterpret_cast<uint8_t*>(const_cast<char*>(text.data()));
  };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

// Fields that belong to HTTP/1.1 connections and are illegal here.
bool IsConnectionField(std::string_view name) {
  return name == "connection" || name == "transfer-encoding" || name == "keep-alive" ||
         name == "upgrade" || name == "proxy-connection";
}

// HTTP/2 on nghttp2.
class Http2 final : public Protocol {
 public:
  Http2(std::weak_ptr<ProtocolHost> host, Peer peer, const ProtocolLimits& limits)
      : host_(std::move(host)), peer_(std::move(peer)), limits_(limits) {
    OpenSession();
    SendSettings();
  }
  ~Http2() override { nghttp2_session_del(session_); }

  void Receive(std::string_view bytes) override {
    if (failed_) return;
    const ssize_t used = nghttp2_session_mem_recv(
        session_, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
    if (used < 0) Fail(used == NGHTTP2_ERR_BAD_CLIENT_MAGIC);
  }

  void Wake(std::span<const int32_t> ids) override {
    for (const int32_t id : ids) Progress(id);
  }

  void Produce(std::string& out, size_t limit) override {
    out_ = &out;
    out_limit_ = limit;
    if (nghttp2_session_send(session_) != 0) failed_ = true;
    out_ = nullptr;
  }

  void Tick(SteadyTime now) override {
    now_ = now;
    for (auto& [id, stream] : streams_) {
      if (stream.since == SteadyTime{}) stream.since = now;
      if (IsStuck(stream, now)) Reset(id, NGHTTP2_CANCEL);
    }
  }

  // What a peer asks for in many small frames is answered in others, which wait until it reads.
  bool WantsInput() const override {
    return !failed_ && nghttp2_session_get_outbound_queue_size(session_) < kMaxUnsentFrames;
  }
  bool Done() const override {
    return failed_ ||
           (!nghttp2_session_want_read(session_) && !nghttp2_session_want_write(session_));
  }
  bool Refused() const override { return false; }
  size_t ActiveRequests() const override { return streams_.size(); }

  void Shutdown() override {
    nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE,
                          nghttp2_session_get_last_proc_stream_id(session_), NGHTTP2_NO_ERROR,
                          nullptr, 0);
  }

  void Lost() override {
    failed_ = true;
    auto streams = std::move(streams_);
    streams_.clear();
    for (auto& [id, stream] : streams) {
      if (stream.response) stream.response->Close();
    }
  }

 private:
  void OpenSession() {
    nghttp2_session_callbacks* callbacks = nullptr;
    COPPICE_CHECK(nghttp2_session_callbacks_new(&callbacks) == 0);
    SetCallbacks(callbacks);
    nghttp2_option* option = nullptr;
    COPPICE_CHECK(nghttp2_option_new(&option) == 0);
    nghttp2_option_set_stream_reset_rate_limit(option, kResetBurst, kResetsPerSecond);
    nghttp2_option_set_no_closed_streams(option, 1);
    nghttp2_option_set_max_continuations(option, kMaxContinuations);
    nghttp2_option_set_max_outbound_ack(option, kMaxUnsentAcks);
    COPPICE_CHECK(nghttp2_session_server_new2(&session_, callbacks, this, option) == 0);
    nghttp2_option_del(option);
    nghttp2_session_callbacks_del(callbacks);
  }

  void SendSettings() {
    const nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limits_.max_concurrent_streams},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kStreamWindow},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, static_cast<uint32_t>(limits_.max_header_bytes)},
    };
    nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings, std::size(settings));
    nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, kConnectionWindow);
  }

  static void SetCallbacks(nghttp2_session_callbacks* callbacks);

  Stream* Find(int32_t id) {
    const auto found = streams_.find(id);
    return found == streams_.end() ? nullptr : &found->second;
  }

  void Fail(bool not_http2) {
    failed_ = true;
    if (not_http2) return;
    nghttp2_session_terminate_session(session_, NGHTTP2_PROTOCOL_ERROR);
  }

  void Reset(int32_t id, uint32_t error) {
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, error);
  }

  // A request that does not arrive, or an answer that is not taken.
  bool IsStuck(Stream& stream, SteadyTime now) {
    if (!stream.response) {
      const auto limit = stream.has_header ? limits_.request_timeout : limits_.header_timeout;
      return now - stream.since > limit;
    }
    const size_t buffered = stream.response->Buffered();
    if (buffered == 0 || buffered != stream.pending) stream.since = now;
    stream.pending = buffered;
    return now - stream.since > limits_.write_timeout;
  }

  // Events from nghttp2.

  void OnHeader(Stream& stream, std::string_view name, std::string_view value) {
    stream.header_bytes += name.size() + value.size() + 32;
    if (stream.header_bytes > limits_.max_header_bytes) return;
    if (name == ":method") {
      stream.request.method = value;
    } else if (name == ":path") {
      stream.request.target = value;
    } else if (name == ":authority") {
      stream.request.headers.Add("host", value);
    } else if (!name.starts_with(':')) {
      stream.request.headers.Add(name, value);
    }
  }

  void OnData(int32_t id, Stream& stream, std::string_view bytes) {
    if (stream.refused) return;
    if (stream.request.body.size() + bytes.size() > limits_.max_body_bytes) {
      return Refuse(
          id, stream, 413,
          fmt::format("the request's body is larger than {} bytes", limits_.max_body_bytes));
    }
    stream.request.body.append(bytes);
    Hold(id, stream, bytes.size());
  }

  void Hold(int32_t id, Stream& stream, size_t more) {
    stream.held += more;
    held_ += more;
    const auto host = host_.lock();
    if (!host || host->Hold(held_)) return;
    Refuse(id, stream, 429, "the server is receiving too many requests, try again");
  }

  void Release(Stream& stream) {
    if (stream.held == 0) return;
    held_ -= std::exchange(stream.held, 0);
    if (const auto host = host_.lock()) host->Hold(held_);
  }

  void OnHeadersEnd(int32_t id, Stream& stream) {
    stream.has_header = true;
    if (stream.header_bytes > limits_.max_header_bytes) {
      return Refuse(id, stream, 431, "the request's header is too large");
    }
    if (const auto valid = SplitTarget(stream.request); !valid) {
      Refuse(id, stream, 400, valid.error().message());
    }
  }

  void OnRequestEnd(int32_t id, Stream& stream) {
    if (stream.refused) return;
    Release(stream);
    StreamOptions options{.max_buffer = limits_.max_stream_buffer,
                          .head_only = stream.request.method == "HEAD"};
    if (AcceptsGzip(stream.request.headers)) options.gzip_min_bytes = limits_.gzip_min_bytes;
    stream.response = std::make_shared<ResponseStream>(id, host_, options);
    stream.since = now_;
    stream.request.peer = peer_;
    stream.request.http_version = 2;
    if (const auto host = host_.lock()) {
      host->Dispatch(std::move(stream.request), stream.response);
    }
    stream.request = {};
  }

  // Answers without a handler; whatever else arrives on the stream is dropped.
  void Refuse(int32_t id, Stream& stream, int status, std::string_view message) {
    stream.refused = true;
    stream.request = {};
    Release(stream);
    stream.response = std::make_shared<ResponseStream>(id, host_, StreamOptions{});
    stream.response->Send(ErrorResponse(status, message));
    Progress(id);
  }

  // A client whose request was refused need not send the rest of it.
  void OnResponseEnd(int32_t id) {
    const Stream* stream = Find(id);
    if (stream != nullptr && stream->refused) Reset(id, NGHTTP2_NO_ERROR);
  }

  void OnClose(int32_t id) {
    const auto found = streams_.find(id);
    if (found == streams_.end()) return;
    Release(found->second);
    if (found->second.response) found->second.response->Close();
    streams_.erase(found);
  }

  // Responses.

  void Progress(int32_t id) {
    Stream* stream = Find(id);
    if (stream == nullptr || !stream->response) return;
    if (stream->response->Aborted()) return Reset(id, NGHTTP2_INTERNAL_ERROR);
    if (auto head = stream->response->TakeHead()) return SubmitHead(id, *stream, *head);
    nghttp2_session_resume_data(session_, id);
  }

  void SubmitHead(int32_t id, const Stream& stream, const ResponseHead& head) {
    std::vector<std::pair<std::string, std::string>> texts;
    texts.emplace_back(":status", std::to_string(head.status));
    for (const auto& [name, value] : head.headers.items()) {
      if (!IsConnectionField(name)) texts.emplace_back(name, SafeHeaderValue(value));
    }
    if (head.length) texts.emplace_back("content-length", std::to_string(*head.length));
    std::vector<nghttp2_nv> fields;
    for (const auto& [name, value] : texts) fields.push_back(Field(name, value));
    const bool empty = stream.response->AtEnd();
    nghttp2_data_provider body{{.ptr = nullptr}, &Http2::ReadBody};
    nghttp2_submit_response(session_, id, fields.data(), fields.size(), empty ? nullptr : &body);
  }

  // How much of the body fits the next frame; SendData takes the bytes themselves.
  static ssize_t ReadBody(nghttp2_session*, int32_t id, uint8_t*, size_t limit, uint32_t* flags,
                          nghttp2_data_source*, void* self) {
    const Stream* stream = static_cast<Http2*>(self)->Find(id);
    if (stream == nullptr || !stream->response) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    const ResponseStream& response = *stream->response;
    // Asked before the size: a handler may write and finish in between.
    const bool ended = response.Finished();
    const size_t available = response.Buffered();
    if (available == 0 && !ended) return NGHTTP2_ERR_DEFERRED;
    *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
    if (ended && available <= limit) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(std::min(available, limit));
  }

  static int SendData(nghttp2_session*, nghttp2_frame* frame, const uint8_t* frame_head,
                      size_t length, nghttp2_data_source*, void* self) {
    auto& http2 = *static_cast<Http2*>(self);
    Stream* stream = http2.Find(frame->hd.stream_id);
    if (stream == nullptr || !stream->response) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    if (http2.out_->size() >= http2.out_limit_) return NGHTTP2_ERR_WOULDBLOCK;
    http2.out_->append(reinterpret_cast<const char*>(frame_head), 9);
    COPPICE_CHECK(stream->response->Read(*http2.out_, length) == length);
    return 0;
  }

  static ssize_t SendBytes(nghttp2_session*, const uint8_t* bytes, size_t size, int, void* self) {
    auto& http2 = *static_cast<Http2*>(self);
    if (http2.out_->size() >= http2.out_limit_) return NGHTTP2_ERR_WOULDBLOCK;
    http2.out_->append(reinterpret_cast<const char*>(bytes), size);
    return static_cast<ssize_t>(size);
  }

  const std::weak_ptr<ProtocolHost> host_;
  const Peer peer_;
  const ProtocolLimits limits_;

  nghttp2_session* session_ = nullptr;
  std::map<int32_t, Stream> streams_;
  size_t held_ = 0;  // Of all streams.
  SteadyTime now_{};
  std::string* out_ = nullptr;  // Where Produce's caller wants the bytes.
  size_t out_limit_ = 0;
  bool failed_ = false;
};

void Http2::SetCallbacks(nghttp2_session_callbacks* callbacks) {
  nghttp2_session_callbacks_set_on_begin_headers_callback(
      callbacks, [](nghttp2_session*, const nghttp2_frame* frame, void* self) {
        if (frame->headers.cat == NGHTTP2_HCAT_REQUEST) {
          auto& http2 = *static_cast<Http2*>(self);
          http2.streams_[frame->hd.stream_id].since = http2.now_;
        }
        return 0;
      });
  nghttp2_session_callbacks_set_on_header_callback(
      callbacks,
      [](nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name, size_t name_size,
         const uint8_t* value, size_t value_size, uint8_t, void* self) {
        // Trailers are dropped: they must not pass for what the header said.
        const bool trailer = frame->headers.cat != NGHTTP2_HCAT_REQUEST;
        Stream* stream = trailer ? nullptr : static_cast<Http2*>(self)->Find(frame->hd.stream_id);
        if (stream != nullptr) {
          static_cast<Http2*>(self)->OnHeader(*stream,
                                              {reinterpret_cast<const char*>(name), name_size},
                                              {reinterpret_cast<const char*>(value), value_size});
        }
        return 0;
      });
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
      callbacks,
      [](nghttp2_session*, uint8_t, int32_t id, const uint8_t* data, size_t size, void* self) {
        if (Stream* stream = static_cast<Http2*>(self)->Find(id)) {
          static_cast<Http2*>(self)->OnData(id, *stream,
                                            {reinterpret_cast<const char*>(data), size});
        }
        return 0;
      });
  nghttp2_session_callbacks_set_on_frame_recv_callback(
      callbacks, [](nghttp2_session*, const nghttp2_frame* frame, void* self) {
        auto& http2 = *static_cast<Http2*>(self);
        const int32_t id = frame->hd.stream_id;
        const bool request_part =
            frame->hd.type == NGHTTP2_DATA || frame->hd.type == NGHTTP2_HEADERS;
        Stream* stream = request_part ? http2.Find(id) : nullptr;
        if (stream == nullptr) return 0;
        const bool header =
            frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST;
        if (header) http2.OnHeadersEnd(id, *stream);
        if (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) {
          http2.OnRequestEnd(id, *stream);
        } else if (header && !stream->refused) {
          http2.Hold(id, *stream, stream->header_bytes);
        }
        return 0;
      });
  nghttp2_session_callbacks_set_on_stream_close_callback(
      callbacks, [](nghttp2_session*, int32_t id, uint32_t, void* self) {
        static_cast<Http2*>(self)->OnClose(id);
        return 0;
      });
  nghttp2_session_callbacks_set_on_frame_send_callback(
      callbacks, [](nghttp2_session*, const nghttp2_frame* frame, void* self) {
        auto& http2 = *static_cast<Http2*>(self);
        // Other frames use the same bit for acknowledgements, on stream 0.
        if (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) http2.OnResponseEnd(frame->hd.stream_id);
        return 0;
      });
  nghttp2_session_callbacks_set_send_callback(callbacks, &Http2::SendBytes);
  nghttp2_session_callbacks_set_send_data_callback(callbacks, &Http2::SendData);
}

}  // namespace

std::unique_ptr<Protocol> MakeHttp2(std::weak_ptr<ProtocolHost> host, Peer peer,
                                    const ProtocolLimits& limits) {
  return std::make_unique<Http2>(std::move(host), std::move(peer), limits);
}

}  // namespace coppice::http
