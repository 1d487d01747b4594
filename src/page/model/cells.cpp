#include "page/model/cells.h"

#include <fmt/format.h>

#include <algorithm>

namespace coppice::page {
namespace {

char LetterOf(PodState state) {
  if (state == PodState::kReady) return 'r';
  return state == PodState::kEnding ? 'e' : 's';
}

}  // namespace

void Cells::Add(const PodFacts& pod, int64_t number, double gpu_memory_mib) {
  const Holder holder{number, LetterOf(pod.state)};
  if (pod.asks.gpus > 0) {
    runs_[holder] += pod.asks.gpus;
    whole_ += pod.asks.gpus;
  }
  double portion = pod.portion;
  if (portion == 0 && gpu_memory_mib > 0) portion = pod.share_mib / gpu_memory_mib;
  for (int i = 0; i < pod.shared; ++i) {
    // Without a group, nobody knows which GPU it is: one of its own.
    const std::string group = static_cast<size_t>(i) < pod.gpu_groups.size()
                                  ? pod.gpu_groups[static_cast<size_t>(i)]
                                  : fmt::format("{} {}", number, shared_.size());
    shared_[group][holder] += portion;
  }
}

double Cells::Parts() const {
  double left = 0;
  for (const auto& [group, holders] : shared_) {
    double used = 0;
    for (const auto& [holder, portion] : holders) used += portion;
    left += std::max(0.0, 1 - used);
  }
  return left;
}

std::string Cells::ToString() const {
  std::string out;
  for (const auto& [holder, gpus] : runs_) {
    out += fmt::format("{}{}{}{:g}", out.empty() ? "" : ";", holder.first, holder.second, gpus);
  }
  for (const auto& [group, holders] : shared_) {
    out += out.empty() ? "~" : ";~";
    const char* separator = "";
    for (const auto& [holder, portion] : holders) {
      out += fmt::format("{}{}{}{:.3g}", separator, holder.first, holder.second, portion);
      separator = "+";
    }
  }
  return out;
}

}  // namespace coppice::page
