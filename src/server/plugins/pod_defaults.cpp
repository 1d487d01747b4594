#include <fmt/format.h>

#include <algorithm>

#include "api/well_known.h"
#include "kube/object.h"
#include "server/errors.h"
#include "server/plugins/plugins.h"

namespace coppice::server {
namespace {

constexpr std::string_view kPriorityClasses = "scheduling.k8s.io/priorityclasses";
constexpr int64_t kOutageSeconds = 300;

store::VersionPtr GlobalDefault(const store::Store& store) {
  const auto classes = store.List(kPriorityClasses, {});
  store::VersionPtr best;
  if (!classes) return best;
  for (const store::VersionPtr& each : classes->items) {
    if (!each->value()["globalDefault"].AsBool()) continue;
    if (!best || each->value()["value"].AsInt() < best->value()["value"].AsInt()) best = each;
  }
  return best;
}

base::Status SetPriority(const store::Store& store, json::Value& pod) {
  json::Value& spec = pod.Mutable("spec");
  const std::string name = spec["priorityClassName"].ToString();
  store::VersionPtr found;
  if (name.empty()) {
    found = GlobalDefault(store);
    if (found) spec.Set("priorityClassName", found->name());
  } else {
    found = store.Get(kPriorityClasses, name);
    if (!found) {
      return Forbidden(api::kPods, kube::Name(pod),
                       fmt::format("no PriorityClass with name {} was found", name));
    }
  }
  const int64_t priority = found ? found->value()["value"].AsInt() : 0;
  if (spec.Has("priority") && spec["priority"].AsInt() != priority) {
    return Forbidden(api::kPods, kube::Name(pod),
                     fmt::format("the integer value of priority ({}) must not be provided in pod "
                                 "spec; priority admission controller computed {} from the given "
                                 "PriorityClass name",
                                 spec["priority"].AsInt(), priority));
  }
  spec.Set("priority", priority);
  spec.SetDefault("preemptionPolicy",
                  found ? found->value()["preemptionPolicy"].ToString("PreemptLowerPriority")
                        : std::string("PreemptLowerPriority"));
  return {};
}

base::Status SetRuntimeClass(const store::Store& store, json::Value& pod) {
  json::Value& spec = pod.Mutable("spec");
  const std::string name = spec["runtimeClassName"].ToString();
  if (name.empty()) return {};
  const store::VersionPtr found = store.Get("node.k8s.io/runtimeclasses", name);
  if (!found) {
    return Forbidden(api::kPods, kube::Name(pod),
                     fmt::format("pod rejected: RuntimeClass \"{}\" not found", name));
  }
  const json::Value& overhead = found->value()["overhead"]["podFixed"];
  if (overhead.IsObject()) spec.Set("overhead", overhead);
  for (const json::Member& label : found->value()["scheduling"]["nodeSelector"].Members()) {
    spec.Mutable("nodeSelector").Set(label.name(), label.value);
  }
  for (const json::Value& toleration : found->value()["scheduling"]["tolerations"].Items()) {
    const auto own = spec["tolerations"].Items();
    const bool known = std::find(own.begin(), own.end(), toleration) != own.end();
    if (!known) spec.Mutable("tolerations").Append(toleration);
  }
  return {};
}

bool Tolerates(const json::Value& spec, std::string_view key) {
  for (const json::Value& toleration : spec["tolerations"].Items()) {
    const std::string_view own = toleration["key"].AsString();
    const std::string_view effect = toleration["effect"].AsString();
    if ((own.empty() || own == key) && (effect.empty() || effect == "NoExecute")) return true;
  }
  return false;
}

void AddOutageTolerations(json::Value& pod) {
  json::Value& spec = pod.Mutable("spec");
  for (const char* key : {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
    if (Tolerates(spec, key)) continue;
    spec.Mutable("tolerations")
        .Append(json::Value::Object({{"key", key},
                                     {"operator", "Exists"},
                                     {"effect", "NoExecute"},
                                     {"tolerationSeconds", kOutageSeconds}}));
  }
}

class Plugin final : public AdmissionPlugin {
 public:
  explicit Plugin(Core& core) : store_(core.store()) {}

  const std::string& name() const override { return name_; }
  bool Handles(const AdmissionRequest& request) const override {
    return request.operation == Operation::kCreate && request.subresource.empty() &&
           request.resource == api::kPods;
  }
  base::Status Mutate(const AdmissionRequest&, json::Value& pod) override {
    COPPICE_TRY(SetPriority(store_, pod));
    AddOutageTolerations(pod);
    return SetRuntimeClass(store_, pod);
  }

 private:
  const std::string name_ = "PodDefaults";
  const store::Store& store_;
};

}  // namespace

std::shared_ptr<AdmissionPlugin> PodDefaults(Core& core) { return std::make_shared<Plugin>(core); }

}  // namespace coppice::server
