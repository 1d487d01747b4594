#pragma once

#include <functional>
#include <memory>

#include "http/message.h"

namespace coppice::http {

// Writes the response to one request: either one Send, or Start, any number of Write, then Finish.
//
//   writer->Send(Response::Make(200, "application/json", body));
//
//   writer->Start(200, {{"content-type", "application/json"}});
//   while (next event) if (!writer->Write(event.bytes)) break;   // Gone: stop producing.
//   writer->Finish();
//
// Thread-safe, and no call blocks: bytes go into the stream's buffer and the I/O threads send them.
// A stream whose buffer would exceed ServerOptions::max_stream_buffer is cut, because its client
// does not keep up; a producer that prefers to wait checks Buffered() and resumes in OnDrained.
// Callbacks run on a worker. A writer dropped before Send or Start answers 500; one dropped before
// Finish cuts the stream, so that the client does not mistake a part for the whole.
class ResponseWriter {
 public:
  virtual ~ResponseWriter() = default;

  // The whole response. Compressed when the client accepts gzip and the body is large.
  virtual void Send(Response response) = 0;

  // A response of unknown length. Each Write is sent on as soon as possible.
  virtual void Start(int status, Headers headers) = 0;
  // False when the client is gone or was cut: nothing more will be sent.
  virtual bool Write(Bytes bytes) = 0;
  bool Write(std::string_view text) { return Write(MakeBytes(std::string(text))); }
  virtual void Finish() = 0;

  // The client went away, the stream was cut or the server stops. Also true after a response has
  // been sent completely.
  virtual bool Closed() const = 0;
  // Called once, when Closed becomes true before Finish; at once when it is already. Replaces an
  // earlier callback.
  virtual void OnClosed(std::function<void()> callback) = 0;

  // Bytes written and not yet handed to the connection.
  virtual size_t Buffered() const = 0;
  // Called once, when the buffer is empty; register again after each call.
  virtual void OnDrained(std::function<void()> callback) = 0;

  // The client is authenticated: its connection may stay idle longer, and is not closed to make
  // room for others.
  virtual void MarkAuthenticated() {}
};

// Handles the requests of a server. Called concurrently on the server's threads. May block, but not
// until its own client reads or disconnects, which may be noticed only after it returns. Keep
// `writer` to respond later: returning from Handle does not end the request.
class Handler {
 public:
  virtual ~Handler() = default;
  virtual void Handle(Request request, std::shared_ptr<ResponseWriter> writer) = 0;
};

}  // namespace coppice::http
