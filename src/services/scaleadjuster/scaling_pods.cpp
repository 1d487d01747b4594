#include "services/scaleadjuster/scaling_pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "api/well_known.h"
#include "base/quantity.h"
#include "kube/object.h"
#include "services/common/gpu_sharing.h"
#include "services/names.h"

namespace coppice::services::scaleadjuster {
namespace {

bool IsUnschedulable(const json::Value& pod) {
  const json::Value& condition = kube::Condition(pod, "PodScheduled");
  return condition["status"].AsString() == "False" &&
         condition["reason"].AsString() == "Unschedulable";
}

bool IsOver(const json::Value& pod) {
  const std::string_view phase = pod["status"]["phase"].AsString();
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
  for (const json::Value& container : pod["spec"]["containers"].Items()) {
    const json::Value& request = container["resources"]["requests"][resource];
    const auto amount = base::Quantity::Parse(request.AsString());
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
  return shares && pod["spec"]["schedulerName"].AsString() == options.scheduler_name &&
         pod["spec"]["nodeName"].AsString().empty() && !IsOver(pod) && IsUnschedulable(pod);
}

std::optional<Demand> DemandOf(const Options& options, const json::Value& pod) {
  const auto devices = FractionDevices(pod);
  const std::optional<double> fraction = Fraction(options, pod);
  if (!devices || !*devices || !fraction || **devices <= 0) return std::nullopt;
  return Demand{std::llround(*fraction * 100) * **devices, **devices};
}

bool IsStillNeeded(const json::Value& scaling_pod, const json::Value& source) {
  if (scaling_pod["status"]["phase"].AsString() == "Succeeded" || source.IsNull()) return false;
  return kube::Condition(source, "PodScheduled").IsNull() || IsUnschedulable(source);
}

std::string ScalingPodName(const json::Value& source) {
  return fmt::format("{}-{}", kube::Namespace(source), kube::Name(source));
}

int64_t GpusOf(const json::Value& scaling_pod) {
  int64_t gpus = 0;
  for (const json::Value& container : scaling_pod["spec"]["containers"].Items()) {
    const auto amount =
        base::Quantity::Parse(container["resources"]["limits"][names::kGpuResource].AsString());
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
  const std::string devices = std::to_string(DemandOf(options, source)->devices);
  json::Value requests = json::Value::Object({{names::kGpuResource, devices}});
  for (const char* resource : {"cpu", "memory"}) {
    const base::Quantity sum = SumOf(source, resource);
    if (!sum.IsZero()) requests.Set(resource, sum.ToString());
  }
  json::Value pod = kube::NewObject(api::kPods, options.ns, ScalingPodName(source));
  pod.Mutable("metadata")
      .Set("labels", json::Value::Object({{"app", options.app_label},
                                          {kSourceName, kube::Name(source)},
                                          {kSourceNamespace, kube::Namespace(source)}}));
  json::Value& spec = pod.Mutable("spec");
  for (const char* field : {"affinity", "tolerations", "nodeSelector"}) {
    if (source["spec"].Has(field)) spec.Set(field, source["spec"][field]);
  }
  json::Value resources = json::Value::Object({{"requests", std::move(requests)}});
  resources.Mutable("limits").Set(names::kGpuResource, devices);
  json::Value container = json::Value::Object({{"name", "scaling-pod"},
                                               {"image", options.scaling_pod_image},
                                               {"resources", std::move(resources)}});
  for (const std::string& word : options.scaling_pod_command) {
    container.Mutable("command").Append(word);
  }
  spec.Set("restartPolicy", "OnFailure")
      .Set("serviceAccountName", options.service_account)
      .Set("containers", json::Value::Array({std::move(container)}));
  return pod;
}

}  // namespace coppice::services::scaleadjuster
