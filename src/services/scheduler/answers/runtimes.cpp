#include "services/scheduler/answers/runtimes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "api/kai/expected_runtime.h"
#include "api/view/batch.h"
#include "api/view/core.h"
#include "api/view/kai.h"
#include "kube/object.h"
#include "services/common/names.h"
#include "services/scheduler/read/pods.h"
#include "services/scheduler/read/selectors.h"
#include "services/scheduler/read/shown_as.h"

namespace coppice::services::scheduler {
namespace {

using engine::InputKey;
using engine::Runtime;

constexpr base::Duration kLongest = std::chrono::hours(24 * 3650);
constexpr size_t kFewestOfQueue = 3;
constexpr std::string_view kGeneratedLetters = "bcdfghjklmnpqrstvwxz2456789";
constexpr size_t kGeneratedLength = 5;

// What the objects say about one group.
struct Facts {
  std::string queue, family;
  std::string annotation;
  std::optional<base::Duration> deadline;
  std::optional<base::Time> started, ended;
  int pods = 0;
  int open = 0;    // Pods that have not ended.
  int placed = 0;  // Of those, pods with a node.
};

void Earliest(std::optional<base::Time>& time, std::optional<base::Time> other) {
  if (other && (!time || *other < *time)) time = other;
}

std::optional<base::Duration> ReadDeadline(bool given, int64_t seconds) {
  const base::Duration deadline = std::chrono::seconds(std::clamp<int64_t>(
      seconds, 0, std::chrono::duration_cast<std::chrono::seconds>(kLongest).count()));
  return given && seconds > 0 ? std::optional(deadline) : std::nullopt;
}

std::optional<base::Time> EndOf(view::core::Pod pod) {
  std::optional<base::Time> end;
  for (const view::core::ContainerStatus status : pod.status().containerStatuses()) {
    const auto time = ReadTime(status.state().terminated().finishedAt());
    if (time && (!end || *time > *end)) end = time;
  }
  return end;
}

class Reader {
 public:
  explicit Reader(base::Time now) : now_(now) {}

  KnownRuntimes Read(const RuntimeObjects& objects) {
    for (const json::Value& job : objects.jobs) AddJob(view::batch::Job(job));
    for (const json::Value& group : objects.groups) AddGroup(group);
    for (const json::Value& pod : objects.pods) AddPod(pod);
    for (const auto& [key, facts] : groups_) AddHistory(key, facts);
    for (const auto& [key, facts] : groups_) AddRuntime(key, facts);
    return std::move(out_);
  }

 private:
  void AddJob(view::batch::Job job) {
    const auto deadline =
        ReadDeadline(job.spec().has_activeDeadlineSeconds(), job.spec().activeDeadlineSeconds());
    const std::string ns(job.metadata().namespace_());
    if (deadline) job_deadlines_[{ns, ShownAs("Job", job.metadata().name())}] = *deadline;
  }

  void AddGroup(const json::Value& object) {
    const view::kai::PodGroup group(object);
    const std::string ns(group.metadata().namespace_()), shown = ShownGroup(object);
    Facts& facts = groups_[{ns, std::string(group.metadata().name())}];
    facts.queue = group.spec().queue();
    facts.family = FamilyOf(shown);
    facts.annotation = group.metadata().annotations()[names::kExpectedRuntime];
    const auto job = job_deadlines_.find({ns, shown});
    if (job != job_deadlines_.end()) facts.deadline = job->second;
  }

  void AddPod(const json::Value& object) {
    const view::core::Pod pod(object);
    const auto annotations = pod.metadata().annotations();
    const auto group = groups_.find({std::string(pod.metadata().namespace_()),
                                     std::string(annotations[names::kPodGroupAnnotation])});
    if (group == groups_.end()) return;
    Facts& facts = group->second;
    ++facts.pods;
    if (facts.annotation.empty()) facts.annotation = annotations[names::kExpectedRuntime];
    const auto deadline =
        ReadDeadline(pod.spec().has_activeDeadlineSeconds(), pod.spec().activeDeadlineSeconds());
    if (deadline) facts.deadline = std::min(*deadline, facts.deadline.value_or(*deadline));
    const bool ended = pod.status().phase() == "Succeeded" || pod.status().phase() == "Failed";
    if (!ended) ++facts.open;
    if (!ended && pod.spec().nodeName().empty()) return;
    if (!ended) ++facts.placed;
    Earliest(facts.started, ended ? ReadTime(pod.status().startTime()) : ReadPlacedAt(object));
    const auto end = ended ? EndOf(pod) : std::nullopt;
    if (end && (!facts.ended || *end > *facts.ended)) facts.ended = end;
  }

