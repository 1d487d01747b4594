#include "kube/client/faulty_client.h"

#include <fmt/format.h>

#include "kube/executor/strand.h"
#include "kube/executor/task_scope.h"

namespace coppice::kube {
namespace {

using base::ErrorCode;
using base::Result;
using base::Status;
using json::Value;

// Earlier answers kept per question.
constexpr size_t kMemory = 3;

}  // namespace

// Stands between the server's watch and the component's sink: delays events, keeping their order,
// and ends the watch early.
class FaultyClient::Relay final : public Watch, public WatchSink {
 public:
  Relay(FaultyClient& owner, WatchSink& sink)
      : owner_(owner), sink_(sink), strand_(owner.executor_), scope_(owner.executor_) {}
  ~Relay() override {
    inner_.reset();
    scope_.Close();
  }

  void Hold(std::unique_ptr<Watch> inner) { inner_ = std::move(inner); }

  void OnEvent(WatchEvent event) override {
    Later([this, event = std::move(event)] { Deliver(event); });
  }
  void OnEnd(base::Error reason) override {
    Later([this, reason = std::move(reason)] { End(reason); });
  }

 private:
  // Timers are as long as the longest so far, so that nothing overtakes; equal times keep their
  // order by the strand.
  void Later(Executor::Task task) {
    const base::Instant now = scope_.Elapsed();
    base::Instant due = now + owner_.RandomDelay();
    {
      std::lock_guard lock(mutex_);
      due = latest_ = std::max(latest_, due);
      queue_.push_back(std::move(task));
    }
    scope_.PostAfter(due - now, [this] { strand_.Post(scope_.Wrap([this] { RunNext(); })); });
  }

  // Each timer runs one queued task, though not necessarily its own.
  void RunNext() {
    Executor::Task task;
    {
      std::lock_guard lock(mutex_);
      task = std::move(queue_.front());
      queue_.pop_front();
    }
    task();
  }

  void Deliver(const WatchEvent& event) {
    if (ended_) return;
    if (owner_.crashed()) return End(base::Unavailable("crashed"));
    if (owner_.Strikes(&Faults::watch_expired)) {
      return End(base::Error(ErrorCode::kGone, "injected: resource version too old"));
    }
    if (owner_.Strikes(&Faults::watch_cut)) return End(base::Unavailable("injected: watch cut"));
    sink_.OnEvent(event);
  }

  void End(const base::Error& reason) {
    if (!std::exchange(ended_, true)) sink_.OnEnd(reason);
  }

  FaultyClient& owner_;
  WatchSink& sink_;
  Strand strand_;
  bool ended_ = false;  // Touched on the strand only.
  std::mutex mutex_;    // Guards the two below.
  std::deque<Executor::Task> queue_;
  base::Instant latest_;
  TaskScope scope_;
  std::unique_ptr<Watch> inner_;
};

FaultyClient::FaultyClient(Client& inner, Executor& executor, Faults faults, uint64_t seed)
    : InterceptedClient(inner), executor_(executor), faults_(faults), random_(seed) {}

void FaultyClient::SetFaults(Faults faults) {
  std::lock_guard lock(mutex_);
  faults_ = faults;
}

void FaultyClient::CrashAfterWrites(int64_t writes, std::function<void()> on_crash) {
  std::lock_guard lock(mutex_);
  writes_left_ = writes;
  on_crash_ = std::move(on_crash);
}

Status FaultyClient::Before(const Call& call) {
  if (crashed_) return base::Cancelled("crashed");
  if (call.writes()) COPPICE_TRY(Crash());
  if (Strikes(&Faults::error)) return base::Unavailable("injected: connection refused");
  const bool guarded = call.verb == Verb::kUpdate || call.verb == Verb::kPatch;
  if (guarded && Strikes(&Faults::conflict)) {
    return base::Conflict(
        fmt::format("injected: {} \"{}\" has been modified", call.What(), call.key.ToString()));
  }
  return {};
}

// Counts a write, and dies instead of the one too many.
Status FaultyClient::Crash() {
  std::function<void()> on_crash;
  {
    std::lock_guard lock(mutex_);
    if (!writes_left_ || (*writes_left_)-- > 0) return {};
    crashed_ = true;
    on_crash = std::move(on_crash_);
  }
  if (on_crash) on_crash();
  return base::Cancelled("crashed");
}

Status FaultyClient::After(const Call& call, const Status& outcome) {
  if (call.writes() && outcome && Strikes(&Faults::error_after_write)) {
    return base::Error(ErrorCode::kTimeout, "injected: no answer");
  }
  return outcome;
}

Result<Value> FaultyClient::Get(const Resource& resource, const ObjectKey& key,
                                const GetOptions& options) {
  COPPICE_ASSIGN(Value fresh, InterceptedClient::Get(resource, key, options));
  const std::string question = fmt::format("{}/{} {} {}", resource.ApiVersion(), resource.plural,
                                           key.ToString(), options.subresource);
  return MaybeOlder(old_objects_, question, std::move(fresh));
}

Result<ObjectList> FaultyClient::List(const Resource& resource, const ListOptions& options) {
  COPPICE_ASSIGN(ObjectList fresh, InterceptedClient::List(resource, options));
  // A page of one list must not be mixed with pages of another.
  if (!options.continue_token.empty() || !fresh.continue_token.empty()) return fresh;
  const std::string question =
      fmt::format("{}/{} {} {} {}", resource.ApiVersion(), resource.plural, options.ns,
                  options.label_selector, options.field_selector);
  return MaybeOlder(old_lists_, question, std::move(fresh));
}

template <typename T>
T FaultyClient::MaybeOlder(History<T>& history, const std::string& key, T fresh) {
  const bool stale = Strikes(&Faults::stale_read);
  std::lock_guard lock(mutex_);
  std::deque<T>& known = history[key];
  known.push_back(std::move(fresh));
  if (known.size() > kMemory) known.pop_front();
  return stale ? known.front() : known.back();
}

Result<std::unique_ptr<Watch>> FaultyClient::StartWatch(const Resource& resource,
                                                        const WatchOptions& options,
                                                        WatchSink& sink) {
  auto relay = std::make_unique<Relay>(*this, sink);
  COPPICE_ASSIGN(auto watch, InterceptedClient::StartWatch(resource, options, *relay));
  relay->Hold(std::move(watch));
  return std::unique_ptr<Watch>(std::move(relay));
}

bool FaultyClient::Strikes(double Faults::* which) {
  std::lock_guard lock(mutex_);
  if (faults_.*which <= 0) return false;
  const double dice = static_cast<double>(random_() >> 11) * 0x1p-53;
  if (dice >= faults_.*which) return false;
  ++injected_;
  return true;
}

base::Duration FaultyClient::RandomDelay() {
  std::lock_guard lock(mutex_);
  const int64_t most = faults_.watch_delay.count();
  if (most <= 0) return base::Duration::zero();
  return base::Duration(static_cast<int64_t>(random_() % static_cast<uint64_t>(most)));
}

}  // namespace coppice::kube
