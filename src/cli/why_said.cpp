#include "cli/why_said.h"

#include <fmt/format.h>

#include "api/well_known.h"
#include "kube/object.h"
#include "services/names.h"

namespace coppice::cli {
namespace {

using json::Value;

Value Answer(const Value& object, bool runs, std::string reason, std::string message) {
  return Value::Object({{"group", kube::KeyOf(object).ToString()},
                        {"verdict", runs ? "Placeable" : "NotNow"},
                        {"reason", std::move(reason)},
                        {"message", std::move(message)}});
}

std::string_view TimeOf(const Value& event) {
  for (const char* field : {"lastTimestamp", "eventTime"}) {
    if (event[field].IsString()) return event[field].AsString();
  }
  return event["metadata"]["creationTimestamp"].AsString();
}

base::Result<Value> LastWarning(kube::Client& client, const Value& pod) {
  COPPICE_ASSIGN(
      const kube::ObjectList events,
      client.List(api::kEvents, {.ns = std::string(kube::Namespace(pod)),
                                 .field_selector = fmt::format(
                                     "involvedObject.name={},type=Warning", kube::Name(pod))}));
  Value last;
  for (const Value& event : events.items) {
    if (event["involvedObject"]["uid"] != pod["metadata"]["uid"]) continue;
    if (last.IsNull() || TimeOf(event) >= TimeOf(last)) last = event;
  }
  return last;
}

// The PodGroup that the pod names and that nobody has made; empty when there is none such.
base::Result<std::string> MissingGroup(kube::Client& client, const Value& pod) {
  const std::string name(kube::Annotation(pod, services::names::kPodGroupAnnotation));
  if (name.empty()) return name;
  const auto group = client.Get(api::kPodGroups, {std::string(kube::Namespace(pod)), name});
  if (group) return std::string();
  if (!group.Is(base::ErrorCode::kNotFound)) return group.error();
  return name;
}

}  // namespace

Value WhatTheGangSays(const Value& gang) {
  const Value& synced = kube::Condition(gang, "BackendSynced");
  const Value& scheduled = kube::Condition(gang, "Scheduled");
  // Its backend is disabled, or runs in a process of its own that is down.
  if (synced.IsNull() && scheduled.IsNull()) {
    return Answer(gang, false, "WaitingForBackend",
                  fmt::format("the backend {} has not taken it up: is it enabled, does it run?",
                              kube::Label(gang, "grove.io/scheduler-backend")));
  }
  const bool handed_over = synced["status"].AsString() != "False";
  const Value& said = handed_over ? scheduled : synced;
  const bool runs = handed_over && scheduled["status"].AsString() == "True";
  std::string message = said["message"].ToString();
  if (message.empty()) {
    message =
        fmt::format("the backend {} {}", kube::Label(gang, "grove.io/scheduler-backend"),
                    runs ? "has placed it" : "leaves it to its scheduler, which has not said");
  }
  return Answer(gang, runs, said["reason"].ToString("Unknown"), std::move(message));
}

Value WhatTheGroupSays(const Value& group) {
  const Value& conditions = group["status"]["schedulingConditions"];
  if (!conditions.empty()) {
    const Value& last = conditions.At(conditions.size() - 1);
    return Answer(group, false, last["reason"].ToString("Unschedulable"),
                  last["message"].ToString());
  }
  if (group["status"]["phase"].AsString() == "Running") {
    return Answer(group, true, "Scheduled", "nothing waits");
  }
  return Answer(group, false, "Unknown", "its scheduler has not said anything about it");
}

base::Result<Value> WhatThePodSays(kube::Client& client, const Value& pod) {
  if (const std::string_view node = pod["spec"]["nodeName"].AsString(); !node.empty()) {
    return Answer(pod, true, "Scheduled", fmt::format("it is on {}", node));
  }
  COPPICE_ASSIGN(const std::string missing, MissingGroup(client, pod));
  if (!missing.empty()) {
    return Answer(pod, false, "PodGroupNotFound",
                  fmt::format("its PodGroup \"{}\" is not there", missing));
  }
  const Value& scheduled = kube::Condition(pod, "PodScheduled");
  if (!scheduled["message"].AsString().empty()) {
    return Answer(pod, false, scheduled["reason"].ToString(), scheduled["message"].ToString());
  }
  COPPICE_ASSIGN(const Value warning, LastWarning(client, pod));
  if (!warning.IsNull()) {
    return Answer(pod, false, warning["reason"].ToString(), warning["message"].ToString());
  }
  return Answer(pod, false, "Unknown",
                fmt::format("its scheduler, {}, has not said anything about it",
                            pod["spec"]["schedulerName"].ToString("default-scheduler")));
}

}  // namespace coppice::cli
