#pragma once

#include <deque>
#include <mutex>

#include "http/server/handler.h"

namespace coppice::http {

// The connection, as seen by a response stream. Thread-safe.
class StreamHost {
 public:
  virtual ~StreamHost() = default;
  // The stream has something new for the I/O thread.
  virtual void WakeStream(int32_t id) = 0;
  virtual void RunOnWorker(std::function<void()> task) = 0;
  // The client of the stream is authenticated.
  virtual void MarkAuthenticated() = 0;
  // The handler of the stream dropped its writer.
  virtual void HandlerDone() = 0;
};

struct StreamOptions {
  size_t max_buffer = 64 << 20;
  size_t gzip_min_bytes = 0;  // 0: do not compress.
  bool head_only = false;     // HEAD: the body is counted, not sent.
};

// The first part of a response.
struct ResponseHead {
  int status = 0;
  Headers headers;
  std::optional<size_t> length;  // Unknown for a stream.
};

// One response between the handler that writes it and the connection that sends it.
class ResponseStream : public std::enable_shared_from_this<ResponseStream> {
 public:
  ResponseStream(int32_t id, std::weak_ptr<StreamHost> host, StreamOptions options)
      : id_(id), host_(std::move(host)), options_(options) {}

  int32_t id() const { return id_; }

  // What the handler gets. Once per stream.
  std::shared_ptr<ResponseWriter> MakeWriter();

  // Handler's side; see ResponseWriter.
  void Send(Response response);
  void Start(int status, Headers headers);
  bool Write(Bytes bytes);
  void Finish();
  bool Closed() const;
  void OnClosed(std::function<void()> callback);
  size_t Buffered() const;
  void OnDrained(std::function<void()> callback);
  void MarkAuthenticated();
  // The handler dropped its writer.
  void Abandon();

  // Connection's side. Once, when the handler has started its response.
  std::optional<ResponseHead> TakeHead();
  // Appends up to `limit` bytes of the body to `out`.
  size_t Read(std::string& out, size_t limit);
  // Everything was written.
  bool Finished() const;
  // Everything was written and read.
  bool AtEnd() const;
  // Must be closed without a proper end.
  bool Aborted() const;
  // The client has everything, or is gone: nothing more can be sent.
  void Close();

 private:
  void Append(Bytes bytes);
  void Abort();
  void Wake();
  void Run(std::function<void()> callback);

  const int32_t id_;
  const std::weak_ptr<StreamHost> host_;
  const StreamOptions options_;

  mutable std::mutex mutex_;  // Guards everything below.
  std::optional<ResponseHead> head_;
  bool started_ = false;
  bool finished_ = false;
  bool aborted_ = false;
  bool closed_ = false;
  bool woken_ = false;  // A wake-up is pending: the connection has not read since.
  std::deque<Bytes> chunks_;
  size_t offset_ = 0;  // Into the first chunk.
  size_t buffered_ = 0;
  std::function<void()> on_closed_;
  std::function<void()> on_drained_;
};

// A complete response in the form of a Kubernetes Status object, for errors that no handler sees.
Response ErrorResponse(int status, std::string_view message);

}  // namespace coppice::http
