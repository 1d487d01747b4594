#pragma once

#include <deque>
#include <memory>
#include <mutex>

#include "http/server/gzip_stream.h"
#include "http/server/handler.h"
#include "http/server/unsent_bytes.h"

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
  // Where the stream's bytes count until they are sent; may be null.
  virtual std::shared_ptr<UnsentBytes> unsent() { return nullptr; }
  // They have grown.
  virtual void CheckUnsent() {}
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
  ResponseStream(int32_t id, std::weak_ptr<StreamHost> host, StreamOptions options);
  ~ResponseStream();

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

  // What the response takes in memory; a part of what others hold too.
  size_t HeldBytes() const;

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
  void SendInPieces(Response response);
  // Compresses until the client has enough to read for now.
  void CompressMore();
  // The next bytes to compress, and whether they are the last.
  std::pair<std::string, bool> TakeUncompressed();
  static size_t Held(const std::deque<Bytes>& chunks);
  void Count(size_t added);
  void Uncount(size_t removed);
  void Append(Bytes bytes);
  void Abort();
  void Wake();
  void Run(std::function<void()> callback);

  const int32_t id_;
  const std::weak_ptr<StreamHost> host_;
  const StreamOptions options_;
  const std::shared_ptr<UnsentBytes> unsent_;  // May be null.

  mutable std::mutex mutex_;  // Guards everything below.
  std::optional<ResponseHead> head_;
  bool started_ = false;
  bool finished_ = false;
  bool sent_ = false;  // By Send: the handler has no more to say.
  bool aborted_ = false;
  bool closed_ = false;
  bool woken_ = false;  // A wake-up is pending: the connection has not read since.
  std::deque<Bytes> chunks_;
  size_t offset_ = 0;  // Into the first chunk.
  size_t buffered_ = 0;
  // What is compressed as the client reads.
  std::deque<Bytes> uncompressed_;
  size_t uncompressed_offset_ = 0;  // Into the first of them.
  size_t counted_ = 0;              // In unsent_.
  std::function<void()> on_closed_;
  std::function<void()> on_drained_;

  std::unique_ptr<GzipStream> gzip_;  // Of the one task that compresses.
};

// A complete response in the form of a Kubernetes Status object, for errors that no handler sees.
Response ErrorResponse(int status, std::string_view message);

}  // namespace coppice::http
