#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "http/server/limits.h"

namespace coppice::http {

// Bytes of requests that a server holds, of all connections together. Thread-safe.
class ReceiveBudget {
 public:
  explicit ReceiveBudget(size_t limit) : limit_(limit) {}

  void Add(size_t bytes) { used_.fetch_add(bytes, std::memory_order_relaxed); }
  void Subtract(size_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }
  size_t used() const { return used_.load(std::memory_order_relaxed); }
  bool Full() const { return used() > limit_; }
  // Time to make room.
  bool Crowded() const { return used() > CrowdedReceivingBytes(limit_); }

 private:
  const size_t limit_;
  std::atomic<size_t> used_{0};
};

// A part of the budget, released when it is destroyed.
class ReceiveCharge {
 public:
  ReceiveCharge(std::shared_ptr<ReceiveBudget> budget, size_t bytes)
      : budget_(std::move(budget)), bytes_(bytes) {
    budget_->Add(bytes_);
  }
  ~ReceiveCharge() { budget_->Subtract(bytes_); }
  ReceiveCharge(const ReceiveCharge&) = delete;
  ReceiveCharge& operator=(const ReceiveCharge&) = delete;

 private:
  const std::shared_ptr<ReceiveBudget> budget_;
  const size_t bytes_;
};

}  // namespace coppice::http
