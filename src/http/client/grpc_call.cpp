#include "http/client/grpc_call.h"

#include <fmt/format.h>
#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "base/check.h"
#include "http/client/unix_socket.h"

namespace coppice::http {
namespace {

constexpr size_t kMaxAnswer = 16 << 20;
constexpr int32_t kWindow = 1 << 20;  // What the server may send before it must wait for us.
constexpr size_t kMaxStatusText = 1024;
constexpr size_t kPrefix = 5;  // Before each message: whether it is compressed, and its size.

std::string WithPrefix(std::string_view message) {
  std::string out(1, '\0');
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(message.size() >> shift);
  return out.append(message);
}

base::Result<std::string> MessageOf(std::string_view body) {
  if (body.size() < kPrefix) return base::Unavailable("the answer has no message");
  size_t size = 0;
  for (const unsigned char byte : body.substr(1, kPrefix - 1)) size = size << 8 | byte;
  if (body.front() != 0) return base::Unavailable("the answer is compressed");
  if (body.size() - kPrefix != size) return base::Unavailable("the answer is not one message");
  return std::string(body.substr(kPrefix));
}

nghttp2_nv Field(std::string_view name, std::string_view value) {
  const auto bytes = [](std::string_view text) {
    return reinterpret_cast<uint8_t*>(const_cast<char*>(text.data()));
  };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

// The one call of a connection.
class Call {
 public:
  Call(std::string_view method, std::string_view message);
  ~Call() { nghttp2_session_del(session_); }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  base::Result<std::string> Run(UnixSocket& socket) {
    while (!over_) {
      COPPICE_TRY(SendPending(socket));
      if (nghttp2_session_want_read(session_) == 0) {
        return base::Unavailable("the server breaks the rules of HTTP/2");
      }
      COPPICE_ASSIGN(const std::string_view bytes, socket.Receive());
      const ssize_t used = nghttp2_session_mem_recv(
          session_, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
      if (too_large_) return base::Error(base::ErrorCode::kTooLarge, "the answer is too large");
      if (used < 0) return base::Unavailable(nghttp2_strerror(static_cast<int>(used)));
    }
    return Answer();
  }

 private:
  void Submit(std::string_view method);

  base::Status SendPending(UnixSocket& socket) {
    const uint8_t* bytes = nullptr;
    ssize_t size = 0;
    while ((size = nghttp2_session_mem_send(session_, &bytes)) > 0) {
      COPPICE_TRY(socket.Send({reinterpret_cast<const char*>(bytes), static_cast<size_t>(size)}));
    }
    if (size < 0) return base::Unavailable(nghttp2_strerror(static_cast<int>(size)));
    return {};
  }

  base::Result<std::string> Answer() const {
    if (reset_ != NGHTTP2_NO_ERROR) {
      return base::Unavailable(
          fmt::format("the server ended the call: {}", nghttp2_http2_strerror(reset_)));
    }
    if (http_status_ != "200") return base::Unavailable("HTTP status " + http_status_);
    if (status_ != "0") {
      return base::Unavailable(fmt::format("gRPC status {}: {}", status_, status_text_));
    }
    return MessageOf(answer_);
  }

  static ssize_t ReadRequest(nghttp2_session*, int32_t, uint8_t* buffer, size_t size,
                             uint32_t* flags, nghttp2_data_source*, void* self);
  static int OnHeader(nghttp2_session*, const nghttp2_frame*, const uint8_t* name, size_t name_size,
                      const uint8_t* value, size_t size, uint8_t, void* self);
  static int OnData(nghttp2_session*, uint8_t, int32_t, const uint8_t* bytes, size_t size,
                    void* self);
  static int OnClose(nghttp2_session*, int32_t, uint32_t error, void* self);

  nghttp2_session* session_ = nullptr;
  std::string request_;
  size_t sent_ = 0;  // Of `request_`.
  std::string answer_;
  std::string http_status_, status_, status_text_;
  uint32_t reset_ = NGHTTP2_NO_ERROR;
  bool over_ = false;
  bool too_large_ = false;
};

Call::Call(std::string_view method, std::string_view message) : request_(WithPrefix(message)) {
  nghttp2_session_callbacks* callbacks = nullptr;
  COPPICE_CHECK(nghttp2_session_callbacks_new(&callbacks) == 0);
  nghttp2_session_callbacks_set_on_header_callback(callbacks, &Call::OnHeader);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, &Call::OnData);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, &Call::OnClose);
  COPPICE_CHECK(nghttp2_session_client_new(&session_, callbacks, this) == 0);
  nghttp2_session_callbacks_del(callbacks);
  Submit(method);
}

void Call::Submit(std::string_view method) {
  const nghttp2_settings_entry settings[] = {{NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
                                             {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kWindow}};
  COPPICE_CHECK(
      nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings, std::size(settings)) == 0);
  COPPICE_CHECK(nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, kWindow) ==
                0);
  const nghttp2_nv fields[] = {Field(":method", "POST"),
                               Field(":scheme", "http"),
                               Field(":path", method),
                               Field(":authority", "localhost"),
                               Field("content-type", "application/grpc"),
                               Field("te", "trailers")};
  const nghttp2_data_provider body{{.ptr = nullptr}, &Call::ReadRequest};
  COPPICE_CHECK(
      nghttp2_submit_request(session_, nullptr, fields, std::size(fields), &body, nullptr) > 0);
}

ssize_t Call::ReadRequest(nghttp2_session*, int32_t, uint8_t* buffer, size_t size, uint32_t* flags,
                          nghttp2_data_source*, void* self) {
  auto& call = *static_cast<Call*>(self);
  const size_t count = std::min(size, call.request_.size() - call.sent_);
  std::memcpy(buffer, call.request_.data() + call.sent_, count);
  call.sent_ += count;
  if (call.sent_ == call.request_.size()) *flags |= NGHTTP2_DATA_FLAG_EOF;
  return static_cast<ssize_t>(count);
}

// The status comes in a header or, after the message, in a trailer.
int Call::OnHeader(nghttp2_session*, const nghttp2_frame*, const uint8_t* name, size_t name_size,
                   const uint8_t* value, size_t size, uint8_t, void* self) {
  auto& call = *static_cast<Call*>(self);
  const std::string_view key(reinterpret_cast<const char*>(name), name_size);
  const std::string_view text(reinterpret_cast<const char*>(value), std::min(size, kMaxStatusText));
  if (key == ":status") call.http_status_ = text;
  if (key == "grpc-status") call.status_ = text;
  if (key == "grpc-message") call.status_text_ = text;
  return 0;
}

int Call::OnData(nghttp2_session*, uint8_t, int32_t, const uint8_t* bytes, size_t size,
                 void* self) {
  auto& call = *static_cast<Call*>(self);
  call.too_large_ = call.answer_.size() + size > kMaxAnswer + kPrefix;
  if (call.too_large_) return NGHTTP2_ERR_CALLBACK_FAILURE;
  call.answer_.append(reinterpret_cast<const char*>(bytes), size);
  return 0;
}

int Call::OnClose(nghttp2_session*, int32_t, uint32_t error, void* self) {
  auto& call = *static_cast<Call*>(self);
  call.over_ = true;
  call.reset_ = error;
  return 0;
}

}  // namespace

base::Result<std::string> CallGrpc(const std::string& socket_path, std::string_view method,
                                   std::string_view message, base::Duration timeout) {
  UnixSocket socket(timeout);
  COPPICE_TRY(socket.Connect(socket_path));
  return Call(method, message).Run(socket);
}

}  // namespace coppice::http
