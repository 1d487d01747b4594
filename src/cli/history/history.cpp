#include "cli/history/history.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/conditions.h"
#include "api/edit/answers.h"
#include "api/view/answers.h"
#include "api/view/core.h"
#include "api/well_known.h"
#include "cli/common/fail.h"
#include "cli/common/find_object.h"
#include "cli/common/resource_words.h"
#include "cli/history/related.h"
#include "cli/text/age.h"
#include "kube/object.h"
#include "services/scheduler/read/shown_as.h"

namespace coppice::cli {
namespace {

using json::Value;
namespace answers = view::answers;
using services::scheduler::ShownAs;

// Annotations of our scheduler's events about evictions.
constexpr std::string_view kByAction = "evictor-action-type";
constexpr std::string_view kByGroup = "evictor-pod-group-name";
constexpr std::string_view kByNamespace = "evictor-pod-group-namespace";

class HistoryReader {
 public:
  HistoryReader(kube::Client& client, std::string ns) : client_(client), ns_(std::move(ns)) {}

  base::Result<Value> Read(const std::string& target) {
    COPPICE_ASSIGN(const FoundObject found, FindObject(client_, ns_, target));
    COPPICE_ASSIGN(const RelatedObjects related, FindRelated(client_, found));
    for (const Value& object : related.objects) AddObject(object);
    COPPICE_TRY(AddEvents(related));
    std::stable_sort(entries_.begin(), entries_.end(), [](const Value& a, const Value& b) {
      return answers::HistoryEntry(a).time() < answers::HistoryEntry(b).time();
    });
    Value out = Value::Array();
    for (Value& entry : entries_) out.Append(std::move(entry));
    return out;
  }

 private:
  edit::answers::HistoryEntry Add(const Value& object, std::string_view time,
                                  std::string_view source) {
    entries_.emplace_back();
    return edit::answers::HistoryEntry(entries_.back())
        .set_time(time)
        .set_object(ShownAs(object))
        .set_source(source);
  }

  void AddObject(const Value& object) {
    Add(object, kube::Metadata(object).creationTimestamp(), "object")
        .set_reason("Created")
        .set_message("created");
    if (kube::IsDeleting(object)) {
      Add(object, kube::Metadata(object).deletionTimestamp(), "object")
          .set_reason("Deleting")
          .set_message("is being deleted");
    }
    if (kube::Kind(object) == "Pod") return AddPod(object);
    for (const view::meta::Condition condition : view::any::Object(object).status().conditions()) {
      AddCondition(object, condition);
    }
  }

  void AddCondition(const Value& object, view::meta::Condition condition) {
    // Most conditions that are False say that something bad is not so.
    const bool good = condition.type() == "Ready" || condition.type().ends_with("Scheduled") ||
                      condition.type() == "BackendSynced";
    const bool news = condition.status() == "True" || good;
    if (condition.lastTransitionTime().empty() || !news) return;
    Add(object, condition.lastTransitionTime(), "condition")
        .set_reason(condition.reason())
        .set_message(fmt::format("{} is {}{}{}", condition.type(), condition.status(),
                                 condition.message().empty() ? "" : ": ", condition.message()));
  }

  // When it was placed and became Ready, and which containers ended.
  void AddPod(const Value& object) {
    const view::core::Pod pod(object);
    const auto when = [&](std::string_view type) {
      const view::core::PodCondition condition(kube::Condition(object, type));
      return condition.status() == "True" ? condition.lastTransitionTime() : std::string_view();
    };
    if (const auto time = when(api::conditions::kPodScheduled); !time.empty()) {
      Add(object, time, "condition")
          .set_reason("Placed")
          .set_message(fmt::format("placed on {}", pod.spec().nodeName()));
    }
    if (const auto time = when(api::conditions::kPodReady); !time.empty()) {
      Add(object, time, "condition").set_reason("Ready").set_message("is Ready");
    }
    if (const auto time = when(api::conditions::kPodDisruptionTarget); !time.empty()) {
      const view::core::PodCondition why(
          kube::Condition(object, api::conditions::kPodDisruptionTarget));
      Add(object, time, "condition")
          .set_reason(why.reason())
          .set_message(why.message())
          .set_warning(true);
    }
    for (const auto container : pod.status().containerStatuses()) AddRestarts(object, container);
  }

