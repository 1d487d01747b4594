#include "backends/podgang/podgang.h"

#include <fmt/format.h>

#include "backends/framework/ladder.h"
#include "backends/framework/pods.h"
#include "backends/model/set_topology.h"

namespace coppice::backends::podgang {

using json::Value;

bool PodGangBackend::Matches(std::string_view scheduler_name) const {
  return scheduler_name == scheduler_name_;
}

std::string PodGangBackend::PodSchedulerName(std::string_view scheduler_name) const {
  return std::string(scheduler_name.empty() ? scheduler_name_ : scheduler_name);
}

Translation PodGangBackend::Translate(const GangInput& input) const {
  const Expressiveness expressiveness = topology_ ? Expressiveness::kNative : Expressiveness::kNone;
  const TopologyPlan plan =
      PlanTopology(input, {.expressiveness = [=](const Scope&, bool) { return expressiveness; }});
  return {.refusal = plan.refusal, .objects = {}, .outcomes = plan.outcomes};
}

base::Status PodGangBackend::MarkPod(const GangInput& input, const PodSlot& slot,
                                     Value& pod) const {
  if (topology_ || input.policy->RefusesUnsupportedTopology()) return {};
  const TopologyPlan plan = PlanTopology(
      input, {.expressiveness = [](const Scope&, bool) { return Expressiveness::kNone; }});
  AddPodAffinity(input.gang, plan, slot.group, SpecOf(pod));
  return {};
}

std::vector<base::FieldCause> PodGangBackend::ValidateSet(const GangInput& input) const {
  if (topology_ || !input.policy->RefusesUnsupportedTopology()) return {};
  return RefuseAnyTopology(input.set, "lpx");
}

base::Result<std::unique_ptr<SchedulerBackend>> Make(const Profile&) {
  return std::unique_ptr<SchedulerBackend>(
      std::make_unique<PodGangBackend>("podgang", std::string(kSchedulerName), true));
}

base::Result<std::unique_ptr<SchedulerBackend>> MakeLpx(const Profile&) {
  return std::unique_ptr<SchedulerBackend>(
      std::make_unique<PodGangBackend>("lpx", std::string(kLpxSchedulerName), false));
}

}  // namespace coppice::backends::podgang
