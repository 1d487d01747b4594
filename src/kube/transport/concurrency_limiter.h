#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace coppice::kube {

// How many requests may be under way at once, found by asking: the limit grows by one for every
// full window of requests that went well, and halves when the server says it has too much to do
// (429). Not a rate: a server that answers fast is asked more. Thread-safe.
class ConcurrencyLimiter {
 public:
  struct Options {
    double initial = 32;
    double minimum = 1;
    double maximum = 256;
  };
  enum class Outcome { kOk, kThrottled };

  // Below the limit for as long as it lives; ok unless told otherwise.
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
