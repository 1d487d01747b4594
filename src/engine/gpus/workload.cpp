#include "engine/gpus/workload.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace coppice::engine {
namespace {

constexpr double kForgotten = 0.01;  // In pods.

// Most pods first. What decides does not depend on which class came first to the engine.
void Sort(std::vector<Workload::Expected>& expected, const Cluster& cluster) {
  const auto rank = [&](const Workload::Expected& each) {
    const PodClass& cls = cluster.classes()[each.cls];
    return std::tuple(-each.pods, cls.gpu.count, cls.gpu.portion, cls.gpu.memory_mib,
                      cls.request[kCpu], cls.request[kMemory], each.cls);
  };
  std::sort(expected.begin(), expected.end(),
            [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
}

}  // namespace

bool Workload::Counts(const PodClass& cls) {
  return cls.ours && !cls.utility && cls.gpu.count > 0 && cls.gpu.mig.empty();
}

void Workload::Add(ClassId cls, double pods) {
  const auto place = std::lower_bound(seen_.begin(), seen_.end(), cls,
                                      [](const Expected& e, ClassId id) { return e.cls < id; });
  if (place != seen_.end() && place->cls == cls) {
    place->pods += pods;
  } else {
    seen_.insert(place, {cls, pods});
  }
}

void Workload::FadeTo(base::Time now) {
  if (faded_to_ != base::Time{} && now > faded_to_) {
    const double half_lives = std::chrono::duration<double>(now - faded_to_).count() /
                              std::chrono::duration<double>(kHalfLife).count();
    const double left = std::exp2(-half_lives);
    for (Expected& each : seen_) each.pods *= left;
    std::erase_if(seen_, [](const Expected& each) { return each.pods < kForgotten; });
  }
  faded_to_ = std::max(now, faded_to_);
  Trim();
}

void Workload::Trim() {
  if (seen_.size() <= kMost) return;
  std::sort(seen_.begin(), seen_.end(), [](const Expected& a, const Expected& b) {
    return a.pods != b.pods ? a.pods > b.pods : a.cls < b.cls;
  });
  seen_.resize(kMost);
  std::sort(seen_.begin(), seen_.end(),
            [](const Expected& a, const Expected& b) { return a.cls < b.cls; });
}

std::vector<Workload::Expected> Workload::Expect(const Cluster& cluster) const {
  std::vector<double> pods(cluster.classes().size());
  for (const Expected& each : seen_) pods[each.cls] += each.pods;
  for (const Task& task : cluster.tasks()) {
    if (task.exists && Counts(cluster.ClassOf(task))) ++pods[task.cls];
  }
  std::vector<Expected> expected;
  for (size_t i = 0; i < pods.size(); ++i) {
    if (pods[i] > 0) expected.push_back({static_cast<ClassId>(i), pods[i]});
  }
  Sort(expected, cluster);
  if (expected.size() > kMost) expected.resize(kMost);
  return expected;
}

}  // namespace coppice::engine
