#include "sim/pod_lifecycle.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "api/edit/core.h"
#include "api/labels.h"
#include "api/view/core.h"
#include "services/workloads/status.h"

namespace coppice::sim {
namespace {

using base::Duration;
using base::Time;
using json::Value;
using view::core::Container;
using view::core::Pod;

constexpr std::string_view kExitCode = api::labels::kSimulatedExitCode;
constexpr std::string_view kBrokenImage = api::labels::kSimulatedBrokenImage;
constexpr std::string_view kBrokenReason = api::labels::kSimulatedBrokenReason;
constexpr std::string_view kBrokenMessage = api::labels::kSimulatedBrokenMessage;

std::optional<Duration> ParseSeconds(std::string_view text) {
  double seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size() || seconds < 0 || seconds > 1e9) {
    return std::nullopt;
  }
  return Duration(static_cast<int64_t>(seconds * 1e9));
}

std::optional<Duration> SecondsOf(Pod pod, std::string_view name) {
  const std::string key = fmt::format("sim.coppice.dev/{}-seconds", name);
  return ParseSeconds(pod.metadata().annotations()[key]);
}

// `command: [sleep, "30"]`, `args: [sleep, "30"]` and `sh -c "sleep 30"` define how long a pod
// runs.
std::optional<Duration> SleepOf(Container container) {
  std::vector<std::string_view> words;
  for (const std::string_view word : container.command()) words.push_back(word);
  for (const std::string_view word : container.args()) words.push_back(word);
  if (words.size() == 3 && words[1] == "-c" && words[2].starts_with("sleep ")) {
    return ParseSeconds(words[2].substr(6));
  }
  return words.size() == 2 && words[0] == "sleep" ? ParseSeconds(words[1]) : std::nullopt;
}

// The commands in kubectl's example Jobs.
bool EndsAtOnce(Container container) {
  const std::string_view word = container.command().At(0);
  return word == "date" || word == "echo" || word == "true";
}

std::optional<Duration> RunTime(Pod pod) {
  if (const auto seconds = SecondsOf(pod, "run")) return seconds;
  const Container container = pod.spec().containers().At(0);
  const bool once = pod.spec().has_restartPolicy() && pod.spec().restartPolicy() != "Always";
  if (once && EndsAtOnce(container)) return Duration(0);
  return SleepOf(container);
}

Time TimeOf(std::string_view text, Time fallback) {
  return base::ParseRfc3339(text).value_or(fallback);
}

// The status under construction, with the writes of a kubelet.
class StatusDraft {
 public:
  StatusDraft(Pod pod, Time now)
      : pod_(pod), status_(pod.status().Json()), now_(base::FormatRfc3339(now)) {}

  edit::core::PodStatus Edit() { return edit::core::PodStatus(status_); }
  view::core::PodStatus Read() const { return view::core::PodStatus(status_); }
  const std::string& now() const { return now_; }

  void Condition(std::string_view type, bool is_true, std::string_view reason = {}) {
    services::workloads::SetCondition(Edit().conditions().Json(), type, is_true ? "True" : "False",
                                      reason, "", now_);
  }

  void Containers(bool ready, const Value& state) {
    Value list = Value::Array();
    for (const Container container : pod_.spec().containers()) {
      list.Append(ContainerStatus(container, ready, state));
    }
    if (!list.empty()) Edit().set_containerStatuses(std::move(list));
  }

  static Value ContainerStatus(Container container, bool ready, const Value& state) {
    Value out = Value::Object();
    edit::core::ContainerStatus(out)
        .set_name(container.name())
        .set_image(container.image())
        .set_imageID("")
        .set_lastState(Value::Object())
        .set_ready(ready)
        .set_started(view::core::ContainerState(state).has_running())
        .set_restartCount(0)
        .set_state(state);
    return out;
  }

