#include "tests/vectors/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace coppice::vectors {
namespace {

using PodState = engine::Engine::PodState;

template <typename A, typename B>
void Check(Differences& out, const std::string& path, const A& expected, const B& got) {
  if (!(expected == got))
    out.push_back(fmt::format("{}: expected {}, got {}", path, expected, got));
}

void CheckNumber(Differences& out, const std::string& path, double expected, double got) {
  if (std::abs(expected - got) > 1e-9 * std::max(1.0, std::abs(expected))) {
    out.push_back(fmt::format("{}: expected {}, got {}", path, expected, got));
  }
}

std::vector<int> Sorted(std::vector<int> values) {
  std::sort(values.begin(), values.end());
  return values;
}

std::vector<int> ReadInts(const json::Value& value) {
  std::vector<int> values;
  for (const auto& item : value.Items()) values.push_back(static_cast<int>(item.AsInt()));
  return Sorted(values);
}

std::set<std::string> ReadSet(const json::Value& value) {
  std::set<std::string> values;
  for (const auto& item : value.Items()) values.insert(item.ToString());
  return values;
}

// Whether names of shared GPUs on both sides tell the same GPUs apart.
class GroupNames {
 public:
  void Add(Differences& out, const std::string& path, const std::string& node,
           const std::vector<std::string>& expected, const std::vector<std::string>& got) {
    if (expected.size() != got.size()) {
      out.push_back(
          fmt::format("{}: expected {} shared GPUs, got {}", path, expected.size(), got.size()));
      return;
    }
    for (size_t i = 0; i < expected.size(); ++i) {
      const auto [there, new_there] = forward_.try_emplace({node, expected[i]}, got[i]);
      const auto [back, new_back] = backward_.try_emplace({node, got[i]}, expected[i]);
      if (there->second != got[i] || back->second != expected[i]) {
        out.push_back(fmt::format("{}: expected GPU {}, got {}", path, expected[i], got[i]));
      }
    }
  }

 private:
  std::map<std::pair<std::string, std::string>, std::string> forward_, backward_;
};

std::vector<std::string> ReadStrings(const json::Value& value);

// Shared GPUs were never checked by the tests that expectations come from. Where what upstream did
// is not what the test expected, the expectation about them says nothing.
bool SharedGpusMeant(const EngineCase& given, const json::Value& expect,
                     const json::Value& observed) {
  GroupNames names;
  Differences differences;
  const auto look = [&](const std::string& pod, const json::Value& wanted) {
    if (!wanted.Has("gpuGroups") || wanted["anyGpuGroup"].AsBool()) return;
    const json::Value& seen = observed["pods"][pod];
    names.Add(differences, pod, seen["node"].ToString(), ReadStrings(wanted["gpuGroups"]),
              ReadStrings(seen["gpuGroups"]));
  };
  for (const auto& member : expect["groups"].Members()) {
    auto group = given.groups().find(std::string(member.name()));
    if (group == given.groups().end()) continue;
    for (const auto& pod : group->second) look(pod, member.value);
  }
  for (const auto& member : expect["pods"].Members())
    look(std::string(member.name()), member.value);
  return differences.empty();
}

std::vector<std::string> ReadStrings(const json::Value& value) {
  std::vector<std::string> values;
  for (const auto& item : value.Items()) values.push_back(item.ToString());
  return values;
}

void ComparePlace(const PodState& state, const json::Value& expect, const std::string& path,
                  Differences& out) {
  Check(out, path + ".status", expect["status"].ToString(),
        std::string(engine::ToString(state.status)));
  if (expect.Has("node")) Check(out, path + ".node", expect["node"].ToString(), state.node);
  if (expect.Has("numaZones") && ReadInts(expect["numaZones"]) != Sorted(state.numa_zones)) {
    out.push_back(path + ".numaZones: differ");
  }
}

void CompareSums(const std::vector<PodState>& pods, const json::Value& expect,
                 const std::string& path, Differences& out) {
  double gpus = 0, cpu = 0, memory = 0, accepted = 0;
  for (const auto& pod : pods) {
    gpus += pod.gpus_requested;
    cpu += pod.milli_cpu;
    memory += pod.memory;
    accepted += pod.gpus_accepted;
  }
  const auto check = [&](const char* key, double got) {
    if (expect.Has(key)) CheckNumber(out, path + "." + key, expect[key].AsDouble(), got);
  };
  check("gpus", gpus);
  check("milliCpu", cpu);
  check("memory", memory);
  check("gpusAccepted", accepted);
}

void CompareNodes(const engine::Engine& engine, const json::Value& nodes, Differences& out) {
  for (const auto& member : nodes.Members()) {
    const std::string path = fmt::format("nodes.{}", member.name());
    const auto state = engine.FindNode(member.name());
    if (!state) {
      out.push_back(path + ": missing");
      continue;
    }
    const auto check = [&](const char* key, double got) {
      if (member.value.Has(key))
        CheckNumber(out, path + "." + key, member.value[key].AsDouble(), got);
    };
    check("idleGpus", state->idle_gpus);
    check("releasingGpus", state->releasing_gpus);
    check("usedGpus", state->used_gpus);
    for (const auto& zone : member.value["numaZonesAvailable"].Members()) {
      const size_t index = std::stoul(std::string(zone.name()));
      for (const auto& amount : zone.value.Members()) {
        const auto wanted = base::Quantity::Parse(amount.value.AsString());
        const std::string name(amount.name());
        double got = -1;
        if (index < state->numa_available.size()) {
          const auto& available = state->numa_available[index];
          auto found = available.find(name == "nvidia.com/gpu" ? "gpu" : name);
          if (found != available.end()) got = static_cast<double>(found->second);
        }
        const double unit = name == "cpu" ? 1000 : 1;
        CheckNumber(out, fmt::format("{}.numaZonesAvailable.{}.{}", path, zone.name(), name),
                    wanted ? wanted->ToDouble() : 0, got / unit);
      }
    }
  }
}

}  // namespace

