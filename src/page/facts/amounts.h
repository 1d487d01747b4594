#pragma once

#include <string_view>

#include "api/view/core.h"
#include "json/value.h"

namespace coppice::page {

// What a pod asks for, or a node has: CPU in cores, memory in bytes, GPUs in devices.
struct Amounts {
  double cpu = 0;
  double memory = 0;
  double gpus = 0;  // Whole devices of a device plugin.

  Amounts& operator+=(const Amounts& other) {
    cpu += other.cpu;
    memory += other.memory;
    gpus += other.gpus;
    return *this;
  }
  friend bool operator==(const Amounts&, const Amounts&) = default;
};

// A quantity as a number; 0 if it is missing or malformed.
double QuantityOf(const json::Value& value);

// Whether a resource is a GPU: nvidia.com/gpu, amd.com/gpu, …
bool IsGpuResource(std::string_view name);

// Of a list of resources by name, such as a node's allocatable.
Amounts AmountsIn(view::Quantities quantities);

// Of a pod: the sum of its containers, but at least what an init container needs alone. Resources
// without a request ask for their limit.
Amounts AmountsOf(view::core::PodSpec pod);

}  // namespace coppice::page
