#include "backends/plugin/loader.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstddef>

#include "api/edit/backendfiles.h"
#include "api/view/backendfiles.h"
#include "backends/framework/gang_document.h"
#include "backends/framework/pods.h"
#include "backends/model/fields.h"
#include "backends/plugin/host.h"

namespace coppice::backends::plugin {
namespace {

using json::Value;

// Of an object or of a resource use.
template <typename Owner>
api::Resource ReadResource(Owner resource) {
  return {std::string(resource.group()), std::string(resource.version()),
          std::string(resource.plural()), std::string(resource.kind()), resource.namespaced(true)};
}

Translation ReadTranslation(view::backendfiles::PluginTranslation answer) {
  Translation translation;
  if (const view::backendfiles::PluginRefusal refusal = answer.refusal()) {
    translation.refusal = Refusal{std::string(Or(refusal.reason(), reasons::kCapabilityMissing)),
                                  std::string(refusal.path()), std::string(refusal.message())};
  }
  for (const view::backendfiles::PluginObject item : answer.objects()) {
    DesiredObject desired{.resource = ReadResource(item.resource()), .object = item.object()};
    edit::meta::PartialObjectMetadata(desired.object)
        .set_apiVersion(desired.resource.ApiVersion())
        .set_kind(desired.resource.kind);
    desired.immutable = ReadPaths(item.immutable().Json());
    desired.create_only = ReadPaths(item.createOnly().Json());
    // A cluster-scoped object cannot be owned by a namespaced one.
    desired.owned = desired.resource.namespaced;
    translation.objects.push_back(std::move(desired));
  }
  for (const view::backendfiles::PluginOutcome item : answer.outcomes()) {
    const bool dropped = item.kind() == "Dropped";
    translation.outcomes.push_back(
        {dropped ? Outcome::Kind::kDropped : Outcome::Kind::kApproximated, std::string(item.path()),
         std::string(item.value()), std::string(item.outcome())});
  }
  return translation;
}

class PluginBackend final : public SchedulerBackend {
 public:
  explicit PluginBackend(const coppice_backend_v1& backend)
      : backend_(backend), name_(backend.name) {
    for (const char* const* name = backend.scheduler_names; *name != nullptr; ++name) {
      schedulers_.emplace_back(*name);
    }
  }

  std::string_view name() const override { return name_; }

  bool Matches(std::string_view scheduler_name) const override {
    return std::find(schedulers_.begin(), schedulers_.end(), scheduler_name) != schedulers_.end();
  }

  std::string PodSchedulerName(std::string_view scheduler_name) const override {
    return Matches(scheduler_name) ? std::string(scheduler_name) : schedulers_.front();
  }

  std::string SchedulingGate() const override {
    return backend_.gate == nullptr ? SchedulerBackend::SchedulingGate() : backend_.gate;
  }

  std::vector<ResourceUse> Resources() const override {
    std::vector<ResourceUse> uses;
    const Value answer = Take(backend_.resources(backend_.context));
    for (const auto item : view::List<view::backendfiles::PluginUse>(answer)) {
      ResourceUse use{.resource = ReadResource(item), .write = item.write(true)};
      for (const std::string_view field : item.fields()) use.fields.emplace_back(field);
      uses.push_back(std::move(use));
    }
    return uses;
  }

  Translation Translate(const GangInput& input) const override {
    const Value document = GangDocument(input);
    const Value answer = Take(backend_.translate(backend_.context, ToPlugin(document)));
    Translation translation = ReadTranslation(view::backendfiles::PluginTranslation(answer));
    for (const DesiredObject& desired : translation.objects) {
      if (translation.refusal || input.capabilities->Serves(desired.resource)) continue;
      return Translation::Unserved(desired.resource);
    }
    return translation;
  }

  base::Status MarkPod(const GangInput& input, const PodSlot& slot, Value& pod) const override {
    COPPICE_ASSIGN(const PodGroupInfo* group, FindGroup(input, slot));
    const bool core = group->LastMinimum() > 0 && !IsSurplus(*group, slot.index);
    Value place;
    edit::backendfiles::PodPlace(place).set_group(slot.group).set_index(slot.index).set_core(core);
    const Value document = GangDocument(input);
    const Value answer =
        Take(backend_.mark_pod(backend_.context, ToPlugin(document), ToPlugin(place)));
    const view::backendfiles::PluginMarks marks(answer);
    if (marks.has_error()) {
      const std::string message(marks.error());
      if (marks.retry()) return base::Unavailable(message);
      return base::Error(base::ErrorCode::kInvalid, message);
    }
    for (const auto& [label, value] : marks.labels()) SetLabel(pod, label, value);
    for (const auto& [name, value] : marks.annotations()) SetAnnotation(pod, name, value);
    return {};
  }

  Signals ReadSignals(const GangInput& input, std::span<const Value> objects,
                      std::span<const Value>) const override {
    if (backend_.size < offsetof(coppice_backend_v1, read_signals) + sizeof(void*)) return {};
    if (backend_.read_signals == nullptr) return {};
    const Value document = GangDocument(input);
    const Value list = Value::Array(std::vector<Value>(objects.begin(), objects.end()));
    const Value answer =
        Take(backend_.read_signals(backend_.context, ToPlugin(document), ToPlugin(list)));
    const view::backendfiles::PluginSignals said(answer);
    return {.unschedulable_reason = std::string(said.unschedulableReason()),
            .unschedulable_message = std::string(said.unschedulableMessage()),
            .unhealthy_reason = std::string(said.unhealthyReason()),
            .disruption_reason = std::string(said.disruptionReason()),
            .message = std::string(said.message())};
  }

 private:
  const coppice_backend_v1& backend_;
  const std::string name_;
  std::vector<std::string> schedulers_;
};

base::Error Wrong(const std::string& path, const std::string& message) {
  return base::Error(base::ErrorCode::kInvalid, fmt::format("backend from {}: {}", path, message));
}

bool IsComplete(const coppice_backend_v1& backend) {
  return backend.size >= offsetof(coppice_backend_v1, read_signals) && backend.name != nullptr &&
         backend.scheduler_names != nullptr && backend.scheduler_names[0] != nullptr &&
         backend.resources != nullptr && backend.translate != nullptr &&
         backend.mark_pod != nullptr;
}

}  // namespace

base::Result<std::unique_ptr<SchedulerBackend>> Load(const std::string& path) {
  // Never closed: code of the plugin may be on any thread's stack.
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return Wrong(path, dlerror());
  const auto open =
      reinterpret_cast<coppice_backend_open_v1_function>(dlsym(handle, COPPICE_BACKEND_OPEN_V1));
  if (open == nullptr) {
    return Wrong(path, fmt::format("it does not export {}", COPPICE_BACKEND_OPEN_V1));
  }
  const coppice_backend_v1* backend = open(&Host());
  if (backend == nullptr) return Wrong(path, "it refused this version of the interface");
  if (!IsComplete(*backend)) return Wrong(path, "its description is incomplete");
  return std::unique_ptr<SchedulerBackend>(std::make_unique<PluginBackend>(*backend));
}

}  // namespace coppice::backends::plugin
