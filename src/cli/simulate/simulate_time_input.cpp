#include "cli/simulate/simulate_time_input.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <span>

#include "api/key/kaifiles.h"
#include "api/view/kaifiles.h"
#include "json/yaml/yaml.h"

namespace coppice::cli {
namespace {

using json::Value;

using TopKey = key::kaifiles::TimeSimulation;
using NodeKey = key::kaifiles::SimulatedNode;
using QueueKey = key::kaifiles::SimulatedQueue;
using JobKey = key::kaifiles::SimulatedJob;

constexpr std::string_view kTopKeys[] = {TopKey::Cycles, TopKey::WindowSize, TopKey::HalfLifePeriod,
                                         TopKey::KValue, TopKey::Nodes,      TopKey::Queues,
                                         TopKey::Jobs};
constexpr std::string_view kNodeKeys[] = {NodeKey::GPUs, NodeKey::Count};
constexpr std::string_view kQueueKeys[] = {QueueKey::Name, QueueKey::Parent, QueueKey::Priority,
                                           QueueKey::DeservedGPUs, QueueKey::Weight};
constexpr std::string_view kJobKeys[] = {JobKey::GPUs, JobKey::NumPods, JobKey::NumJobs};

base::Result<double> ReadNumber(const Value& document, std::string_view key, double fallback) {
  const Value& value = document[key];
  if (value.IsNull()) return fallback;
  if (!value.IsNumber()) return base::InvalidArgument(fmt::format("{}: must be a number", key));
  if (value.AsDouble() < 0) return base::InvalidArgument(fmt::format("{}: is negative", key));
  return value.AsDouble();
}

base::Result<int> ReadCount(const Value& document, std::string_view key, int fallback) {
  COPPICE_ASSIGN(const double number, ReadNumber(document, key, fallback));
  if (number > 1e6) return base::InvalidArgument(fmt::format("{}: is too large", key));
  return static_cast<int>(number);
}

bool SameButForCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

// Normalizes the keys of a mapping; unknown keys are dropped and reported.
class Spelling {
 public:
  explicit Spelling(std::vector<std::string>& ignored) : ignored_(ignored) {}

  Value Corrected(const Value& mapping, const std::string& path,
                  std::span<const std::string_view> known) {
    Value out = Value::Object();
    for (const json::Member& member : mapping.Members()) {
      const auto meant = std::find_if(known.begin(), known.end(), [&](std::string_view name) {
        return SameButForCase(name, member.name());
      });
      if (meant != known.end()) {
        out.Set(*meant, member.value);
        continue;
      }
      ignored_.push_back(fmt::format("{}{}{}: there is no such key, it is ignored; known are {}",
                                     path, path.empty() ? "" : ".", member.name(),
                                     fmt::join(known, ", ")));
    }
    return out;
  }

 private:
  std::vector<std::string>& ignored_;
};

base::Result<TimeSimulation::NodeKind> ReadNode(const Value& item) {
  TimeSimulation::NodeKind node;
  COPPICE_ASSIGN(node.gpus, ReadCount(item, NodeKey::GPUs, 0));
  COPPICE_ASSIGN(node.count, ReadCount(item, NodeKey::Count, 1));
  return node;
}

base::Result<TimeSimulation::JobKind> ReadJobs(const Value& item) {
  TimeSimulation::JobKind jobs;
  COPPICE_ASSIGN(jobs.gpus, ReadCount(item, JobKey::GPUs, 0));
  COPPICE_ASSIGN(jobs.pods, ReadCount(item, JobKey::NumPods, 1));
  COPPICE_ASSIGN(jobs.jobs, ReadCount(item, JobKey::NumJobs, 0));
  return jobs;
}

base::Result<TimeSimulation::QueueKind> ReadQueue(const Value& item) {
  TimeSimulation::QueueKind queue;
  const view::kaifiles::SimulatedQueue given(item);
  queue.name = given.Name();
  if (queue.name.empty()) return base::InvalidArgument("Queues: one has no Name");
  queue.parent = given.Parent();
  COPPICE_ASSIGN(queue.priority, ReadCount(item, QueueKey::Priority, queue.priority));
  COPPICE_ASSIGN(queue.deserved_gpus, ReadNumber(item, QueueKey::DeservedGPUs, 0));
  COPPICE_ASSIGN(queue.weight, ReadNumber(item, QueueKey::Weight, 1));
  return queue;
}

}  // namespace

base::Result<TimeSimulation> ReadTimeSimulation(std::string_view yaml) {
  COPPICE_ASSIGN(const Value given, json::ParseYaml(yaml));
  if (!given.IsObject()) return base::InvalidArgument("must be a mapping");
  TimeSimulation out;
  Spelling spelling(out.ignored);
  const Value document = spelling.Corrected(given, "", kTopKeys);
  const view::kaifiles::TimeSimulation simulation(document);
  COPPICE_ASSIGN(out.cycles, ReadCount(document, TopKey::Cycles, out.cycles));
  COPPICE_ASSIGN(out.window_size, ReadCount(document, TopKey::WindowSize, out.window_size));
  COPPICE_ASSIGN(out.half_life_period, ReadNumber(document, TopKey::HalfLifePeriod, 0));
  COPPICE_ASSIGN(out.k_value, ReadNumber(document, TopKey::KValue, out.k_value));
  for (const Value& item : simulation.Nodes().Json().Items()) {
    const std::string path = fmt::format("Nodes[{}]", out.nodes.size());
    COPPICE_ASSIGN(const auto node, ReadNode(spelling.Corrected(item, path, kNodeKeys)));
    out.nodes.push_back(node);
  }
  for (const Value& item : simulation.Queues().Json().Items()) {
    const std::string path = fmt::format("Queues[{}]", out.queues.size());
    COPPICE_ASSIGN(auto queue, ReadQueue(spelling.Corrected(item, path, kQueueKeys)));
    out.queues.push_back(std::move(queue));
  }
  for (const json::Member& member : simulation.Jobs().Json().Members()) {
    const std::string path = fmt::format("Jobs.{}", member.name());
    COPPICE_ASSIGN(const auto jobs, ReadJobs(spelling.Corrected(member.value, path, kJobKeys)));
    out.jobs[std::string(member.name())] = jobs;
  }
  return out;
}

}  // namespace coppice::cli
