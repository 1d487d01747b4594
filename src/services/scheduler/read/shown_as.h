#pragma once

#include <string>
#include <string_view>

#include "json/value.h"

namespace coppice::services::scheduler {

// An object in the words of the command line, where `coppice why` takes it: "job/train",
// "set/serve", "gang/serve-0".
std::string ShownAs(std::string_view kind, std::string_view name);
std::string ShownAs(const json::Value& object);
// A PodGroup or Workload by what it was made for; one that nobody owns by itself.
std::string ShownGroup(const json::Value& group);

}  // namespace coppice::services::scheduler
