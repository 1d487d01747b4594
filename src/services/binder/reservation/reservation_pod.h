#pragma once

#include <string>
#include <string_view>

#include "json/value.h"
#include "services/binder/model/options.h"

namespace coppice::services::binder {

// The same for everyone who reserves this group on this node, so that two binders make one pod.
std::string ReservationPodName(std::string_view node, std::string_view group);
// A pod that holds one GPU of the node for the group's members (docs/behaviour/binder.md K-61).
json::Value MakeReservationPod(const Options& options, const json::Value& consumer,
                               std::string_view node, std::string_view group);

}  // namespace coppice::services::binder
