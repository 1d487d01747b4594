#include "backends/framework/selection.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/view/grove.h"
#include "backends/model/labels.h"
#include "kube/object.h"

namespace coppice::backends {
namespace {

using json::Value;

base::Error InvalidSet(const std::string& path, const std::string& message) {
  return base::Error(base::ErrorCode::kInvalid, path + ": " + message)
      .WithCause({"FieldValueInvalid", path, message});
}

Selection Chosen(const BackendInstance& instance, std::string_view scheduler_name) {
  return {instance.backend, instance.profile,
          SchedulerNameFor(*instance.backend, instance.profile, scheduler_name)};
}

base::Result<Selection> ByOverride(const BackendSet& backends, std::string_view id,
                                   const std::string& path, std::string_view scheduler_name) {
  const BackendInstance* instance = backends.ByName(id);
  if (instance == nullptr) {
    std::vector<std::string_view> known;
    for (const BackendInstance& enabled : backends.instances()) {
      known.push_back(enabled.backend->name());
    }
    return InvalidSet(path,
                      fmt::format("no enabled scheduler backend is called \"{}\"; enabled: {}", id,
                                  fmt::join(known, ", ")));
  }
  const bool same = Serves(*instance->backend, instance->profile, scheduler_name);
  return Chosen(*instance, same ? scheduler_name : "");
}

// The scheduler of cliques that name none: that of the set's existing gangs, else the default.
std::string UnnamedScheduler(const BackendSet& backends, std::string_view present) {
  if (!present.empty()) return std::string(present);
  const BackendInstance* instance = backends.Default();
  if (instance == nullptr || backends.config().policy->UnnamedSchedulerIsProfileName()) {
    return backends.config().default_profile;
  }
  return Chosen(*instance, "").scheduler_name;
}

constexpr std::string_view kSelections = "coppice_backend_selections_total";
constexpr std::string_view kLookups = "coppice_backend_selection_lookups_total";

}  // namespace

base::Result<std::string> SchedulerNameOf(const Value& set, std::string_view default_name) {
  std::vector<std::string> names;
  for (const auto clique : view::grove::PodCliqueSet(set).spec().template_().cliques()) {
    std::string name(clique.spec().podSpec().schedulerName());
    if (name.empty()) name = default_name;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  if (names.size() > 1) {
    return InvalidSet(
        "spec.template.cliques.spec.podSpec.schedulerName",
        fmt::format("Invalid value: \"{}\": the schedulerName for all pods have to be "
                    "the same",
                    fmt::join(names, ", ")));
  }
  return names.empty() ? std::string(default_name) : names.front();
}

base::Result<Selection> SelectForSet(const BackendSet& backends, const Value& set,
                                     std::string_view present) {
  COPPICE_ASSIGN(const std::string scheduler_name,
                 SchedulerNameOf(set, UnnamedScheduler(backends, present)));
  const std::string_view override_id = kube::Annotation(set, labels::kBackend);
  if (!override_id.empty() && backends.config().policy->HonorsBackendAnnotation()) {
    return ByOverride(backends, override_id,
                      fmt::format("metadata.annotations[{}]", labels::kBackend), scheduler_name);
  }
  const auto instance = backends.ByScheduler(scheduler_name);
  if (!instance) {
    return InvalidSet("spec.template.cliques.spec.podSpec.schedulerName",
                      instance.error().message());
  }
  return Chosen(**instance, scheduler_name);
}

base::Result<Selection> SelectForGang(const BackendSet& backends, const Value& gang,
                                      std::string_view pod_scheduler_name) {
  const std::string_view id = kube::Label(gang, labels::kBackend);
  std::string_view scheduler_name = kube::Label(gang, labels::kSchedulerName);
  if (scheduler_name.empty()) scheduler_name = pod_scheduler_name;
  if (!id.empty()) {
    return ByOverride(backends, id, fmt::format("metadata.labels[{}]", labels::kBackend),
                      scheduler_name);
  }
  COPPICE_ASSIGN(const BackendInstance* instance, backends.ByScheduler(scheduler_name));
  return Chosen(*instance, scheduler_name);
}

SelectionCache::SelectionCache(kube::Metrics& metrics, size_t limit)
    : metrics_(metrics), limit_(limit) {
  metrics_.Describe(std::string(kSelections), "Backends selected for PodCliqueSets, by backend.");
  metrics_.Describe(std::string(kLookups), "Selections asked for, by whether the cache knew.");
}

base::Result<Selection> SelectionCache::Select(const std::shared_ptr<const BackendSet>& backends,
                                               const Value& set, const Present& present) {
  const std::string uid(kube::Uid(set));
  const std::string annotation(kube::Annotation(set, labels::kBackend));
  const std::lock_guard lock(mutex_);
  if (backends_ != backends || by_uid_.size() >= limit_) {
    by_uid_.clear();
    backends_ = backends;
  }
  if (const auto found = by_uid_.find(uid); found != by_uid_.end() && !uid.empty()) {
    const Entry& entry = found->second;
    if (entry.generation == kube::Generation(set) && entry.override_annotation == annotation) {
      metrics_.Increment(std::string(kLookups), {{"result", "hit"}});
      return entry.selection;
    }
  }
  metrics_.Increment(std::string(kLookups), {{"result", "miss"}});
  auto selection = SelectForSet(*backends, set, present());
  const std::string name = selection ? std::string(selection->backend->name()) : "none";
  metrics_.Increment(std::string(kSelections), {{"backend", name}});
  if (selection && !uid.empty()) {
    by_uid_.insert_or_assign(uid, Entry{kube::Generation(set), annotation, *selection});
  }
  return selection;
}

}  // namespace coppice::backends
