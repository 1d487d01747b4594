#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/own_image.h"
#include "json/value.h"

// The arithmetic of scaling pods, without I/O (docs/behaviour/services.md K-79).
namespace coppice::services::scaleadjuster {

struct Options {
  std::string scheduler_name = "kai-scheduler";
  std::string scaling_pod_image = base::kOwnImage;
  // Empty: the image's own.
  std::vector<std::string> scaling_pod_command = {"coppice", "run", "scalingpod"};
  std::string ns = "kai-scale-adjust";
  std::string app_label = "scaling-pod";
  std::string service_account = "scaling-pod";
  double memory_to_fraction = 0.1;  // Fraction of a GPU that a request by memory counts as.
  int64_t cool_down_seconds = 60;
};

// Whether the pod is ours, requests part of a GPU and is unschedulable.
bool IsCandidate(const Options& options, const json::Value& pod);
// Hundredths of a GPU that the pod requests, over all devices, and the number of devices; nullopt
// if its annotations do not parse.
struct Demand {
  int64_t hundredths = 0;
  int64_t devices = 0;
};
std::optional<Demand> DemandOf(const Options& options, const json::Value& pod);

// Whether a scaling pod is still needed. `source` is the pod it was created for; null if that is
// gone.
bool IsStillNeeded(const json::Value& scaling_pod, const json::Value& source);

// The pods that need a scaling pod, given the existing ones.
std::vector<json::Value> PodsToScaleFor(const Options& options,
                                        const std::vector<json::Value>& candidates,
                                        const std::vector<json::Value>& scaling_pods);

json::Value MakeScalingPod(const Options& options, const json::Value& source);
std::string ScalingPodName(const json::Value& source);
int64_t GpusOf(const json::Value& scaling_pod);

inline constexpr std::string_view kAppLabel = "app";
inline constexpr std::string_view kSourceName = "shared-gpu-pod-name";
inline constexpr std::string_view kSourceNamespace = "shared-gpu-pod-namespace";

}  // namespace coppice::services::scaleadjuster
