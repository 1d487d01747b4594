#include "scenario/invariants/gates.h"

#include <fmt/format.h>

#include "api/labels.h"
#include "api/view/core.h"
#include "backends/framework/registry.h"
#include "kube/object.h"

namespace coppice::scenario {
namespace {

using json::Value;

// What the backends call their gates.
std::set<std::string, std::less<>> BackendGates() {
  std::set<std::string, std::less<>> gates;
  for (const backends::BuiltInBackend& each : backends::BuiltInBackends()) {
    const auto backend =
        each.make({.name = std::string(each.scheduler_name), .backend = std::string(each.id)});
    if (backend) gates.insert((*backend)->SchedulingGate());
  }
  return gates;
}

bool IsOurs(std::string_view gate) {
  static const auto backend_gates = BackendGates();
  return gate.starts_with(api::labels::kGroveDomain) || backend_gates.contains(gate);
}

view::List<view::core::PodSchedulingGate> GatesOf(const Value& pod) {
  return view::core::Pod(pod).spec().schedulingGates();
}

std::set<std::string> ForeignGates(const Value& pod) {
  std::set<std::string> gates;
  for (const view::core::PodSchedulingGate gate : GatesOf(pod)) {
    if (!IsOurs(gate.name())) gates.emplace(gate.name());
  }
  return gates;
}

}  // namespace

void Gates::Check(const World& world, Violations& out) {
  for (const Value& pod : world.pods) {
    if (IsBound(pod) && !GatesOf(pod).empty()) {
      out.push_back(fmt::format("pod {} is bound behind a gate", PodName(pod)));
    }
    const std::set<std::string> now = ForeignGates(pod);
    for (const std::string& gate : foreign_[std::string(kube::Uid(pod))]) {
      if (now.contains(gate)) continue;
      out.push_back(fmt::format("pod {} lost the gate {}, which is not ours", PodName(pod), gate));
    }
  }
  Accept(world);
}

void Gates::Accept(const World& world) {
  foreign_.clear();
  for (const Value& pod : world.pods) foreign_[std::string(kube::Uid(pod))] = ForeignGates(pod);
}

}  // namespace coppice::scenario
