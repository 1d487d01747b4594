#include "engine/inputs/recorded_cycle.h"

#include <fmt/format.h>

#include <functional>

namespace coppice::engine {
namespace {

std::string PodText(const PodKey& pod) { return pod.namespace_name + "/" + pod.name; }

// The first decision of `one` that `two` lacks or takes otherwise.
std::optional<std::string> Missing(const RecordedCycle& one, const RecordedCycle& two,
                                   std::string_view who, std::string_view other) {
  std::map<std::string_view, std::vector<const RecordedCycle::Decision*>> by_pod;
  for (const auto& decision : two.decisions) by_pod[decision.pod].push_back(&decision);
  for (const auto& decision : one.decisions) {
    bool same = false;
    std::string instead = "nothing about this pod";
    for (const auto* match : by_pod[decision.pod]) {
      same |= match->kind == decision.kind && match->node == decision.node;
      instead = DecisionText(*match);
    }
    if (same) continue;
    return fmt::format("{}: {}; {}: {}", who, DecisionText(decision), other, instead);
  }
  return std::nullopt;
}

}  // namespace

RecordedCycle CycleDescriber::Describe(base::Time now, const CycleResult& result) {
  RecordedCycle out{.now = now};
  out.decisions.reserve(result.binds.size() + result.evictions.size() + result.pipelined.size());
  for (const BindDecision& bind : result.binds) {
    out.decisions.push_back({"bind", PodText(bind.pod), bind.node, bind.action, ""});
  }
  for (const EvictDecision& evict : result.evictions) {
    out.decisions.push_back({"evict", PodText(evict.pod), evict.node, evict.action, evict.message});
  }
  for (const PipelineDecision& plan : result.pipelined) {
    out.decisions.push_back({"pipeline", PodText(plan.pod), plan.node, "", ""});
  }
  std::map<std::string, size_t> messages;
  for (const GroupStatus& status : result.groups) {
    const std::string& message = status.ready ? status.message : status.not_ready_message;
    if (!status.waiting || message.empty()) continue;
    std::string group = status.group.namespace_name + "/" + status.group.name;
    const size_t hash = std::hash<std::string>()(message);
    const auto known = messages_.find(group);
    if (known == messages_.end() || known->second != hash) out.waits.push_back({group, message});
    messages[std::move(group)] = hash;
  }
  messages_ = std::move(messages);
  return out;
}

std::optional<std::string> DifferenceOf(const RecordedCycle& recorded, const RecordedCycle& other) {
  if (auto text = Missing(recorded, other, "recorded", "now")) return text;
  return Missing(other, recorded, "now", "recorded");
}

std::string DecisionText(const RecordedCycle::Decision& decision) {
  std::string text = fmt::format("{} {} {} {}", decision.kind, decision.pod,
                                 decision.kind == "evict" ? "from" : "to", decision.node);
  if (!decision.action.empty()) text += fmt::format(" ({})", decision.action);
  if (!decision.why.empty()) text += ": " + decision.why;
  return text;
}

}  // namespace coppice::engine
