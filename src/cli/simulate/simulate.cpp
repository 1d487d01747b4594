#include "cli/simulate/simulate.h"

#include <fmt/format.h>

#include "api/edit/answers.h"
#include "api/view/answers.h"
#include "api/view/kai.h"
#include "cli/common/fail.h"
#include "cli/common/files.h"
#include "cli/text/print.h"
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
void SetAmounts(const double (&amounts)[3], edit::answers::Amounts shown) {
  shown.set_cpu(amounts[0]).set_memory(amounts[1]).set_gpu(amounts[2]);
}

// The statistics of the victim search, by action.
Value ActionsJson(const engine::CycleResult& result) {
  Value actions = Value::Object();
  for (const auto& [name, counters] : result.actions) {
    edit::answers::SimulatedAction(actions.Mutable(name))
        .set_groupsScheduled(counters.groups_scheduled)
        .set_scenariosSimulated(counters.Scenarios().simulated)
        .set_victims(counters.victims)
        .set_victimsBeyondNeed(counters.victims_beyond_need);
  }
  return actions;
}

std::string NameOf(const engine::PodKey& pod) { return pod.namespace_name + "/" + pod.name; }

void AddDecisions(const engine::CycleResult& result, edit::answers::SimulatedCycle cycle) {
  for (const auto& bind : result.binds) {
    const Value request = services::scheduler::WriteBindRequest(bind, "", "");
    cycle.add_binds()
        .set_pod(NameOf(bind.pod))
        .set_node(bind.node)
        .set_action(bind.action)
        .set_request(view::kai::BindRequest(request).spec().Json());
  }
  for (const auto& evict : result.evictions) {
    cycle.add_evictions()
        .set_pod(NameOf(evict.pod))
        .set_node(evict.node)
        .set_action(evict.action)
        .set_message(evict.message);
  }
  for (const auto& pipeline : result.pipelined) {
    cycle.add_pipelined().set_pod(NameOf(pipeline.pod)).set_node(pipeline.node);
  }
}

Value CycleJson(const engine::CycleResult& result) {
  Value out;
  const edit::answers::SimulatedCycle cycle(out);
  cycle.set_actions(ActionsJson(result))
      .set_binds(Value::Array())
      .set_queues(Value::Array())
      .set_evictions(Value::Array())
      .set_pipelined(Value::Array())
      .set_waiting(Value::Array())
      .set_problems(Value::Array());
  AddDecisions(result, cycle);
  for (const auto& group : result.groups) {
    if (!group.waiting || group.message.empty()) continue;
    cycle.add_waiting()
        .set_group(group.group.namespace_name + "/" + group.group.name)
        .set_message(group.message);
  }
  for (const auto& queue : result.queues) {
    const edit::answers::SimulatedQueue shown = cycle.add_queues();
    shown.set_queue(queue.queue);
    SetAmounts(queue.fair_share, shown.fairShare());
    SetAmounts(queue.allocated, shown.allocated());
    SetAmounts(queue.requested, shown.requested());
  }
  for (const auto& problem : result.problems) {
    cycle.add_problems().set_kind(problem.kind).set_name(problem.name).set_message(problem.message);
  }
  return out;
}

using Rows = std::vector<std::vector<std::string>>;

void AddRows(const std::string& at, view::answers::SimulatedCycle cycle, Rows& rows) {
  using namespace view::answers;
  const auto add = [&](const char* decision, std::string_view pod, std::string_view node,
                       std::string_view why) {
    rows.push_back({at, decision, std::string(pod), std::string(node), std::string(why)});
  };
  for (const SimulatedBind bind : cycle.binds()) {
    add("bind", bind.pod(), bind.node(), bind.action());
  }
  for (const SimulatedEviction evict : cycle.evictions()) {
    add("evict", evict.pod(), evict.node(), evict.action());
  }
  for (const SimulatedPipeline pipeline : cycle.pipelined()) {
    add("pipeline", pipeline.pod(), pipeline.node(), "");
  }
  for (const SimulatedWait wait : cycle.waiting()) add("wait", wait.group(), "", wait.message());
  for (const SimulatedProblem problem : cycle.problems()) {
    add("ignored", fmt::format("{} {}", problem.kind(), problem.name()), "", problem.message());
  }
  for (const auto& [action, took] : cycle.durations().action_durations_ms()) {
    add("took", "", "", fmt::format("{}: {} ms", action, took));
  }
}

std::string FormatCycles(const Value& cycles) {
  Rows rows = {{"CYCLE", "DECISION", "POD", "NODE", "WHY"}};
  int number = 0;
  for (const Value& cycle : cycles.Items()) {
    AddRows(fmt::format("{}", ++number), view::answers::SimulatedCycle(cycle), rows);
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

// `known`: problems of the input found while reading it.
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
    edit::answers::SimulatedCycle(cycle)
        .durations()
        .set_total_duration_ms(Milliseconds(clock.Elapsed() - start))
        .set_action_durations_ms(std::move(actions));
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
    Print(answer, options.format, [](const Value& list) { return FormatWhy(list); });
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
