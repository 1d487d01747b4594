#include "cli/common/wait.h"

#include <unistd.h>

#include <csignal>
#include <future>
#include <memory>

namespace coppice::cli {

const int kRestartSignal = SIGUSR1;

namespace {

class Poll : public std::enable_shared_from_this<Poll> {
 public:
  Poll(kube::Executor& executor, base::Instant end, std::function<bool()> done,
       base::Duration every)
      : executor_(executor), end_(end), done_(std::move(done)), every_(every) {}

  void Ask() {
    if (done_()) return answer.set_value(true);
    if (executor_.Elapsed() >= end_) return answer.set_value(false);
    executor_.PostAfter(every_, [self = shared_from_this()] { self->Ask(); });
  }

  std::promise<bool> answer;

 private:
  kube::Executor& executor_;
  base::Instant end_;
  std::function<bool()> done_;
  const base::Duration every_;
};

sigset_t StopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, kRestartSignal);
  return signals;
}

}  // namespace

bool WaitUntil(kube::Executor& executor, base::Duration limit, std::function<bool()> done,
               base::Duration ask_every) {
  auto poll =
      std::make_shared<Poll>(executor, executor.Elapsed() + limit, std::move(done), ask_every);
  std::future<bool> answer = poll->answer.get_future();
  executor.Post([poll] { poll->Ask(); });
  return answer.get();
}

void BlockSignals() {
  const sigset_t signals = StopSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

// Signals the whole process, because another thread waits for signals.
void AskToRestart() { kill(getpid(), kRestartSignal); }

int WaitForSignal() {
  const sigset_t signals = StopSignals();
  int received = 0;
  sigwait(&signals, &received);
  return received;
}

}  // namespace coppice::cli
