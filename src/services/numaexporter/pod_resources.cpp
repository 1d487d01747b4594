#include "services/numaexporter/pod_resources.h"

#include <functional>

#include "base/wire_reader.h"

namespace coppice::services::numaexporter {
namespace {

using base::WireField;

// Calls `visit` for every field; stops at the first error.
base::Status ForEachField(std::string_view message,
                          const std::function<base::Status(const WireField&)>& visit) {
  for (base::WireReader reader(message); !reader.done();) {
    COPPICE_ASSIGN(const WireField field, reader.Next());
    COPPICE_TRY(visit(field));
  }
  return {};
}

// A repeated integer comes packed or one by one.
base::Status ReadRepeatedNumber(const WireField& field, std::vector<int64_t>& out) {
  if (!field.is_bytes) {
    out.push_back(static_cast<int64_t>(field.integer));
    return {};
  }
  for (base::WireReader reader(field.bytes); !reader.done();) {
    COPPICE_ASSIGN(const uint64_t number, reader.Varint());
    out.push_back(static_cast<int64_t>(number));
  }
  return {};
}

base::Result<std::vector<int64_t>> DecodeTopology(std::string_view message) {
  std::vector<int64_t> nodes;
  COPPICE_TRY(ForEachField(message, [&](const WireField& field) -> base::Status {
    if (field.number != 1) return {};
    int64_t id = 0;  // Protobuf leaves zeros out.
    COPPICE_TRY(ForEachField(field.bytes, [&](const WireField& inner) -> base::Status {
      if (inner.number == 1) id = static_cast<int64_t>(inner.integer);
      return {};
    }));
    nodes.push_back(id);
    return {};
  }));
  return nodes;
}

base::Result<Devices> DecodeDevices(std::string_view message) {
  Devices devices;
  COPPICE_TRY(ForEachField(message, [&](const WireField& field) -> base::Status {
    if (field.number == 1) devices.resource = field.bytes;
    if (field.number == 2) ++devices.count;
    if (field.number == 3) {
      COPPICE_ASSIGN(devices.numa_nodes, DecodeTopology(field.bytes));
    }
    return {};
  }));
  return devices;
}

base::Result<Memory> DecodeMemory(std::string_view message) {
  Memory memory;
  COPPICE_TRY(ForEachField(message, [&](const WireField& field) -> base::Status {
    if (field.number == 1) memory.type = field.bytes;
    if (field.number == 2) memory.bytes = field.integer;
    if (field.number == 3) {
      COPPICE_ASSIGN(memory.numa_nodes, DecodeTopology(field.bytes));
    }
    return {};
  }));
  return memory;
}

base::Result<Container> DecodeContainer(std::string_view message) {
  Container container;
  COPPICE_TRY(ForEachField(message, [&](const WireField& field) -> base::Status {
    if (field.number == 2) {
      COPPICE_ASSIGN(Devices devices, DecodeDevices(field.bytes));
      container.devices.push_back(std::move(devices));
    } else if (field.number == 3) {
      COPPICE_TRY(ReadRepeatedNumber(field, container.cpus));
    } else if (field.number == 4) {
      COPPICE_ASSIGN(Memory memory, DecodeMemory(field.bytes));
      container.memory.push_back(std::move(memory));
    }
    return {};
  }));
  return container;
}

base::Result<PodResources> DecodePod(std::string_view message) {
  PodResources pod;
  COPPICE_TRY(ForEachField(message, [&](const WireField& field) -> base::Status {
    if (field.number == 1) pod.name = field.bytes;
    if (field.number == 2) pod.ns = field.bytes;
    if (field.number == 3) {
      COPPICE_ASSIGN(Container container, DecodeContainer(field.bytes));
      pod.containers.push_back(std::move(container));
    }
    return {};
  }));
  return pod;
}

}  // namespace

base::Result<std::vector<PodResources>> DecodePodResources(std::string_view message) {
  std::vector<PodResources> pods;
  COPPICE_TRY(ForEachField(message, [&](const WireField& field) -> base::Status {
    if (field.number != 1) return {};
    COPPICE_ASSIGN(PodResources pod, DecodePod(field.bytes));
    pods.push_back(std::move(pod));
    return {};
  }));
  return pods;
}

}  // namespace coppice::services::numaexporter
