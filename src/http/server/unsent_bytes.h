#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <unordered_set>

#include "http/server/limits.h"

namespace coppice::http {

class ResponseStream;

// How much the responses of a server hold for clients that have not read them, of all connections
// together. Thread-safe.
//
// Counting every byte is cheap but says too much: objects of a list belong to the store too, and a
// hundred lists of them take hardly more memory than one. So only when the count exceeds the limit,
// ConnectionTable::CloseHeaviest looks at what is held by nobody else, and tells when to look
// again.
class SendBudget {
 public:
  explicit SendBudget(size_t limit) : limit_(limit), next_look_(limit) {}

  void Add(size_t bytes) { used_.fetch_add(bytes, std::memory_order_relaxed); }
  void Subtract(size_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }
  size_t used() const { return used_.load(std::memory_order_relaxed); }
  size_t limit() const { return limit_; }

  // Time to look: the memory may exceed the limit. At least once a second while the count does,
  // because the store may have let go of what it shared.
  bool NeedsLook(std::chrono::steady_clock::time_point now) const {
    return used() > limit_ && (used() > next_look_ || now - looked_at_.load() > kLookInterval);
  }
  // `held` of `used` bytes take memory.
  void Looked(size_t used, size_t held, std::chrono::steady_clock::time_point now) {
    next_look_ = used + (limit_ > held ? limit_ - held : 0);
    looked_at_ = now;
  }

 private:
  static constexpr std::chrono::seconds kLookInterval{1};

  const size_t limit_;
  std::atomic<size_t> used_{0};
  std::atomic<size_t> next_look_;
  std::atomic<std::chrono::steady_clock::time_point> looked_at_{};
};

// The part of one connection. Shared with its responses, which may outlive it. Thread-safe.
class UnsentBytes {
 public:
  explicit UnsentBytes(std::shared_ptr<SendBudget> all) : all_(std::move(all)) {}

  void Enter(const ResponseStream* stream);
  void Leave(const ResponseStream* stream);
  void Add(size_t bytes);
  void Subtract(size_t bytes);
  // On the way to the socket. By one thread at a time.
  void SetWriting(size_t bytes);
  size_t used() const { return used_.load(std::memory_order_relaxed); }
  // What takes memory. Bytes that several hold count in part, so that the sum over all connections
  // never exceeds what is there.
  size_t Held() const;
  // The client must read before it gets more.
  bool Full() const {
    return used() > kMaxUnsentBytesPerConnection && Held() > kMaxUnsentBytesPerConnection;
  }

 private:
  const std::shared_ptr<SendBudget> all_;
  std::atomic<size_t> used_{0};
  std::atomic<size_t> writing_{0};
  mutable std::mutex mutex_;  // Guards streams_. Taken before the mutex of a stream.
  std::unordered_set<const ResponseStream*> streams_;
};

}  // namespace coppice::http
