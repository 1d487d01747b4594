#include "cli/simulate/simulate.h"

#include <fmt/format.h>

#include "cli/common/files.h"
#include "cli/show/views.h"
#include "cli/why/why_format.h"
#include "engine/engine.h"
#include "services/scheduler/options/config_file.h"
#include "services/scheduler/options/flags.h"
#include "services/scheduler/read/bind_requests.h"
#include "services/scheduler/snapshot.h"

namespace coppice::cli {
namespace {

using json::Value;
using services::scheduler::Snapshot;

std::vector<std::string> SplitList(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    std::string item(text.substr(0, comma));
    std::erase(item, ' ');
    if (!item.empty()) out.push_back(std::move(item));
    text = comma == std::string_view::npos ? "" : text.substr(comma + 1);
  }
  return out;
}

base::Result<Snapshot> Load(const SimulateOptions& options) {
  COPPICE_ASSIGN(const std::string bytes, ReadFile(options.file));
  auto snapshot = services::scheduler::ReadSnapshot(bytes);
  if (!snapshot) return snapshot.error().During(options.file);
  if (!options.config.empty()) {
    COPPICE_ASSIGN(const std::string text, ReadFile(options.config));
    auto config = services::scheduler::ParseConfigFile(text);
    if (!config) return config.error().During(options.config);
    services::scheduler::TakeDecisions(std::move(config->configuration), snapshot->options);
  }
  if (!options.actions.empty()) {
    snapshot->options.configuration.actions = SplitList(options.actions);
  }
  return snapshot;
}

// cpu in millicores, memory in bytes.
Value Amounts(const double (&amounts)[3]) {
  return Value::Object({{"cpu", amounts[0]}, {"memory", amounts[1]}, {"gpu", amounts[2]}});
}

// What the search for victims did, action by action.
Value ActionsJson(const engine::CycleResult& result) {
  Value actions = Value::Object();
  for (const auto& [name, counters] : result.actions) {
    actions.Set(name, Value::Object({{"groupsScheduled", counters.groups_scheduled},
                                     {"scenariosSimulated", counters.Scenarios().simulated},
                                     {"victims", counters.victims},
                                     {"victimsBeyondNeed", counters.victims_beyond_need}}));
  }
  return actions;
}

Value CycleJson(const engine::CycleResult& result) {
  Value binds = Value::Array(), evictions = Value::Array(), pipelined = Value::Array(),
        waiting = Value::Array();
  const auto name = [](const engine::PodKey& pod) { return pod.namespace_name + "/" + pod.name; };
  for (const auto& bind : result.binds) {
    const Value request = services::scheduler::WriteBindRequest(bind, "", "");
    binds.Append(Value::Object({{"pod", name(bind.pod)},
                                {"node", bind.node},
                                {"action", bind.action},
                                {"request", request["spec"]}}));
  }
  for (const auto& evict : result.evictions) {
    evictions.Append(Value::Object({{"pod", name(evict.pod)},
                                    {"node", evict.node},
                                    {"action", evict.action},
                                    {"message", evict.message}}));
  }
  for (const auto& pipeline : result.pipelined) {
    pipelined.Append(Value::Object({{"pod", name(pipeline.pod)}, {"node", pipeline.node}}));
  }
  for (const auto& group : result.groups) {
    if (!group.waiting || group.message.empty()) continue;
    waiting.Append(Value::Object({{"group", group.group.namespace_name + "/" + group.group.name},
                                  {"message", group.message}}));
  }
  Value queues = Value::Array();
  for (const auto& queue : result.queues) {
    queues.Append(Value::Object({{"queue", queue.queue},
                                 {"fairShare", Amounts(queue.fair_share)},
                                 {"allocated", Amounts(queue.allocated)},
                                 {"requested", Amounts(queue.requested)}}));
  }
  Value problems = Value::Array();
  for (const auto& problem : result.problems) {
    problems.Append(Value::Object(
        {{"kind", problem.kind}, {"name", problem.name}, {"message", problem.message}}));
  }
  return Value::Object({{"actions", ActionsJson(result)},
                        {"binds", std::move(binds)},
                        {"queues", std::move(queues)},
                        {"evictions", std::move(evictions)},
                        {"pipelined", std::move(pipelined)},
                        {"waiting", std::move(waiting)},
                        {"problems", std::move(problems)}});
}

std::string FormatCycles(const Value& cycles) {
  std::vector<std::vector<std::string>> rows = {{"CYCLE", "DECISION", "POD", "NODE", "WHY"}};
  const auto text = [](const Value& value) { return value.ToString(); };
  int number = 0;
  for (const Value& cycle : cycles.Items()) {
    const std::string at = fmt::format("{}", ++number);
    for (const Value& item : cycle["binds"].Items()) {
      rows.push_back({at, "bind", text(item["pod"]), text(item["node"]), text(item["action"])});
    }
    for (const Value& item : cycle["evictions"].Items()) {
      rows.push_back({at, "evict", text(item["pod"]), text(item["node"]), text(item["action"])});
    }
    for (const Value& item : cycle["pipelined"].Items()) {
      rows.push_back({at, "pipeline", text(item["pod"]), text(item["node"]), ""});
    }
    for (const Value& item : cycle["waiting"].Items()) {
      rows.push_back({at, "wait", text(item["group"]), "", text(item["message"])});
    }
    for (const Value& item : cycle["problems"].Items()) {
      rows.push_back({at, "ignored", text(item["kind"]) + " " + text(item["name"]), "",
                      text(item["message"])});
    }
    for (const json::Member& took : cycle["durations"]["action_durations_ms"].Members()) {
      rows.push_back({at, "took", "", "", fmt::format("{}: {} ms", took.name(), text(took.value))});
    }
  }
  return AlignColumns(rows);
}

base::Result<Value> Explain(engine::Engine& engine, const std::string& target, base::Time now) {
  const size_t slash = target.find('/');
  const std::string ns = slash == std::string::npos ? "default" : target.substr(0, slash);
  const std::string name = slash == std::string::npos ? target : target.substr(slash + 1);
  const auto explanation = engine.Explain(ns, name, now);
  if (!explanation) return base::NotFound(fmt::format("there is no PodGroup {}/{}", ns, name));
  return Value::Array({ExplanationJson(*explanation)});
}

double Milliseconds(base::Duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

// `known`: what is wrong with the input before anybody looks at it.
Value RunCycle(engine::Engine& engine, base::Time now, bool durations,
               const std::vector<engine::InputProblem>& known) {
  const base::RealClock clock;
  const base::Instant start = clock.Elapsed();
  Value actions = Value::Object();
  engine.OpenCycle(now);
  for (const std::string& action : engine.configuration().actions) {
    const base::Instant begun = clock.Elapsed();
    engine.RunAction(action);
    actions.Set(action, Milliseconds(clock.Elapsed() - begun));
  }
  engine::CycleResult result = engine.CloseCycle();
  result.problems.insert(result.problems.begin(), known.begin(), known.end());
  Value cycle = CycleJson(result);
  if (durations) {
    cycle.Set("durations",
              Value::Object({{"total_duration_ms", Milliseconds(clock.Elapsed() - start)},
                             {"action_durations_ms", std::move(actions)}}));
  }
  return cycle;
}

base::Status Simulate(const SimulateOptions& options) {
  COPPICE_ASSIGN(const Snapshot snapshot, Load(options));
  base::Time now = services::scheduler::NewestTime(snapshot);
  if (!options.now.empty()) {
    COPPICE_ASSIGN(now, base::ParseRfc3339(options.now));
  }
  engine::Engine engine(snapshot.options.configuration);
  services::scheduler::LoadSnapshot(snapshot, engine);
  if (!options.explain.empty()) {
    COPPICE_ASSIGN(const Value answer, Explain(engine, options.explain, now));
    Print(answer, options.format, FormatWhy);
    return {};
  }
  const auto duplicates = services::scheduler::FindDuplicates(snapshot);
  Value cycles = Value::Array();
  for (int i = 0; i < options.cycles; ++i) {
    cycles.Append(RunCycle(engine, now, options.durations, duplicates));
    now += std::chrono::seconds(1);
  }
  Print(cycles, options.format, FormatCycles);
  return {};
}

}  // namespace

int RunSimulate(const SimulateOptions& options) {
  const base::Status done = Simulate(options);
  return done ? 0 : Fail(done.error());
}

}  // namespace coppice::cli