  void AddRestarts(const Value& pod, view::core::ContainerStatus container) {
    for (const auto ended : {container.lastState().terminated(), container.state().terminated()}) {
      if (!ended || ended.finishedAt().empty()) continue;
      const bool bad = ended.exitCode() != 0;
      Add(pod, ended.finishedAt(), "status")
          .set_reason(ended.reason(bad ? "Error" : "Completed"))
          .set_message(fmt::format("container {} ended with exit code {} ({} restarts so far)",
                                   container.name(), ended.exitCode(), container.restartCount()))
          .set_warning(bad);
    }
  }

  base::Status AddEvents(const RelatedObjects& related) {
    const auto events = client_.List(api::kEvents, {.ns = ns_});
    if (!events) return events.error().During("listing events");
    for (const Value& object : events->items) {
      const view::core::Event event(object);
      const view::core::ObjectReference about = event.involvedObject();
      if (!related.Contains(about.uid(), about.kind(), about.name())) continue;
      AddEvent(event);
    }
    return {};
  }

  void AddEvent(view::core::Event event) {
    const view::core::ObjectReference about = event.involvedObject();
    std::string_view time = event.lastTimestamp();
    if (time.empty()) time = event.eventTime();
    if (time.empty()) time = event.metadata().creationTimestamp();
    entries_.emplace_back();
    const edit::answers::HistoryEntry entry(entries_.back());
    entry.set_time(time)
        .set_object(ShownAs(about.kind(), about.name()))
        .set_source("event")
        .set_reason(event.reason())
        .set_message(event.message())
        .set_count(event.count(1))
        .set_warning(event.type() == "Warning");
    if (const std::string by = EvictedBy(event); !by.empty()) entry.set_by(by);
  }

  // "reclaim for team-b/pg-train".
  static std::string EvictedBy(view::core::Event event) {
    const auto annotations = event.metadata().annotations();
    const std::string_view action = annotations[kByAction], group = annotations[kByGroup];
    if (group.empty()) return std::string(action);
    return fmt::format("{} for {}/{}", action, annotations[kByNamespace], group);
  }

  kube::Client& client_;
  const std::string ns_;
  std::vector<Value> entries_;
};

}  // namespace

base::Result<Value> ReadHistory(kube::Client& client, const std::string& ns,
                                const std::string& target) {
  return HistoryReader(client, ns).Read(target);
}

std::string FormatHistory(const Value& history, const TextOptions& options) {
  std::vector<std::vector<std::string>> rows = {{"WHEN", "OBJECT", "REASON", "WHAT"}};
  for (const Value& each : history.Items()) {
    const answers::HistoryEntry entry(each);
    std::string message(entry.message());
    if (entry.count() > 1) message += fmt::format(" (×{})", entry.count());
    if (!entry.by().empty()) message = fmt::format("{}: {}", entry.by(), message);
    const std::string when = options.wide ? std::string(entry.time())
                                          : fmt::format("{} ago", AgeOf(entry.time(), options.now));
    rows.push_back(
        {when, std::string(entry.object()),
         Paint(options.terminal, entry.warning() ? Colour::kBad : Colour::kNone, entry.reason()),
         std::move(message)});
  }
  return AlignColumns(rows, options.Width());
}

int RunHistory(const HistoryOptions& options) {
  const auto target = JoinTarget(options.target);
  if (!target) return Fail(target.error());
  Shown shown;
  shown.read = [&](kube::Client& client, kube::Executor&, const std::string& ns) {
    return ReadHistory(client, ns, *target);
  };
  shown.text = FormatHistory;
  return ShowView(options.view, shown);
}

}  // namespace coppice::cli
