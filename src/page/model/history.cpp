#include "page/model/history.h"

#include <fmt/format.h>

namespace coppice::page {
namespace {

std::string TextOfState(const NodeRow& node) {
  std::string out;
  for (const std::string& state : node.state) {
    if (state == "tainted") continue;
    out += (out.empty() ? "" : ", ") + (state == "notReady" ? std::string("not ready") : state);
  }
  return out.empty() ? "ready" : out;
}

}  // namespace

void History::Note(const std::vector<WorkloadRow>& workloads, const std::vector<NodeRow>& nodes,
                   int64_t now) {
  States phases, states;
  for (const WorkloadRow& row : workloads) phases.emplace(row.id, row.phase);
  for (const NodeRow& row : nodes) states.emplace(row.id, TextOfState(row));
  Compare("workload", std::move(phases), workloads_, now);
  Compare("node", std::move(states), nodes_, now);
  began_ = true;
}

void History::Compare(std::string_view kind, States now, States& before, int64_t at) {
  if (began_) {
    for (const auto& [id, state] : now) {
      const auto old = before.find(id);
      if (old == before.end()) {
        Add(kind, id, fmt::format("new, {}", state), at);
      } else if (old->second != state) {
        Add(kind, id, fmt::format("{} → {}", old->second, state), at);
      }
    }
    for (const auto& [id, state] : before) {
      if (!now.contains(id)) Add(kind, id, fmt::format("gone, was {}", state), at);
    }
  }
  before = std::move(now);
}

void History::Add(std::string_view kind, const std::string& object, std::string text, int64_t at) {
  changes_.push_front({at, std::string(kind), object, std::move(text)});
  if (changes_.size() > kMost) changes_.pop_back();
}

}  // namespace coppice::page