  // nullopt if nothing changed.
  std::optional<Value> Finish() && {
    if (status_ == pod_.status().Json()) return std::nullopt;
    return std::move(status_);
  }

 private:
  Pod pod_;
  Value status_;
  std::string now_;
};

Value Running(std::string_view since) {
  Value state = Value::Object();
  edit::core::ContainerState(state).running().set_startedAt(since);
  return state;
}

Value Waiting(std::string_view reason) {
  Value state = Value::Object();
  edit::core::ContainerState(state).waiting().set_reason(reason);
  return state;
}

Value Terminated(int64_t code, std::string_view started, std::string_view finished) {
  Value state = Value::Object();
  edit::core::ContainerState(state)
      .terminated()
      .set_exitCode(code)
      .set_reason(code == 0 ? "Completed" : "Error")
      .set_startedAt(started)
      .set_finishedAt(finished);
  return state;
}

// A stable address per pod, for display.
std::string AddressOf(Pod pod) {
  const size_t hash = std::hash<std::string_view>()(pod.metadata().uid());
  return fmt::format("10.{}.{}.{}", 64 + hash % 64, (hash >> 8) % 256, 1 + (hash >> 16) % 254);
}

class Lifecycle {
 public:
  Lifecycle(Pod pod, Time now, const InitCheck& init_check)
      : pod_(pod), now_(now), init_check_(init_check), draft_(pod, now) {}

  PodStep Run() {
    if (pod_.metadata().has_deletionTimestamp()) return Terminate();
    const std::string_view phase = pod_.status().phase();
    if (phase == "Succeeded" || phase == "Failed") return {};
    Start();
    if (phase != "Running" && !InitDone()) return Finish();
    RunContainers();
    return Finish();
  }

 private:
  PodStep Finish() {
    step_.status = std::move(draft_).Finish();
    return step_;
  }

  PodStep Terminate() {
    const Duration grace = std::chrono::seconds(pod_.metadata().deletionGracePeriodSeconds());
    const Time gone_by = TimeOf(pod_.metadata().deletionTimestamp(), now_);
    const Time begun = gone_by - grace;
    const Duration wanted = std::min(grace, SecondsOf(pod_, "terminate").value_or(Duration(0)));
    if (now_ < begun + wanted) return {.again = begun + wanted - now_};
    return {.remove = true};
  }

  void Start() {
    if (pod_.status().has_startTime()) return;
    const std::string address = AddressOf(pod_);
    const edit::core::PodStatus status = draft_.Edit();
    status.set_startTime(draft_.now()).set_hostIP("127.0.0.1").set_podIP(address);
    status.set_podIPs(Value::Array());
    status.add_podIPs().set_ip(address);
    draft_.Condition("PodScheduled", true);
    draft_.Condition("PodReadyToStartContainers", true);
  }

  // Runs init containers one after the other; true if all have succeeded.
  bool InitDone() {
    const auto containers = pod_.spec().initContainers();
    if (containers.empty()) return draft_.Condition("Initialized", true), true;
    const Duration each = SecondsOf(pod_, "init").value_or(Duration(0));
    Time begun = TimeOf(draft_.Read().startTime(), now_);
    Value statuses = Value::Array();
    bool blocked = false;
    for (size_t i = 0; i < containers.size(); ++i) {
      const view::core::ContainerStatus old = pod_.status().initContainerStatuses().At(i);
      const view::core::ContainerStateTerminated done = old.state().terminated();
      if (done) begun = TimeOf(done.finishedAt(), now_);
      if (done || (blocked && old)) {
        statuses.Append(old.Json());
        continue;
      }
      const Container container = containers.At(i);
      statuses.Append(
          blocked ? StatusDraft::ContainerStatus(container, false, Waiting("PodInitializing"))
                  : InitStatus(container, begun, each, blocked));
      begun = now_;  // The next container starts now.
    }
    draft_.Edit().set_initContainerStatuses(std::move(statuses));
    draft_.Condition("Initialized", !blocked, blocked ? "ContainersNotInitialized" : "");
    if (blocked) WaitForInit();
    return !blocked;
  }

