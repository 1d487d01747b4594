#include "sim/pod_lifecycle.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "kube/object.h"
#include "services/workloads/status.h"

namespace coppice::sim {
namespace {

using base::Duration;
using base::Time;
using json::Value;

std::optional<Duration> ParseSeconds(std::string_view text) {
  double seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size() || seconds < 0 || seconds > 1e9) {
    return std::nullopt;
  }
  return Duration(static_cast<int64_t>(seconds * 1e9));
}

std::optional<Duration> SecondsOf(const Value& pod, std::string_view name) {
  return ParseSeconds(kube::Annotation(pod, fmt::format("sim.coppice.dev/{}-seconds", name)));
}

// `command: [sleep, "30"]`, `args: [sleep, "30"]` and `sh -c "sleep 30"` say how long a pod runs.
std::optional<Duration> SleepOf(const Value& container) {
  std::vector<std::string_view> words;
  for (const Value& word : container["command"].Items()) words.push_back(word.AsString());
  for (const Value& word : container["args"].Items()) words.push_back(word.AsString());
  if (words.size() == 3 && words[1] == "-c" && words[2].starts_with("sleep ")) {
    return ParseSeconds(words[2].substr(6));
  }
  return words.size() == 2 && words[0] == "sleep" ? ParseSeconds(words[1]) : std::nullopt;
}

// The commands of kubectl's own examples of Jobs.
bool EndsAtOnce(const Value& container) {
  const std::string_view word = container["command"].At(0).AsString();
  return word == "date" || word == "echo" || word == "true";
}

std::optional<Duration> RunTime(const Value& pod) {
  if (const auto seconds = SecondsOf(pod, "run")) return seconds;
  const Value& container = pod["spec"]["containers"].At(0);
  const bool once = pod["spec"]["restartPolicy"].AsString("Always") != "Always";
  if (once && EndsAtOnce(container)) return Duration(0);
  return SleepOf(container);
}

Time TimeOf(const Value& text, Time fallback) {
  return base::ParseRfc3339(text.AsString()).value_or(fallback);
}

// The status under construction, with the few writes that a kubelet does.
class StatusDraft {
 public:
  StatusDraft(const Value& pod, Time now)
      : pod_(pod), before_(pod["status"]), status_(pod["status"]), now_(base::FormatRfc3339(now)) {}

  void Set(std::string_view key, Value value) { status_.Set(key, std::move(value)); }
  const Value& Read(std::string_view key) const { return status_[key]; }
  const std::string& now() const { return now_; }

  void Condition(std::string_view type, bool is_true, std::string_view reason = {}) {
    services::workloads::SetCondition(status_, type, is_true, reason, "", now_);
  }

  void Containers(std::string_view key, std::string_view spec_key, bool ready, const Value& state) {
    Value list = Value::Array();
    for (const Value& container : pod_["spec"][spec_key].Items()) {
      list.Append(ContainerStatus(container, ready, state));
    }
    if (!list.empty()) status_.Set(key, std::move(list));
  }

  static Value ContainerStatus(const Value& container, bool ready, const Value& state) {
    return Value::Object({{"name", container["name"]},
                          {"image", container["image"]},
                          {"imageID", ""},
                          {"lastState", Value::Object()},
                          {"ready", ready},
                          {"started", state.Has("running")},
                          {"restartCount", 0},
                          {"state", state}});
  }

  // Null when nothing changed.
  std::optional<Value> Finish() && {
    if (status_ == before_) return std::nullopt;
    return std::move(status_);
  }

 private:
  const Value& pod_;
  Value before_;
  Value status_;
  std::string now_;
};

Value Running(std::string_view since) {
  return Value::Object({{"running", Value::Object({{"startedAt", since}})}});
}

Value Waiting(std::string_view reason) {
  return Value::Object({{"waiting", Value::Object({{"reason", reason}})}});
}

Value Terminated(int64_t code, std::string_view started, std::string_view finished) {
  return Value::Object({{"terminated", Value::Object({{"exitCode", code},
                                                      {"reason", code == 0 ? "Completed" : "Error"},
                                                      {"startedAt", started},
                                                      {"finishedAt", finished}})}});
}

// A stable address per pod, for those who look at it.
std::string AddressOf(const Value& pod) {
  const size_t hash = std::hash<std::string_view>()(kube::Uid(pod));
  return fmt::format("10.{}.{}.{}", 64 + hash % 64, (hash >> 8) % 256, 1 + (hash >> 16) % 254);
}

class Lifecycle {
 public:
  Lifecycle(const Value& pod, Time now, const InitCheck& init_check)
      : pod_(pod), now_(now), init_check_(init_check), draft_(pod, now) {}

