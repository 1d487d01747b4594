#include "services/scheduler/usage/usage_history.h"

#include <cmath>

namespace coppice::services::scheduler {
namespace {

void AddWeighted(UsageHistory::Amounts& sum, const UsageHistory::Amounts& amounts, double weight) {
  sum.cpu += amounts.cpu * weight;
  sum.memory += amounts.memory * weight;
  sum.gpu += amounts.gpu * weight;
}

double Ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

}  // namespace

void UsageHistory::Record(Sample sample) {
  std::lock_guard lock(mutex_);
  if (!samples_.empty() && sample.time - samples_.back().time < config_.resolution) {
    sample.time = samples_.back().time;
    samples_.back() = std::move(sample);
    return;
  }
  samples_.push_back(std::move(sample));
  while (samples_.front().time < samples_.back().time - config_.window_size) samples_.pop_front();
}

double UsageHistory::Weight(base::Duration age) const {
  if (!config_.half_life) return 1;
  return std::exp2(-std::chrono::duration<double>(age) /
                   std::chrono::duration<double>(*config_.half_life));
}

base::Result<Usage> UsageHistory::Fetch(base::Time now) {
  COPPICE_ASSIGN(const base::Time start, WindowStart(config_, now));
  std::map<std::string, Amounts> held;
  Amounts capacity;
  std::lock_guard lock(mutex_);
  for (const Sample& sample : samples_) {
    if (sample.time <= start || sample.time > now) continue;
    const double weight = Weight(now - sample.time);
    AddWeighted(capacity, sample.capacity, weight);
    for (const auto& [queue, amounts] : sample.queues) AddWeighted(held[queue], amounts, weight);
  }
  Usage usage;
  for (const auto& [queue, amounts] : held) {
    usage[queue] = {Ratio(amounts.cpu, capacity.cpu), Ratio(amounts.memory, capacity.memory),
                    Ratio(amounts.gpu, capacity.gpu)};
  }
  return usage;
}

std::vector<UsageHistory::Sample> UsageHistory::Samples() const {
  std::lock_guard lock(mutex_);
  return {samples_.begin(), samples_.end()};
}

size_t UsageHistory::size() const {
  std::lock_guard lock(mutex_);
  return samples_.size();
}

}  // namespace coppice::services::scheduler
