#include "server/printers/pod_printer.h"

#include <fmt/format.h>

#include "kube/object.h"
#include "server/printers/printers.h"
#include "server/printers/table.h"

namespace coppice::server {
namespace {

struct Summary {
  std::string reason;
  int64_t restarts = 0;
  int64_t ready = 0;
  std::string last_restart;
};

void NoteRestart(const json::Value& status, Summary& summary) {
  summary.restarts += status["restartCount"].AsInt();
  const std::string finished = status["lastState"]["terminated"]["finishedAt"].ToString();
  if (finished > summary.last_restart) summary.last_restart = finished;
}

std::string TerminatedReason(const json::Value& terminated) {
  const std::string reason = terminated["reason"].ToString();
  if (!reason.empty()) return reason;
  if (terminated["signal"].AsInt() != 0)
    return fmt::format("Signal:{}", terminated["signal"].AsInt());
  return fmt::format("ExitCode:{}", terminated["exitCode"].AsInt());
}

bool IsRestartableInit(const json::Value& pod, std::string_view name) {
  for (const json::Value& container : pod["spec"]["initContainers"].Items()) {
    if (container["name"].AsString() == name)
      return container["restartPolicy"].AsString() == "Always";
  }
  return false;
}

// True while an init container holds the pod back.
bool SummarizeInit(const json::Value& pod, Summary& summary) {
  const json::Value& statuses = pod["status"]["initContainerStatuses"];
  for (size_t i = 0; i < statuses.size(); ++i) {
    const json::Value& status = statuses.At(i);
    NoteRestart(status, summary);
    const json::Value& state = status["state"];
    if (state.Has("terminated") && state["terminated"]["exitCode"].AsInt() == 0) continue;
    if (IsRestartableInit(pod, status["name"].AsString()) && status["started"].AsBool()) {
      if (status["ready"].AsBool()) ++summary.ready;
      continue;
    }
    if (state.Has("terminated")) {
      summary.reason = "Init:" + TerminatedReason(state["terminated"]);
    } else if (const std::string waiting = state["waiting"]["reason"].ToString();
               !waiting.empty() && waiting != "PodInitializing") {
      summary.reason = "Init:" + waiting;
    } else {
      summary.reason = fmt::format("Init:{}/{}", i, pod["spec"]["initContainers"].size());
    }
    return true;
  }
  return false;
}

void SummarizeContainers(const json::Value& pod, Summary& summary) {
  bool running = false;
  const json::Value& statuses = pod["status"]["containerStatuses"];
  for (size_t i = statuses.size(); i-- > 0;) {
    const json::Value& status = statuses.At(i);
    NoteRestart(status, summary);
    const json::Value& state = status["state"];
    if (!state["waiting"]["reason"].AsString().empty()) {
      summary.reason = state["waiting"]["reason"].ToString();
    } else if (state.Has("terminated")) {
      summary.reason = TerminatedReason(state["terminated"]);
    } else if (status["ready"].AsBool() && state.Has("running")) {
      running = true;
      ++summary.ready;
    }
  }
  if (summary.reason != "Completed" || !running) return;
  summary.reason = kube::ConditionIs(pod, "Ready", "True") ? "Running" : "NotReady";
}

Summary Summarize(const json::Value& pod) {
  Summary summary;
  summary.reason = pod["status"]["reason"].ToString(pod["status"]["phase"].AsString());
  if (summary.reason.empty()) summary.reason = pod["status"]["phase"].ToString();
  const json::Value& scheduled = kube::Condition(pod, "PodScheduled");
  if (scheduled["reason"].AsString() == "SchedulingGated") summary.reason = "SchedulingGated";
  if (!SummarizeInit(pod, summary)) SummarizeContainers(pod, summary);
  if (kube::IsDeleting(pod)) {
    summary.reason = pod["status"]["reason"].AsString() == "NodeLost" ? "Unknown" : "Terminating";
  }
  return summary;
}

std::string ReadinessGates(const json::Value& pod) {
  const json::Value& gates = pod["spec"]["readinessGates"];
  if (gates.empty()) return "<none>";
  int64_t met = 0;
  for (const json::Value& gate : gates.Items()) {
    if (kube::ConditionIs(pod, gate["conditionType"].AsString(), "True")) ++met;
  }
  return fmt::format("{}/{}", met, gates.size());
}

std::string TextOrNone(const json::Value& value) {
  return value.AsString().empty() ? "<none>" : value.ToString();
}

}  // namespace

std::vector<json::Value> PodCells(const json::Value& pod, base::Time now) {
  const Summary summary = Summarize(pod);
  size_t containers = pod["spec"]["containers"].size();
  for (const json::Value& init : pod["spec"]["initContainers"].Items()) {
    if (init["restartPolicy"].AsString() == "Always") ++containers;
  }
  std::string restarts = std::to_string(summary.restarts);
  if (summary.restarts > 0 && !summary.last_restart.empty()) {
    restarts += fmt::format(" ({} ago)", AgeOf(summary.last_restart, now));
  }
  return {pod["metadata"]["name"],
          fmt::format("{}/{}", summary.ready, containers),
          summary.reason,
          restarts,
          AgeOf(pod["metadata"]["creationTimestamp"], now),
          TextOrNone(pod["status"]["podIP"]),
          TextOrNone(pod["spec"]["nodeName"]),
          TextOrNone(pod["status"]["nominatedNodeName"]),
          ReadinessGates(pod)};
}

}  // namespace coppice::server