  void AddHistory(const InputKey& key, const Facts& facts) {
    if (facts.open > 0 || !facts.started || !facts.ended) return;
    const base::Duration took = *facts.ended - *facts.started;
    if (took <= base::Duration::zero() || took > kLongest) return;  // Their clocks disagree.
    by_family_[{key.first, facts.family}].push_back(took);
    by_queue_[{facts.queue, facts.pods}].push_back(took);
  }

  void AddRuntime(const InputKey& key, const Facts& facts) {
    if (facts.open == 0) return;
    Runtime runtime = Estimate(key, facts);
    if (facts.placed > 0) runtime.started = facts.started;
    if (runtime.started && *runtime.started > now_) {
      Report(key, fmt::format("started at {}, which is in the future; it counts as started now",
                              base::FormatRfc3339(*runtime.started)));
      runtime.started = now_;
    }
    if (runtime.source == Runtime::Source::kUnknown) return;
    std::sort(runtime.durations.begin(), runtime.durations.end());
    out_.runtimes[key] = std::move(runtime);
  }

  Runtime Estimate(const InputKey& key, const Facts& facts) {
    const auto expected = ReadExpected(key, facts.annotation);
    if (expected && (!facts.deadline || *expected <= *facts.deadline)) {
      return {Runtime::Source::kAnnotation, {*expected}, {}};
    }
    if (facts.deadline) return {Runtime::Source::kDeadline, {*facts.deadline}, {}};
    const auto family = by_family_.find({key.first, facts.family});
    if (family != by_family_.end()) return {Runtime::Source::kSimilar, family->second, {}};
    const auto queue = by_queue_.find({facts.queue, facts.pods});
    if (queue != by_queue_.end() && queue->second.size() >= kFewestOfQueue) {
      return {Runtime::Source::kSimilar, queue->second, {}};
    }
    return {};
  }

  std::optional<base::Duration> ReadExpected(const InputKey& key, const std::string& text) {
    if (text.empty()) return std::nullopt;
    const auto duration = base::ParseDuration(text);
    const char* wrong = !duration                             ? "is not a duration such as \"90m\""
                        : *duration <= base::Duration::zero() ? "is not positive"
                        : *duration > kLongest                ? "is longer than ten years"
                                                              : nullptr;
    if (wrong == nullptr) return *duration;
    Report(key, fmt::format("annotation {}: \"{}\" {}; it is ignored", names::kExpectedRuntime,
                            text, wrong));
    return std::nullopt;
  }

  void Report(const InputKey& key, std::string message) {
    out_.problems.push_back({"PodGroup", key.first + "/" + key.second, std::move(message)});
  }

  const base::Time now_;
  std::map<InputKey, Facts> groups_;
  std::map<InputKey, base::Duration> job_deadlines_;  // By namespace and "job/NAME".
  std::map<InputKey, std::vector<base::Duration>> by_family_;
  std::map<std::pair<std::string, int>, std::vector<base::Duration>> by_queue_;
  KnownRuntimes out_;
};

}  // namespace

std::string_view FamilyOf(std::string_view shown_as) {
  const size_t dash = shown_as.rfind('-');
  if (dash != shown_as.npos && shown_as.size() - dash - 1 == kGeneratedLength &&
      shown_as.find_first_not_of(kGeneratedLetters, dash + 1) == shown_as.npos) {
    return shown_as.substr(0, dash + 1);
  }
  const size_t last = shown_as.find_last_not_of("0123456789");
  return last == shown_as.npos ? shown_as : shown_as.substr(0, last + 1);
}

KnownRuntimes ReadRuntimes(const RuntimeObjects& objects, base::Time now) {
  return Reader(now).Read(objects);
}

}  // namespace coppice::services::scheduler
