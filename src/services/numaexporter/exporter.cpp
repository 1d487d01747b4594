#include "services/numaexporter/exporter.h"

#include <set>

#include "api/edit/core.h"
#include "api/well_known.h"
#include "base/log.h"
#include "kube/object.h"
#include "services/common/names.h"
#include "services/numaexporter/cpu_map.h"
#include "services/numaexporter/kubelet.h"
#include "services/numaexporter/placement.h"

namespace coppice::services::numaexporter {
namespace {

constexpr const char* kControllerName = "numa-placement-exporter";
constexpr base::Duration kCallTimeout = std::chrono::seconds(10);
const api::ObjectKey kPass{"", "pass"};

// Both passes on one key, so that they never run at once.
class PassReconciler final : public kube::Reconciler {
 public:
  PassReconciler(kube::Executor& executor, Options options, Exporter exporter)
      : executor_(executor), options_(std::move(options)), exporter_(std::move(exporter)) {}

  base::Result<kube::Requeue> Reconcile(const api::ObjectKey&) override {
    Report(exporter_.Poll(), "asking the kubelet");
    const base::Instant now = executor_.Elapsed();
    const bool repairs = options_.drift_resync_interval > base::Duration::zero();
    if (repairs && (!repaired_ || now - *repaired_ >= options_.drift_resync_interval)) {
      Report(exporter_.RepairDrift(), "comparing with the API");
      repaired_ = now;
    }
    return kube::Requeue::After(options_.poll_interval);
  }

 private:
  static void Report(const base::Status& status, std::string_view doing) {
    if (!status) base::LogWarn(doing, {{"error", status.error().message()}});
  }

  kube::Executor& executor_;
  const Options options_;
  Exporter exporter_;
  std::optional<base::Instant> repaired_;
};

}  // namespace

Exporter::Exporter(kube::Client& client, Options options, std::map<int, int> node_of_cpu,
                   ListPods list)
    : client_(client),
      options_(std::move(options)),
      node_of_cpu_(std::move(node_of_cpu)),
      list_(std::move(list)) {}

base::Status Exporter::Poll() {
  COPPICE_ASSIGN(const std::vector<PodResources> pods, list_());
  std::set<api::ObjectKey> listed;
  base::Status first;  // One pod's failure does not affect the others.
  for (const PodResources& pod : pods) {
    const api::ObjectKey key{pod.ns, pod.name};
    listed.insert(key);
    const std::string value = PlacementAnnotation(pod, node_of_cpu_);
    const auto written = written_.find(key);
    if (value.empty() || (written != written_.end() && written->second == value)) continue;
    if (const base::Status written_now = Write(key, value); first) first = written_now;
  }
  std::erase_if(written_, [&](const auto& entry) { return !listed.contains(entry.first); });
  return first;
}

base::Status Exporter::RepairDrift() {
  COPPICE_ASSIGN(
      const kube::ObjectList pods,
      client_.List(api::kPods, {.field_selector = "spec.nodeName=" + options_.node_name}));
  base::Status first;
  for (const json::Value& pod : pods.items) {
    const auto written = written_.find(kube::KeyOf(pod));
    if (written == written_.end()) continue;
    const std::string value = written->second;
    if (kube::Annotation(pod, names::kNumaObserved) == value) continue;
    if (const base::Status repaired = Write(kube::KeyOf(pod), value); first) first = repaired;
  }
  return first;
}

base::Status Exporter::Write(const api::ObjectKey& pod, const std::string& value) {
  json::Value patch = json::Value::Object();
  edit::core::Pod(patch).metadata().annotations().Set(names::kNumaObserved, value);
  const auto patched = client_.Patch(api::kPods, pod, kube::PatchType::kMerge, patch);
  if (patched.Is(base::ErrorCode::kNotFound)) return {};
  COPPICE_TRY(patched);
  written_[pod] = value;
  return {};
}

base::Status AddToManager(kube::Manager& manager, Options options) {
  if (options.node_name.empty()) return base::InvalidArgument("the node's name is not given");
  COPPICE_ASSIGN(auto node_of_cpu, ReadCpuMap(options.sysfs_root));
  const ListPods list = [socket = options.socket] {
    return ListPodResources(socket, kCallTimeout);
  };
  Exporter exporter(manager.runtime().client, options, std::move(node_of_cpu), list);
  manager.AddController(
      kube::ControllerSpec{.name = kControllerName, .workers = 1},
      std::make_unique<PassReconciler>(manager.runtime().executor, options, std::move(exporter)));
  manager.OnStart([&manager] { manager.Enqueue(kControllerName, kPass); });
  return {};
}

}  // namespace coppice::services::numaexporter
