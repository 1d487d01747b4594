#include "page/facts/amounts.h"

#include <algorithm>

#include "base/quantity.h"

namespace coppice::page {
namespace {

constexpr std::string_view kCpu = "cpu", kMemory = "memory";

Amounts OfContainer(view::core::Container container) {
  Amounts out = AmountsIn(container.resources().limits());
  const view::Quantities requests = container.resources().requests();
  const Amounts requested = AmountsIn(requests);
  if (requests.Has(kCpu)) out.cpu = requested.cpu;
  if (requests.Has(kMemory)) out.memory = requested.memory;
  out.gpus = std::max(out.gpus, requested.gpus);
  return out;
}

}  // namespace

double QuantityOf(const json::Value& value) {
  if (value.IsNumber()) return value.AsDouble();
  const auto parsed = base::Quantity::Parse(value.AsString());
  return parsed ? parsed->ToDouble() : 0;
}

bool IsGpuResource(std::string_view name) { return name.ends_with("/gpu"); }

Amounts AmountsIn(view::Quantities quantities) {
  Amounts out;
  for (const auto& [name, quantity] : quantities) {
    if (name == kCpu) out.cpu = QuantityOf(quantity);
    if (name == kMemory) out.memory = QuantityOf(quantity);
    if (IsGpuResource(name)) out.gpus += QuantityOf(quantity);
  }
  return out;
}

Amounts AmountsOf(view::core::PodSpec pod) {
  Amounts sum;
  for (const view::core::Container container : pod.containers()) sum += OfContainer(container);
  for (const view::core::Container container : pod.initContainers()) {
    const Amounts alone = OfContainer(container);
    sum.cpu = std::max(sum.cpu, alone.cpu);
    sum.memory = std::max(sum.memory, alone.memory);
    sum.gpus = std::max(sum.gpus, alone.gpus);
  }
  return sum;
}

}  // namespace coppice::page