  Value InitStatus(Container container, Time begun, Duration each, bool& blocked) {
    const std::string since = base::FormatRfc3339(begun);
    if (container.restartPolicy() == "Always") {  // A sidecar: started is enough.
      return StatusDraft::ContainerStatus(container, true, Running(since));
    }
    const bool time_over = now_ >= begun + each;
    if (time_over && init_check_(pod_.Json(), container.Json())) {
      return StatusDraft::ContainerStatus(container, true, Terminated(0, since, draft_.now()));
    }
    blocked = true;
    // A container that waits for others is checked again when the agent sees a change; the
    // one-second timer is a safety net.
    step_.again = time_over ? Duration(std::chrono::seconds(1)) : begun + each - now_;
    return StatusDraft::ContainerStatus(container, false, Running(since));
  }

  void WaitForInit() { SetPending(Waiting("PodInitializing")); }

  void SetPending(const Value& state) {
    draft_.Edit().set_phase("Pending");
    draft_.Condition("ContainersReady", false, "ContainersNotReady");
    draft_.Condition("Ready", false, "ContainersNotReady");
    draft_.Containers(false, state);
  }

  // Containers fail to start while they have the image named in the annotation.
  bool CannotStart() {
    const view::Map<std::string_view> annotations = pod_.metadata().annotations();
    const std::string_view broken = annotations[kBrokenImage];
    if (broken.empty() || pod_.spec().containers().At(0).image() != broken) return false;
    const std::string_view reason = annotations[kBrokenReason];
    Value waiting = Waiting(reason.empty() ? "ErrImagePull" : reason);
    edit::core::ContainerState(waiting).waiting().set_message(annotations[kBrokenMessage]);
    SetPending(waiting);
    return true;
  }

  void RunContainers() {
    if (CannotStart()) return;
    const auto running = pod_.status().containerStatuses().At(0).state().running();
    const std::string since(running.has_startedAt() ? running.startedAt() : draft_.now());
    const Time started = TimeOf(since, now_);
    if (const auto run = RunTime(pod_)) {
      if (now_ >= started + *run) return Complete(since);
      step_.again = started + *run - now_;
    }
    const Duration ready_after = SecondsOf(pod_, "ready").value_or(Duration(0));
    const bool ready = now_ >= started + ready_after;
    if (!ready) {
      const Duration wait = started + ready_after - now_;
      step_.again = step_.again ? std::min(*step_.again, wait) : wait;
    }
    draft_.Edit().set_phase("Running");
    draft_.Containers(ready, Running(since));
    draft_.Condition("Initialized", true);
    draft_.Condition("ContainersReady", ready, ready ? "" : "ContainersNotReady");
    draft_.Condition("Ready", ready, ready ? "" : "ContainersNotReady");
  }

  void Complete(const std::string& since) {
    int64_t code = 0;
    const std::string_view text = pod_.metadata().annotations()[kExitCode];
    std::from_chars(text.data(), text.data() + text.size(), code);
    draft_.Edit().set_phase(code == 0 ? "Succeeded" : "Failed");
    draft_.Containers(false, Terminated(code, since, draft_.now()));
    const std::string_view reason = code == 0 ? "PodCompleted" : "PodFailed";
    draft_.Condition("Initialized", true);
    draft_.Condition("ContainersReady", false, reason);
    draft_.Condition("Ready", false, reason);
    step_.again.reset();
  }

  Pod pod_;
  Time now_;
  const InitCheck& init_check_;
  StatusDraft draft_;
  PodStep step_;
};

}  // namespace

PodStep AdvancePod(const Value& pod, Time now, const InitCheck& init_check) {
  return Lifecycle(Pod(pod), now, init_check).Run();
}

}  // namespace coppice::sim
