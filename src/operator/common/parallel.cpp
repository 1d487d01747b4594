#include "operator/common/parallel.h"

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>

namespace coppice::operators {
namespace {

// Numbers that are handed out one by one, and how many of them are being worked on. Helpers that
// come late still hold it, but find no number and touch nothing else.
class Numbers {
 public:
  Numbers(size_t count, const std::function<void(size_t)>& work) : count_(count), work_(work) {}

  void Work() {
    std::unique_lock lock(mutex_);
    while (next_ < count_) {
      const size_t mine = next_++;
      ++busy_;
      lock.unlock();
      work_(mine);
      lock.lock();
      --busy_;
    }
    if (busy_ == 0) done_.notify_all();
  }

  void Await() {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return next_ == count_ && busy_ == 0; });
  }

 private:
  const size_t count_;
  // The caller's: called only while it waits for a number that was handed out.
  const std::function<void(size_t)>& work_;
  std::mutex mutex_;  // Guards all below.
  std::condition_variable done_;
  size_t next_ = 0;
  size_t busy_ = 0;
};

}  // namespace

void InParallel(kube::Executor& executor, size_t count, const std::function<void(size_t)>& work) {
  const auto numbers = std::make_shared<Numbers>(count, work);
  for (size_t helper = 1; helper < std::min(count, kAtATime); ++helper) {
    executor.Post([numbers] { numbers->Work(); });
  }
  numbers->Work();
  numbers->Await();
}

Outcome MergeInParallel(kube::Executor& executor, size_t count,
                        const std::function<Outcome(size_t)>& step) {
  std::vector<Outcome> said(count, Outcome::Done());
  InParallel(executor, count, [&](size_t i) { said[i] = step(i); });
  Outcome outcome = Outcome::Done();
  for (const Outcome& one : said) outcome.Merge(one);
  return outcome;
}

}  // namespace coppice::operators
