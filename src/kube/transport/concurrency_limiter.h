#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace coppice::kube {

// Adaptive limit on concurrent requests: it grows by one for every full window of successful
// requests, and halves when the server is overloaded (429). Not a rate limit: a fast server gets
// more requests. Thread-safe.
class ConcurrencyLimiter {
 public:
  struct Options {
    double initial = 32;
    double minimum = 1;
    double maximum = 256;
  };
  enum class Outcome { kOk, kThrottled };

  // Holds a slot for its lifetime; counts as a success unless marked otherwise.
  class Slot {
   public:
    explicit Slot(ConcurrencyLimiter& limiter);
    ~Slot();
    Slot(const Slot&) = delete;
    void set_outcome(Outcome outcome) { outcome_ = outcome; }

   private:
    ConcurrencyLimiter& limiter_;
    const uint64_t round_;
    Outcome outcome_ = Outcome::kOk;
  };

  ConcurrencyLimiter() : ConcurrencyLimiter(Options{}) {}
  explicit ConcurrencyLimiter(Options options) : options_(options), limit_(options.initial) {}

  double limit() const;
  int in_flight() const;

 private:
  // Blocks until there is room. Returns the round the request belongs to.
  uint64_t Acquire();
  void Release(Outcome outcome, uint64_t round);

  const Options options_;
  mutable std::mutex mutex_;  // Guards what follows.
  std::condition_variable room_;
  double limit_;
  int in_flight_ = 0;
  // Advances with every decrease: requests from before one do not decrease again.
  uint64_t round_ = 0;
};

}  // namespace coppice::kube
