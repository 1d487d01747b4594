#include "services/scaleadjuster/scaling_pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "api/edit/core.h"
#include "api/key/core.h"
#include "api/view/core.h"
#include "api/well_known.h"
#include "base/quantity.h"
#include "json/strings.h"
#include "kube/object.h"
#include "services/common/gpu_sharing.h"
#include "services/common/names.h"

namespace coppice::services::scaleadjuster {
namespace {

constexpr int64_t kMostDevices = 1'024;

bool IsUnschedulable(const json::Value& pod) {
  const view::core::PodCondition condition(kube::Condition(pod, "PodScheduled"));
  return condition.status() == "False" && condition.reason() == "Unschedulable";
}

bool IsOver(const json::Value& pod) {
  const std::string_view phase = view::core::Pod(pod).status().phase();
  return phase == "Succeeded" || phase == "Failed";
}

std::optional<double> Fraction(const Options& options, const json::Value& pod) {
  const std::string_view text = kube::Annotation(pod, names::kGpuFraction);
  if (text.empty()) return options.memory_to_fraction;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

base::Quantity SumOf(const json::Value& pod, std::string_view resource) {
  base::Quantity sum;
  for (const auto container : view::core::Pod(pod).spec().containers()) {
    const auto amount =
        base::Quantity::Parse(container.resources().requests()[resource].AsString());
    if (amount) sum = sum.IsZero() ? *amount : sum + *amount;
  }
  return sum;
}

int64_t NeededDevices(const Options& options, const std::vector<json::Value>& candidates) {
  int64_t hundredths = 0;
  for (const json::Value& pod : candidates) {
    if (const auto demand = DemandOf(options, pod)) hundredths += demand->hundredths;
  }
  return (hundredths + 99) / 100;
}

}  // namespace

bool IsCandidate(const Options& options, const json::Value& pod) {
  const bool shares = !kube::Annotation(pod, names::kGpuFraction).empty() ||
                      !kube::Annotation(pod, names::kGpuMemory).empty();
  const view::core::PodSpec spec = view::core::Pod(pod).spec();
  return shares && spec.schedulerName() == options.scheduler_name && spec.nodeName().empty() &&
         !IsOver(pod) && IsUnschedulable(pod);
}

std::optional<Demand> DemandOf(const Options& options, const json::Value& pod) {
  const auto devices = FractionDevices(pod);
  const std::optional<double> fraction = Fraction(options, pod);
  if (!devices || !*devices || !fraction) return std::nullopt;
  // No node has what would be beyond; sums of it would overflow.
  const bool sane = **devices > 0 && **devices <= kMostDevices && *fraction > 0 && *fraction <= 1;
  if (!sane) return std::nullopt;
  return Demand{std::llround(*fraction * 100) * **devices, **devices};
}

bool IsStillNeeded(const json::Value& scaling_pod, const json::Value& source) {
  if (view::core::Pod(scaling_pod).status().phase() == "Succeeded" || source.IsNull()) return false;
  return kube::Condition(source, "PodScheduled").IsNull() || IsUnschedulable(source);
}

std::string ScalingPodName(const json::Value& source) {
  return fmt::format("{}-{}", kube::Namespace(source), kube::Name(source));
}

int64_t GpusOf(const json::Value& scaling_pod) {
  int64_t gpus = 0;
  for (const auto container : view::core::Pod(scaling_pod).spec().containers()) {
    const auto amount =
        base::Quantity::Parse(container.resources().limits()[names::kGpuResource].AsString());
    if (amount) gpus += amount->Value();
  }
  return gpus;
}

std::vector<json::Value> PodsToScaleFor(const Options& options,
                                        const std::vector<json::Value>& candidates,
                                        const std::vector<json::Value>& scaling_pods) {
  const int64_t needed = NeededDevices(options, candidates);
  int64_t have = 0;
  int64_t largest = 0;
  std::set<std::string> present;
  for (const json::Value& pod : scaling_pods) {
    have += GpusOf(pod);
    largest = std::max(largest, GpusOf(pod));
    present.insert(std::string(kube::Name(pod)));
  }
  std::vector<json::Value> chosen;
  for (const json::Value& pod : candidates) {
    const std::optional<Demand> demand = DemandOf(options, pod);
    if (!demand || present.contains(ScalingPodName(pod))) continue;
    if (needed <= have && demand->devices <= largest) continue;
    chosen.push_back(pod);
    have += demand->devices;
    largest = std::max(largest, demand->devices);
  }
  return chosen;
}

json::Value MakeScalingPod(const Options& options, const json::Value& source) {
  using Key = key::core::PodSpec;
  const std::string devices = std::to_string(DemandOf(options, source)->devices);
  json::Value pod = kube::NewObject(api::kPods, options.ns, ScalingPodName(source));
  const edit::core::Pod out(pod);
  out.metadata()
      .labels()
      .Set(kAppLabel, options.app_label)
      .Set(kSourceName, kube::Name(source))
      .Set(kSourceNamespace, kube::Namespace(source));
  const edit::core::PodSpec spec = out.spec();
  const json::Value& source_spec = view::core::Pod(source).spec().Json();
  for (const std::string_view field : {Key::affinity, Key::tolerations, Key::nodeSelector}) {
    if (source_spec.Has(field)) spec.Json().Set(field, source_spec[field]);
  }
  spec.set_restartPolicy("OnFailure").set_serviceAccountName(options.service_account);
  const edit::core::Container container = spec.add_containers();
  container.set_name("scaling-pod").set_image(options.scaling_pod_image);
  if (!options.scaling_pod_command.empty()) {
    container.set_command(json::StringList(options.scaling_pod_command));
  }
  const edit::core::ResourceRequirements resources = container.resources();
  resources.limits().Set(names::kGpuResource, devices);
  const edit::Map requests = resources.requests();
  requests.Set(names::kGpuResource, devices);
  for (const char* resource : {"cpu", "memory"}) {
    const base::Quantity sum = SumOf(source, resource);
    if (!sum.IsZero()) requests.Set(resource, sum.ToString());
  }
  return pod;
}

}  // namespace coppice::services::scaleadjuster
