#include "cli/wait/wait_command.h"

#include <fmt/format.h>

#include <cstdio>

#include "cli/common/fail.h"
#include "cli/common/find_object.h"
#include "cli/common/resource_words.h"
#include "cli/common/wait.h"
#include "cli/text/progress.h"
#include "kube/executor/thread_executor.h"
#include "kube/object.h"

namespace coppice::cli {
namespace {

constexpr base::Duration kAskAgain = std::chrono::milliseconds(500);

// Asks until it is decided. Runs on the executor's thread.
class Asking {
 public:
  Asking(kube::Client& client, FoundObject found, WaitGoal what)
      : client_(client),
        found_(std::move(found)),
        what_(what),
        name_(ResourceName(found_.resource, kube::Name(found_.object))) {}

  // Whether there is nothing more to ask.
  bool Ask() {
    const auto object = client_.Get(found_.resource, kube::KeyOf(found_.object));
    if (object.Is(base::ErrorCode::kNotFound)) return Gone();
    // A server that is away for a while comes back.
    if (!object && object.Is(base::ErrorCode::kUnavailable)) return false;
    if (!object) return Failed(object.error());
    if (what_ == WaitGoal::kDeleted && kube::Uid(*object) != kube::Uid(found_.object))
      return Gone();
    const auto state = CheckWait(client_, *object, what_);
    if (!state) return Failed(state.error());
    last_ = *state;
    progress_.Show(name_ + ": " + last_.text);
    return last_.is != WaitState::Is::kNotYet;
  }

  int Report(bool in_time) {
    progress_.Clear();
    if (error_) return Fail(*error_);
    if (!in_time) {
      fmt::print(stderr, "error: timed out: {}: {}\ncoppice why {} says why\n", name_, last_.text,
                 name_);
      return kWaitTimedOut;
    }
    if (last_.is == WaitState::Is::kMet) {
      fmt::print("{}: {}\n", name_, last_.text);
      return 0;
    }
    fmt::print(stderr, "error: {}: {}\n", name_, last_.text);
    return kWaitImpossible;
  }

 private:
  bool Gone() {
    const bool wanted = what_ == WaitGoal::kDeleted;
    last_ = {wanted ? WaitState::Is::kMet : WaitState::Is::kImpossible,
             wanted ? "it is deleted" : "it was deleted"};
    return true;
  }

  bool Failed(const base::Error& error) {
    error_ = error;
    return true;
  }

  kube::Client& client_;
  const FoundObject found_;
  const WaitGoal what_;
  const std::string name_;
  Progress progress_{""};
  WaitState last_{.text = "nothing is known about it yet"};
  std::optional<base::Error> error_;
};

}  // namespace

int WaitOn(kube::Client& client, kube::Executor& executor, const std::string& ns,
           const std::string& target, WaitGoal what, base::Duration timeout) {
  auto found = FindObject(client, ns, target);
  if (found.Is(base::ErrorCode::kNotFound) && what == WaitGoal::kDeleted) {
    fmt::print("{}: it is not there\n", target);
    return 0;
  }
  if (!found) return Fail(found.error());
  Asking asking(client, *std::move(found), what);
  return asking.Report(WaitUntil(executor, timeout, [&] { return asking.Ask(); }, kAskAgain));
}

int RunWait(const WaitOptions& options) {
  const auto target = JoinTarget(options.target);
  if (!target) return Fail(target.error());
  const auto what = ParseWaitGoal(options.what);
  if (!what) return Fail(what.error());
  const auto timeout = base::ParseDuration(options.timeout == "0" ? "0s" : options.timeout);
  if (!timeout) return Fail(timeout.error().During("--timeout"));
  kube::ThreadExecutor executor;
  const auto client = Connect(options.cluster, executor);
  if (!client) return Fail(client.error());
  const auto ns = options.ns.empty() ? CurrentNamespace(options.cluster, executor) : options.ns;
  if (!ns) return Fail(ns.error());
  return WaitOn(**client, executor, *ns, *target, *what, *timeout);
}

}  // namespace coppice::cli