  PodStep Run() {
    if (kube::IsDeleting(pod_)) return Terminate();
    const std::string_view phase = pod_["status"]["phase"].AsString();
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
    const Duration grace =
        std::chrono::seconds(pod_["metadata"]["deletionGracePeriodSeconds"].AsInt(0));
    const Time gone_by = TimeOf(pod_["metadata"]["deletionTimestamp"], now_);
    const Time begun = gone_by - grace;
    const Duration wanted = std::min(grace, SecondsOf(pod_, "terminate").value_or(Duration(0)));
    if (now_ < begun + wanted) return {.again = begun + wanted - now_};
    return {.remove = true};
  }

  void Start() {
    if (pod_["status"].Has("startTime")) return;
    draft_.Set("startTime", draft_.now());
    draft_.Set("hostIP", "127.0.0.1");
    draft_.Set("podIP", AddressOf(pod_));
    draft_.Set("podIPs", Value::Array({Value::Object({{"ip", AddressOf(pod_)}})}));
    draft_.Condition("PodScheduled", true);
    draft_.Condition("PodReadyToStartContainers", true);
  }

  // Runs init containers one after the other; true when all have succeeded.
  bool InitDone() {
    const auto containers = pod_["spec"]["initContainers"].Items();
    if (containers.empty()) return draft_.Condition("Initialized", true), true;
    const Duration each = SecondsOf(pod_, "init").value_or(Duration(0));
    Time begun = TimeOf(draft_.Read("startTime"), now_);
    Value statuses = Value::Array();
    bool blocked = false;
    for (size_t i = 0; i < containers.size(); ++i) {
      const Value& old = pod_["status"]["initContainerStatuses"].At(i);
      const Value& done = old["state"]["terminated"];
      if (done.IsObject()) begun = TimeOf(done["finishedAt"], now_);
      if (done.IsObject() || (blocked && old.IsObject())) {
        statuses.Append(old);
        continue;
      }
      statuses.Append(
          blocked ? StatusDraft::ContainerStatus(containers[i], false, Waiting("PodInitializing"))
                  : InitStatus(containers[i], begun, each, blocked));
      begun = now_;  // What follows a container that has just finished starts now.
    }
    draft_.Set("initContainerStatuses", std::move(statuses));
    draft_.Condition("Initialized", !blocked, blocked ? "ContainersNotInitialized" : "");
    if (blocked) WaitForInit();
    return !blocked;
  }

  Value InitStatus(const Value& container, Time begun, Duration each, bool& blocked) {
    const std::string since = base::FormatRfc3339(begun);
    if (container["restartPolicy"].AsString() == "Always") {  // A sidecar: started is enough.
      return StatusDraft::ContainerStatus(container, true, Running(since));
    }
    const bool time_over = now_ >= begun + each;
    if (time_over && init_check_(pod_, container)) {
      return StatusDraft::ContainerStatus(container, true, Terminated(0, since, draft_.now()));
    }
    blocked = true;
    // A container that waits for others is looked at again when the agent is told of a change;
    // the second is a safety net.
    step_.again = time_over ? Duration(std::chrono::seconds(1)) : begun + each - now_;
    return StatusDraft::ContainerStatus(container, false, Running(since));
  }

  void WaitForInit() {
    draft_.Set("phase", "Pending");
    draft_.Condition("ContainersReady", false, "ContainersNotReady");
    draft_.Condition("Ready", false, "ContainersNotReady");
    draft_.Containers("containerStatuses", "containers", false, Waiting("PodInitializing"));
  }

  void RunContainers() {
    const Value& state = pod_["status"]["containerStatuses"].At(0)["state"];
    const std::string since = state["running"]["startedAt"].ToString(draft_.now());
    const Time started = TimeOf(Value(since), now_);
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
    draft_.Set("phase", "Running");
    draft_.Containers("containerStatuses", "containers", ready, Running(since));
    draft_.Condition("Initialized", true);
    draft_.Condition("ContainersReady", ready, ready ? "" : "ContainersNotReady");
    draft_.Condition("Ready", ready, ready ? "" : "ContainersNotReady");
  }

  void Complete(const std::string& since) {
    int64_t code = 0;
    const std::string_view text = kube::Annotation(pod_, "sim.coppice.dev/exit-code");
    std::from_chars(text.data(), text.data() + text.size(), code);
    draft_.Set("phase", code == 0 ? "Succeeded" : "Failed");
    draft_.Containers("containerStatuses", "containers", false,
                      Terminated(code, since, draft_.now()));
    const std::string_view reason = code == 0 ? "PodCompleted" : "PodFailed";
    draft_.Condition("Initialized", true);
    draft_.Condition("ContainersReady", false, reason);
    draft_.Condition("Ready", false, reason);
    step_.again.reset();
  }

  const Value& pod_;
  Time now_;
  const InitCheck& init_check_;
  StatusDraft draft_;
  PodStep step_;
};

}  // namespace

PodStep AdvancePod(const Value& pod, Time now, const InitCheck& init_check) {
  return Lifecycle(pod, now, init_check).Run();
}

}  // namespace coppice::sim
