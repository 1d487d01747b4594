#include "services/scaleadjuster/controller.h"

#include "api/edit/core.h"
#include "api/view/core.h"
#include "api/well_known.h"
#include "base/log.h"
#include "kube/object.h"

namespace coppice::services::scaleadjuster {
namespace {

// Everything is reconciled together, so there is one key.
const api::ObjectKey kAdjust{"", "adjust"};

json::Value UnschedulableStatus(base::Time now) {
  json::Value patch = json::Value::Object();
  edit::core::Pod(patch)
      .status()
      .add_conditions()
      .set_type("PodScheduled")
      .set_status("False")
      .set_reason("Unschedulable")
      .set_lastTransitionTime(base::FormatRfc3339(now));
  return patch;
}

class Adjuster final : public kube::Reconciler {
 public:
  Adjuster(kube::Runtime runtime, Options options)
      : runtime_(runtime),
        options_(std::move(options)),
        pods_(runtime.cache.InformerFor(api::kPods)) {}

  base::Result<kube::Requeue> Reconcile(const api::ObjectKey&) override {
    base::Status removed;
    const std::vector<json::Value> scaling_pods = RemoveUnneeded(removed);
    if (IsCoolingDown()) {
      return kube::Requeue::After(std::chrono::seconds(options_.cool_down_seconds));
    }
    for (const json::Value& source : PodsToScaleFor(options_, Candidates(), scaling_pods)) {
      Create(source);
    }
    COPPICE_TRY(removed);
    return kube::Requeue::Done();
  }

 private:
  std::vector<json::Value> Candidates() const {
    std::vector<json::Value> candidates;
    for (const json::Value& pod : pods_.List()) {
      if (IsCandidate(options_, pod)) candidates.push_back(pod);
    }
    return candidates;
  }

  json::Value SourceOf(const json::Value& scaling_pod) const {
    return pods_
        .Get({std::string(kube::Label(scaling_pod, kSourceNamespace)),
              std::string(kube::Label(scaling_pod, kSourceName))})
        .value_or(json::Value());
  }

  // Returns those that stay; `first` is what went wrong with one of the others.
  std::vector<json::Value> RemoveUnneeded(base::Status& first) {
    std::vector<json::Value> needed;
    for (const json::Value& pod : pods_.List(options_.ns)) {
      if (kube::IsDeleting(pod)) continue;
      if (IsStillNeeded(pod, SourceOf(pod))) {
        needed.push_back(pod);
        continue;
      }
      const base::Status deleted = runtime_.client.Delete(api::kPods, kube::KeyOf(pod),
                                                          {.uid = std::string(kube::Uid(pod))});
      if (!deleted && !deleted.Is(base::ErrorCode::kNotFound)) {
        first = deleted;
        continue;
      }
      last_scale_up_ = runtime_.executor.Elapsed();
    }
    return needed;
  }

  // A node that has just come is given time to take the pods it came for.
  bool IsCoolingDown() const {
    return last_scale_up_ && runtime_.executor.Elapsed() - *last_scale_up_ <
                                 std::chrono::seconds(options_.cool_down_seconds);
  }

  void Create(const json::Value& source) {
    const auto created = runtime_.client.Create(api::kPods, MakeScalingPod(options_, source));
    if (created.Is(base::ErrorCode::kAlreadyExists)) return;
    if (!created) {
      base::LogWarn("a scaling pod could not be created", {{"for", kube::KeyOf(source).ToString()},
                                                           {"error", created.error().message()}});
      return;
    }
    // The binder checks this condition, and should not have to wait for the default scheduler.
    const auto patched = runtime_.client.Patch(
        api::kPods, kube::KeyOf(*created), kube::PatchType::kStrategic,
        UnschedulableStatus(runtime_.executor.Now()), {.subresource = "status"});
    if (!patched) {
      base::LogWarn(
          "a scaling pod's status could not be written",
          {{"for", kube::KeyOf(source).ToString()}, {"error", patched.error().message()}});
    }
  }

  kube::Runtime runtime_;
  const Options options_;
  kube::Informer& pods_;
  std::optional<base::Instant> last_scale_up_;
};

}  // namespace

void AddToManager(kube::Manager& manager, Options options) {
  kube::ControllerSpec spec{.name = std::string(kControllerName), .workers = 1};
  const std::string scheduler = options.scheduler_name;
  const std::string ns = options.ns;
  spec.Watches(api::kPods, [=](const json::Value& pod) -> std::vector<api::ObjectKey> {
    const bool ours = view::core::Pod(pod).spec().schedulerName() == scheduler;
    if (!ours && kube::Namespace(pod) != ns) return {};
    return {kAdjust};
  });
  manager.AddController(std::move(spec),
                        std::make_unique<Adjuster>(manager.runtime(), std::move(options)));
}

}  // namespace coppice::services::scaleadjuster
