#include "backends/kueue/surplus.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "api/view/core.h"
#include "api/view/kueue.h"
#include "backends/framework/pods.h"
#include "backends/model/labels.h"
#include "backends/model/names.h"
#include "kube/object.h"

namespace coppice::backends::kueue {
namespace {

using json::Value;

std::string NameOf(const GangInput& input, int number) {
  const std::string first = fmt::format("podgang-{}-surplus", input.gang.name);
  return Short(number == 1 ? first : fmt::format("{}-{}", first, number), kObjectNameLimit);
}

// The existing Workloads by number. One in between may have been deleted.
std::vector<Value> Present(const GangInput& input) {
  std::vector<Value> present;
  if (!input.cluster) return present;
  for (int number = 1, missing = 0; missing < 2; ++number) {
    auto found =
        input.cluster->Get(Workloads(Version(input)), {input.gang.ns, NameOf(input, number)});
    missing = found ? 0 : missing + 1;
    present.push_back(std::move(found).value_or(Value()));
  }
  return present;
}

bool IsReserved(const Value& workload) {
  return kube::ConditionIs(workload, kQuotaReserved, "True") ||
         kube::ConditionIs(workload, kAdmitted, "True");
}

int64_t CountOf(const Value& workload, std::string_view group) {
  for (const view::kueue::PodSet set : view::kueue::Workload(workload).spec().podSets()) {
    if (set.name() == ShortLabel(group)) return set.count(1);
  }
  return 0;
}

Counts Wanted(const GangInput& input) {
  Counts wanted;
  for (const PodGroupInfo& group : input.gang.pod_groups) {
    const int64_t minimum = group.LastMinimum();
    if (minimum > 0 && group.replicas > minimum) wanted[group.name] = group.replicas - minimum;
  }
  return wanted;
}

Counts CountsOf(const GangInput& input, const Value& workload) {
  Counts counts;
  for (const PodGroupInfo& group : input.gang.pod_groups) {
    if (const int64_t count = CountOf(workload, group.name)) counts[group.name] = count;
  }
  return counts;
}

// What is wanted but not covered yet; negative if more is covered.
Counts Uncounted(Counts wanted, const std::vector<SurplusWorkload>& parts) {
  for (const SurplusWorkload& part : parts) {
    for (const auto& [group, count] : part.counts) wanted[group] -= count;
  }
  return wanted;
}

bool IsSpare(const SurplusWorkload& part, const Counts& uncounted) {
  return std::all_of(part.counts.begin(), part.counts.end(), [&](const auto& entry) {
    return uncounted.at(entry.first) + entry.second <= 0;
  });
}

// Whether a pod has the labels of the flavors that a Workload got for its group.
bool FitsFlavors(const GangInput& input, const Value& workload, const Value& pod) {
  const Admission admission = AdmittedBy(input, workload, kube::Label(pod, labels::kPodClique));
  const Value& selector = view::core::Pod(pod).spec().nodeSelector().Json();
  const auto wanted = admission.node_selector.Members();
  return std::all_of(wanted.begin(), wanted.end(), [&](const json::Member& label) {
    return selector[label.name()] == label.value;
  });
}

// The remaining quota of admitted Workloads for one group.
class Seats {
 public:
  Seats(const GangInput& input, std::string_view group) : input_(input) {
    for (Value& workload : Present(input)) {
      if (!IsAdmitted(workload)) continue;
      const int64_t count = CountOf(workload, group);
      left_.emplace_back(std::move(workload), count);
    }
  }

  std::optional<Value> Take(const Value& pod, bool by_flavor) {
    for (auto& [workload, left] : left_) {
      if (left == 0 || (by_flavor && !FitsFlavors(input_, workload, pod))) continue;
      --left;
      return workload;
    }
    return std::nullopt;
  }

 private:
  const GangInput& input_;
  std::vector<std::pair<Value, int64_t>> left_;
};

std::vector<Seat> SeatGroup(const GangInput& input, const PodGroupInfo& group,
                            std::span<const Value> pods,
                            const std::function<bool(const Value&)>& waits) {
  std::vector<Seat> seats;
  for (const Value& pod : pods) {
    if (!IsLive(pod) || kube::Label(pod, labels::kPodClique) != group.name) continue;
    if (IsSurplus(group, PodIndex(pod))) seats.push_back({pod, std::nullopt});
  }
  std::sort(seats.begin(), seats.end(), [&](const Seat& a, const Seat& b) {
    return std::make_tuple(waits(a.pod), PodIndex(a.pod), kube::Name(a.pod)) <
           std::make_tuple(waits(b.pod), PodIndex(b.pod), kube::Name(b.pod));
  });
  Seats left(input, group.name);
  for (Seat& seat : seats) {
    if (!waits(seat.pod)) seat.workload = left.Take(seat.pod, /*by_flavor=*/true);
  }
  for (Seat& seat : seats) {
    if (!seat.workload) seat.workload = left.Take(seat.pod, /*by_flavor=*/false);
  }
  return seats;
}

}  // namespace

std::vector<SurplusWorkload> PlanSurplus(const GangInput& input) {
  std::vector<SurplusWorkload> parts;
  std::string open;
  const std::vector<Value> present = Present(input);
  for (size_t i = 0; i < present.size(); ++i) {
    const std::string name = NameOf(input, static_cast<int>(i) + 1);
    if (IsReserved(present[i])) {
      parts.push_back({name, CountsOf(input, present[i]), false});
    } else if (open.empty()) {
      open = name;
    }
  }
  const Counts wanted = Wanted(input);
  while (!parts.empty() && IsSpare(parts.back(), Uncounted(wanted, parts))) parts.pop_back();
  SurplusWorkload more{open.empty() ? NameOf(input, 1) : open, {}, true};
  for (const auto& [group, count] : Uncounted(wanted, parts)) {
    if (count > 0) more.counts[group] = count;
  }
  if (!more.counts.empty()) parts.push_back(std::move(more));
  return parts;
}

std::vector<Seat> SeatSurplus(const GangInput& input, std::span<const Value> pods,
                              const std::function<bool(const Value&)>& waits) {
  std::vector<Seat> seats;
  for (const PodGroupInfo& group : input.gang.pod_groups) {
    for (Seat& seat : SeatGroup(input, group, pods, waits)) seats.push_back(std::move(seat));
  }
  return seats;
}

}  // namespace coppice::backends::kueue
