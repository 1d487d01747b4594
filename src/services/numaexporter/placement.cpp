#include "services/numaexporter/placement.h"

#include <fmt/format.h>

#include "base/quantity.h"
#include "json/value.h"
#include "json/write.h"

namespace coppice::services::numaexporter {
namespace {

using Zones = std::map<std::string, std::map<std::string, int64_t>>;

void Add(int64_t node, const std::string& resource, int64_t amount, Zones& zones) {
  if (amount != 0) zones[fmt::format("node-{}", node)][resource] += amount;
}

void AddContainer(const Container& container, const std::map<int, int>& node_of_cpu, Zones& zones) {
  for (const Devices& devices : container.devices) {
    if (devices.numa_nodes.size() != 1) continue;
    Add(devices.numa_nodes.front(), devices.resource, static_cast<int64_t>(devices.count), zones);
  }
  for (const int64_t cpu : container.cpus) {
    const auto node = node_of_cpu.find(static_cast<int>(cpu));
    if (node != node_of_cpu.end()) Add(node->second, "cpu", 1, zones);
  }
  for (const Memory& memory : container.memory) {
    if (memory.numa_nodes.size() != 1) continue;
    Add(memory.numa_nodes.front(), memory.type.empty() ? "memory" : memory.type,
        static_cast<int64_t>(memory.bytes), zones);
  }
}

// Members in the order amount, zone do not matter to readers, but upstream writes zone first.
void WriteZone(const std::string& zone, const std::map<std::string, int64_t>& amounts,
               std::string& out) {
  json::Value amount = json::Value::Object();
  for (const auto& [name, value] : amounts) {
    amount.Set(name, base::Quantity::FromUnits(value).ToString());
  }
  out += fmt::format("{{\"zone\":\"{}\",\"amount\":{}}}", zone, json::Write(amount));
}

}  // namespace

std::string PlacementAnnotation(const PodResources& pod, const std::map<int, int>& node_of_cpu) {
  Zones zones;
  for (const Container& container : pod.containers) AddContainer(container, node_of_cpu, zones);
  if (zones.empty()) return "";
  std::string out;
  for (const auto& [zone, amounts] : zones) {
    out += out.empty() ? "[" : ",";
    WriteZone(zone, amounts, out);
  }
  return out + "]";
}

}  // namespace coppice::services::numaexporter
