#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

// What the kubelet's podresources API says, decoded from its protobuf form.
namespace coppice::services::numaexporter {

struct Devices {
  std::string resource;
  int64_t count = 0;
  std::vector<int64_t> numa_nodes;
};

struct Memory {
  std::string type;
  uint64_t bytes = 0;
  std::vector<int64_t> numa_nodes;
};

struct Container {
  std::vector<Devices> devices;
  std::vector<int64_t> cpus;
  std::vector<Memory> memory;
};

struct PodResources {
  std::string name;
  std::string ns;
  std::vector<Container> containers;
};

// A ListPodResourcesResponse. Fields that we do not know are skipped.
base::Result<std::vector<PodResources>> DecodePodResources(std::string_view message);

}  // namespace coppice::services::numaexporter
