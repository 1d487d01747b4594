#include "services/numaexporter/placement.h"

#include <fmt/format.h>

#include "json/value.h"
#include "json/write.h"

namespace coppice::services::numaexporter {
namespace {

using Zones = std::map<int64_t, std::map<std::string, uint64_t>>;

void AddContainer(const Container& container, const std::map<int, int>& node_of_cpu, Zones& zones) {
  for (const Devices& devices : container.devices) {
    if (devices.numa_nodes.size() != 1) continue;
    zones[devices.numa_nodes.front()][devices.resource] += static_cast<uint64_t>(devices.count);
  }
  for (const int64_t cpu : container.cpus) {
    const auto node = node_of_cpu.find(static_cast<int>(cpu));
    if (node != node_of_cpu.end()) ++zones[node->second]["cpu"];
  }
  for (const Memory& memory : container.memory) {
    if (memory.bytes == 0 || memory.numa_nodes.size() != 1) continue;
    zones[memory.numa_nodes.front()][memory.type] += memory.bytes;
  }
}

// Members in the order amount, zone do not matter to readers, but upstream writes zone first.
void WriteZone(int64_t node, const std::map<std::string, uint64_t>& amounts, std::string& out) {
  json::Value amount = json::Value::Object();
  for (const auto& [name, value] : amounts) amount.Set(name, std::to_string(value));
  out += fmt::format("{{\"zone\":\"node-{}\",\"amount\":{}}}", node, json::Write(amount));
}

}  // namespace

std::string PlacementAnnotation(const PodResources& pod, const std::map<int, int>& node_of_cpu) {
  Zones zones;
  for (const Container& container : pod.containers) AddContainer(container, node_of_cpu, zones);
  if (zones.empty()) return "";
  std::string out;
  for (const auto& [node, amounts] : zones) {
    out += out.empty() ? "[" : ",";
    WriteZone(node, amounts, out);
  }
  return out + "]";
}

}  // namespace coppice::services::numaexporter