void CompareExpectation(const EngineCase& given, const engine::Engine& engine,
                        const json::Value& expect, const json::Value& observed, base::Time now,
                        Differences& out) {
  GroupNames names;
  const bool shared_gpus = SharedGpusMeant(given, expect, observed);
  const auto groups = [&](const PodState& state, const json::Value& wanted,
                          const std::string& path) {
    if (!shared_gpus || !wanted.Has("gpuGroups") || wanted["anyGpuGroup"].AsBool()) return;
    names.Add(out, path + ".gpuGroups", state.node, ReadStrings(wanted["gpuGroups"]),
              state.gpu_groups);
  };
  for (const auto& member : expect["groups"].Members()) {
    const std::string name(member.name()), path = "groups." + name;
    std::vector<PodState> pods;
    for (const auto& pod : given.groups().at(name)) {
      pods.push_back(*engine.FindPod(pod));
      ComparePlace(pods.back(), member.value, path + "(" + pod + ")", out);
      groups(pods.back(), member.value, path + "(" + pod + ")");
    }
    CompareSums(pods, member.value, path, out);
    if (member.value.Has("message")) {
      Check(out, path + ".message", member.value["message"].ToString(),
            engine.FitErrorText(given.NamespaceOf(name), name));
    }
    if (member.value.Has("startedBeforeSeconds")) {
      const auto start = engine.LastStart(given.NamespaceOf(name), name);
      const double age = start ? std::chrono::duration<double>(now - *start).count() : -1;
      if (age < member.value["startedBeforeSeconds"].AsDouble()) {
        out.push_back(fmt::format("{}.startedBeforeSeconds: started {} s ago", path, age));
      }
    }
  }
  for (const auto& member : expect["pods"].Members()) {
    const std::string path = fmt::format("pods.{}", member.name());
    const auto state = engine.FindPod(member.name());
    // Some tests expect something of pods that they never made.
    if (!state) continue;
    ComparePlace(*state, member.value, path, out);
    groups(*state, member.value, path);
    CompareSums({*state}, member.value, path, out);
  }
  CompareNodes(engine, expect["nodes"], out);
}

void CompareAtMost(const Calls& calls, const json::Value& at_most, Differences& out) {
  const auto check = [&](const char* key, size_t got) {
    if (at_most.Has(key) && static_cast<int64_t>(got) > at_most[key].AsInt()) {
      out.push_back(fmt::format("atMost.{}: expected {}, got {}", key, at_most[key].AsInt(), got));
    }
  };
  check("binds", calls.binds.size());
  check("evictions", calls.evictions.size());
  check("pipelined", calls.pipelined.size());
}

void CompareDecisions(const EngineCase& given, const engine::Engine& engine,
                      const json::Value& observed, const Calls& calls, Differences& out) {
  const std::set<std::string> varies = ReadSet(observed["varies"]);
  GroupNames names;
  for (const auto& pod : given.pods()) {
    if (varies.contains(pod)) continue;
    const json::Value& wanted = observed["pods"][pod];
    if (wanted.IsNull()) continue;
    const auto state = engine.FindPod(pod);
    const std::string path = "pods." + pod;
    Check(out, path + ".status", wanted["status"].ToString(),
          std::string(engine::ToString(state->status)));
    Check(out, path + ".node", wanted["node"].ToString(), state->node);
    // A pod without a node holds no GPU and one that leaves keeps none, whatever tries have left
    // on them.
    const bool holds = !state->node.empty() && state->status != engine::TaskStatus::kReleasing;
    if (holds && state->node == wanted["node"].AsString()) {
      names.Add(out, path + ".gpuGroups", state->node, ReadStrings(wanted["gpuGroups"]),
                state->gpu_groups);
    }
  }
  const auto check = [&](const char* key, const std::vector<std::string>& got) {
    if (!observed.Has(key)) return;
    const std::set<std::string> wanted = ReadSet(observed[key]), have(got.begin(), got.end());
    if (wanted == have) return;
    out.push_back(fmt::format("{}: expected [{}], got [{}]", key, fmt::join(wanted, " "),
                              fmt::join(have, " ")));
  };
  check("binds", calls.binds);
  check("evictions", calls.evictions);
  check("pipelined", calls.pipelined);
}

void CompareInFull(const EngineCase& given, const engine::Engine& engine,
                   const json::Value& observed, const Calls& calls, Differences& out) {
  CompareDecisions(given, engine, observed, calls, out);
  const std::set<std::string> varies = ReadSet(observed["varies"]);
  for (const auto& pod : given.pods()) {
    const json::Value& wanted = observed["pods"][pod];
    if (varies.contains(pod) || wanted.IsNull()) continue;
    const auto state = engine.FindPod(pod);
    if (wanted.Has("gpusAccepted") && !state->node.empty()) {
      CheckNumber(out, "pods." + pod + ".gpusAccepted", wanted["gpusAccepted"].AsDouble(),
                  state->gpus_accepted);
    }
    if (wanted.Has("numaZones") && ReadInts(wanted["numaZones"]) != Sorted(state->numa_zones)) {
      out.push_back("pods." + pod + ".numaZones: differ");
    }
  }
  CompareNodes(engine, observed["nodes"], out);
  for (const auto& member : observed["messages"].Members()) {
    const std::string name(member.name());
    Check(out, "messages." + name, member.value.ToString(),
          engine.FitErrorText(given.NamespaceOf(name), name));
  }
}

}  // namespace coppice::vectors
