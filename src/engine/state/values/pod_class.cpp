#include "engine/state/values/pod_class.h"

#include <algorithm>

#include "engine/state/values/shape_text.h"

namespace coppice::engine {
namespace {

constexpr size_t kRecent = 1024;

std::string LabelOf(const PodShape& shape, const char* key) {
  auto found = shape.labels.find(key);
  return found == shape.labels.end() ? "" : found->second;
}

void DropNegative(Amounts& amounts) {
  for (auto& amount : amounts) amount = std::max<int64_t>(amount, 0);
}

bool AsksForLessThanNothing(const PodShape& shape) {
  return std::any_of(shape.containers.begin(), shape.containers.end(), [](const auto& container) {
    return std::any_of(container.requests.begin(), container.requests.end(),
                       [](const auto& request) { return request.second.Sign() < 0; });
  });
}

bool HasMigAnnotation(const PodShape& shape) {
  auto at = shape.annotations.lower_bound("nvidia.com/mig-");
  return at != shape.annotations.end() && at->first.starts_with("nvidia.com/mig-");
}

bool AsksForMig(const PodShape& shape) {
  for (const auto& container : shape.containers) {
    auto at = container.requests.lower_bound("nvidia.com/mig-");
    if (at != container.requests.end() && at->first.starts_with("nvidia.com/mig-")) return true;
  }
  return false;
}

}  // namespace

PodClasses::PodClasses(Names& names, ResourceIndex& index, std::string scheduler_name,
                       std::string reservation_app)
    : names_(names),
      index_(index),
      scheduler_name_(std::move(scheduler_name)),
      reservation_app_(std::move(reservation_app)),
      recent_(kRecent) {}

ClassId PodClasses::Classify(const std::shared_ptr<const PodShape>& shape, int64_t dra_count,
                             bool legacy_mig) {
  Recent& recent = recent_[(reinterpret_cast<uintptr_t>(shape.get()) >> 5) % kRecent];
  if (recent.shape == shape && recent.dra_count == dra_count && recent.legacy_mig == legacy_mig) {
    return recent.id;
  }
  std::string text = ClassText(*shape);
  text += std::to_string(dra_count) + (legacy_mig ? "L" : "");
  auto [found, added] = by_content_.try_emplace(std::move(text), kNone);
  if (added) found->second = Build(shape, dra_count, legacy_mig);
  recent = {shape, dra_count, legacy_mig, found->second};
  return found->second;
}

// The sum of containers and sidecars, or the largest init container with the sidecars before it.
Amounts PodClasses::RequestOf(const PodShape& shape) {
  Amounts running(kPods + 1), sidecars(kPods + 1), init_peak(kPods + 1);
  for (const auto& container : shape.containers) {
    if (container.kind == ContainerKind::kApp) {
      index_.Add(container.requests, running);
    } else if (container.kind == ContainerKind::kSidecar) {
      index_.Add(container.requests, sidecars);
    } else {
      Amounts own = sidecars;
      index_.Add(container.requests, own);
      MaxTo(init_peak, own);
    }
  }
  AddTo(running, sidecars);
  MaxTo(running, init_peak);
  const int64_t gpu = running[kGpu];
  index_.Add(shape.overhead, running);
  running[kGpu] = gpu;
  running[kPods] = 1;
  DropNegative(running);
  return running;
}

int32_t PodClasses::SignatureOf(const PodShape& shape) {
  return signatures_.try_emplace(SignatureText(shape), static_cast<int32_t>(signatures_.size()))
      .first->second;
}

void PodClasses::CountGpus(PodClass& cls) const {
  cls.all_gpus = TotalGpus(index_, cls.request);
  int64_t slices = 0;
  for (const auto& [slot, count] : cls.gpu.mig) slices += count * index_.MigSlices(slot);
  const int64_t whole = cls.gpu.Milli() + cls.gpu.dra_count * kGpuUnit;
  cls.quota = whole + slices * kGpuUnit;
  cls.accepted_gpu = cls.gpu.mig.empty() ? whole : 0;
  cls.accepted = {{cls.request[kCpu], cls.request[kMemory], cls.accepted_gpu + slices * kGpuUnit}};
}

ClassId PodClasses::Build(const std::shared_ptr<const PodShape>& shape, int64_t dra_count,
                          bool legacy_mig) {
  auto built = std::make_unique<PodClass>();
  built->shape = shape;
  built->request = RequestOf(*shape);
  const bool legacy = legacy_mig || (HasMigAnnotation(*shape) && !AsksForMig(*shape));
  built->gpu = ReadGpuRequest(*shape, built->request, dra_count, legacy, index_);
  for (const auto& [slot, count] : built->gpu.mig) {
    if (slot >= static_cast<int>(built->request.size())) built->request.resize(slot + 1);
    built->request[slot] = count;
  }
  built->request[kGpu] = built->gpu.Milli() + dra_count * kGpuUnit;
  CountGpus(*built);
  built->without_gpu = built->request;
  built->without_gpu[kGpu] = 0;
  built->namespace_name = names_.Intern(shape->namespace_name);
  built->ours = shape->scheduler_name == scheduler_name_;
  built->reservation = LabelOf(*shape, "app") == reservation_app_;
  built->utility = built->reservation || LabelOf(*shape, "app") == "scaling-pod";
  built->cpu_only = !built->gpu.NeedsAny();
  built->has_node_affinity =
      !shape->node_selector.empty() || shape->affinity.required_nodes.has_value();
  built->has_pod_affinity =
      !shape->affinity.required_pods.empty() || !shape->affinity.required_anti_pods.empty();
  for (const auto& container : shape->containers) {
    for (const auto& port : container.host_ports) {
      // Ports of init containers are ignored, because those end before the pod runs.
      const bool lasts = container.kind != ContainerKind::kInit;
      if (port.port > 0 && lasts) built->host_ports.push_back(port);
    }
    for (const auto& name : container.config_maps) built->config_maps.push_back(name);
  }
  built->has_host_ports = !built->host_ports.empty();
  built->negative = AsksForLessThanNothing(*shape);
  built->signature = SignatureOf(*shape);
  classes_.push_back(std::move(built));
  return static_cast<ClassId>(classes_.size()) - 1;
}

}  // namespace coppice::engine
