#pragma once

#include <string_view>

// Keys of the numbers in Explanation::evidence, which `coppice why` turns into text.
namespace coppice::engine::evidence {

// Of the pods to place.
inline constexpr char kPods[] = "pods";
inline constexpr char kPodsThatFit[] = "podsThatFit";
inline constexpr char kLargestPod[] = "largestPod";  // In GPUs.

inline constexpr char kRequestedGpus[] = "requestedGpus";
inline constexpr char kFreeGpus[] = "freeGpus";
inline constexpr char kTotalGpus[] = "totalGpus";
inline constexpr char kLargestFreeNode[] = "largestFreeNode";
inline constexpr char kLargestDomainGpus[] = "largestDomainGpus";
inline constexpr char kLargestDomainPods[] = "largestDomainPods";

// Of a queue, in the units of the Queue API.
inline constexpr char kLimit[] = "limit";
inline constexpr char kQuota[] = "quota";
inline constexpr char kAllocated[] = "allocated";

// Followed by the name of a device class.
inline constexpr std::string_view kRequestedDevices = "requestedDevices ";
inline constexpr std::string_view kFreeDevices = "freeDevices ";

}  // namespace coppice::engine::evidence
