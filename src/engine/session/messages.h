#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "engine/model/result.h"
#include "engine/session/gang.h"

// Texts of events, conditions and evictions; word for word KAI's if KAI has one
// (docs/behaviour/scheduler.md S-15).

namespace coppice::engine {

inline constexpr char kRoomLeftToGang[] = "RoomLeftToGang";

FitError SearchUnresolvedError();
FitError PreemptionDelayError(base::Duration delay, base::Time until);
FitError SurplusHeldError(std::string_view waiting, base::Time until);
// The time in the message of such an error, however it is wrapped; nullopt for any other message.
std::optional<base::Time> SurplusHeldUntil(std::string_view message);
// The pod set found nodes for `found` of its pods, but none for `task`.
Shortfall ShortfallOf(const Cluster& cluster, const Gang& gang, int pod_set, int found,
                      TaskId task);
std::string NotReadyText(const Cluster& cluster, const Gang& gang);
std::string StaleText(const Cluster& cluster, const Gang& gang);
std::string NodePoolOf(const Job& job);
// The name of a group or pod that users know, "job/train", "pod/train-0"; with its namespace unless
// that is `here`.
std::string JobName(const Cluster& cluster, JobId job, NameId here);
std::string PodName(const Cluster& cluster, TaskId task, NameId here);

}  // namespace coppice::engine
