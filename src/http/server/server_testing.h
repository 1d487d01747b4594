#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <vector>

#include "http/client/client.h"
#include "http/crypto/tls.h"
#include "http/server/handler.h"
#include "http/server/server.h"

// Helpers for tests that run a real server on loopback.
namespace coppice::http::testing {

// Waits for something that another thread brings about; gives up after 20 s, which fails the test.
class Latch {
 public:
  void Set() {
    std::lock_guard lock(mutex_);
    set_ = true;
    changed_.notify_all();
  }
  bool Wait() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(20), [this] { return set_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool set_ = false;
};

// A handler whose paths exercise the server:
//   /echo         answers method, target and body
//   /big?size=N   N bytes
//   /parts?n=N    N lines, each a part of its own
//   /shared?size=N  N bytes that do not compress, in parts that all responses share
//   /stream?n=N   N lines, streamed
//   /hold         keeps the writer; see TakeHeld
//   /drop         forgets the writer
//   /half         starts a stream, then forgets it
//   /who          the peer's certificate
//   /headers      the request's fields, a line each
//   /login        marks the client as authenticated
class TestHandler final : public Handler {
 public:
  void Handle(Request request, std::shared_ptr<ResponseWriter> writer) override;
  // The writer of the next request to /hold, null after 20 s.
  std::shared_ptr<ResponseWriter> TakeHeld();
  // Requests seen.
  int count() const;

 private:
  void SendShared(size_t size, ResponseWriter& writer);

  mutable std::mutex mutex_;  // Guards what follows.
  std::condition_variable changed_;
  std::vector<std::shared_ptr<ResponseWriter>> held_;
  std::vector<Bytes> shared_;
  int count_ = 0;
};

// A certificate authority with a server and a client certificate, made once per process.
struct TestCertificates {
  KeyPair authority, server, client, stranger;
  static const TestCertificates& Get();
};
ServerTls TestServerTls();
ClientTls TestClientTls(bool with_certificate = false);

// Bytes that are allocated.
size_t HeapBytes();

// A plain TCP connection for saying things no client would say.
class RawConnection {
 public:
  // `from`: another address of this machine, such as "127.0.0.2".
  explicit RawConnection(uint16_t port, const char* from = "127.0.0.1");
  ~RawConnection();
  bool Send(std::string_view bytes);
  // Everything until the other side closes, or "timeout" is appended after 20 s.
  std::string ReadAll();
  // At least until `needle` was seen.
  std::string ReadUntil(std::string_view needle);
  // Sends `piece` again and again, `most` bytes at most, until the other side answers, closes or
  // stops reading. Returns how far the heap of this process grew beyond what it was, at its peak.
  size_t Flood(std::string_view piece, size_t most);
  // No more bytes from us.
  void Shutdown();
  int fd() const { return fd_; }

 private:
  bool ReadSome(std::string& text);
  int fd_;
};

}  // namespace coppice::http::testing
