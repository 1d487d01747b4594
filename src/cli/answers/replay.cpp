#include "cli/answers/replay.h"

#include <fmt/format.h>

#include "api/edit/answers.h"
#include "api/view/answers.h"
#include "cli/common/files.h"
#include "cli/show/views.h"
#include "services/scheduler/decision_log_reader.h"
#include "services/scheduler/options/config_file.h"
#include "services/scheduler/options/flags.h"

namespace coppice::cli {
namespace {

using json::Value;
using services::scheduler::LogReader;

base::Status TakeOtherConfig(const std::string& path, services::scheduler::Options& options) {
  if (path.empty()) return {};
  COPPICE_ASSIGN(const std::string text, ReadFile(path));
  auto config = services::scheduler::ParseConfigFile(text);
  if (!config) return config.error().During(path);
  services::scheduler::TakeDecisions(std::move(config->configuration), options);
  return {};
}

void SetCycle(const LogReader::Step& step, edit::answers::ReplayedCycle out) {
  out.set_number(step.number)
      .set_time(base::FormatRfc3339Micro(step.recorded.now))
      .set_decisions(Value::Array())
      .set_waiting(Value::Array());
  for (const auto& decision : step.recorded.decisions) {
    out.add_decisions()
        .set_kind(decision.kind)
        .set_pod(decision.pod)
        .set_node(decision.node)
        .set_action(decision.action)
        .set_why(decision.why);
  }
  for (const auto& wait : step.recorded.waits) {
    out.add_waiting().set_group(wait.group).set_message(wait.message);
  }
}

bool Concerns(const engine::RecordedCycle& cycle, const std::string& pod) {
  if (pod.empty()) return false;
  for (const auto& decision : cycle.decisions) {
    if (decision.pod == pod || decision.pod.ends_with("/" + pod)) return true;
  }
  return false;
}

std::string CycleText(view::answers::ReplayedCycle cycle) {
  std::string text = fmt::format("{} cycle {}\n", cycle.time(), cycle.number());
  for (const view::answers::ReplayDecision each : cycle.decisions()) {
    const engine::RecordedCycle::Decision decision{
        std::string(each.kind()), std::string(each.pod()), std::string(each.node()),
        std::string(each.action()), std::string(each.why())};
    text += "  " + DecisionText(decision) + "\n";
  }
  for (const view::answers::SimulatedWait wait : cycle.waiting()) {
    text += fmt::format("  {} waits: {}\n", wait.group(), wait.message());
  }
  return text;
}

}  // namespace

base::Result<Value> ReadReplay(std::string_view bytes, const ReplayOptions& options) {
  std::optional<base::Time> until;
  if (!options.until.empty()) {
    const auto time = base::ParseRfc3339(options.until);
    if (!time) return time.error().During("--until");
    until = *time;
  }
  COPPICE_ASSIGN(LogReader log, LogReader::Open(bytes, [&](services::scheduler::Options& settings) {
                   return TakeOtherConfig(options.config, settings);
                 }));
  Value out;
  const edit::answers::Replay replay(out);
  replay.set_cycles(Value::Array());
  while (const auto step = log.Next()) {
    if (until && step->recorded.now > *until) {
      replay.set_stopped("at the time given");
      break;
    }
    const bool empty = step->recorded.decisions.empty() && step->recorded.waits.empty();
    if (!empty || options.all || step->difference) SetCycle(*step, replay.add_cycles());
    if (step->difference) {
      replay.set_difference(*step->difference)
          .set_differenceAt(base::FormatRfc3339Micro(step->recorded.now));
      break;
    }
    if (Concerns(step->recorded, options.pod)) {
      replay.set_stopped("at the pod given");
      break;
    }
  }
  if (log.damage()) {
    replay.damage()
        .set_offset(static_cast<int64_t>(log.damage()->offset))
        .set_what(log.damage()->what);
  }
  return out;
}

std::string FormatReplay(const Value& document) {
  const view::answers::Replay replay(document);
  std::string text;
  for (const view::answers::ReplayedCycle cycle : replay.cycles()) text += CycleText(cycle);
  if (replay.has_difference()) {
    text += fmt::format("first difference at {}: {}\n", replay.differenceAt(), replay.difference());
  } else if (replay.has_damage()) {
    text += fmt::format("the log is damaged at byte {}: {}; everything before it was replayed\n",
                        replay.damage().offset(), replay.damage().what());
  } else if (replay.has_stopped()) {
    text += fmt::format("stopped {}\n", replay.stopped());
  } else {
    text += "no difference\n";
  }
  return text;
}

int RunReplay(const ReplayOptions& options) {
  const auto failed = [](const base::Error& error) {
    Fail(error);
    return kReplayFailed;
  };
  const auto bytes = ReadFile(options.file);
  if (!bytes) return failed(bytes.error());
  const auto replay = ReadReplay(*bytes, options);
  if (!replay) return failed(replay.error().During(options.file));
  Print(*replay, options.format, FormatReplay);
  const view::answers::Replay answer(*replay);
  if (answer.has_difference()) return kReplayDiffers;
  return answer.has_damage() ? kReplayFailed : 0;
}

}  // namespace coppice::cli
