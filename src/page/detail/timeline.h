#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "json/value.h"

namespace coppice::page {

// A step on the way from created to ready: when the first pod took it, when the last, and how many
// of all have. Times are seconds since 1970.
struct TimelineStep {
  std::string text;
  int64_t first = 0;
  int64_t last = 0;
  int64_t count = 0;
  int64_t of = 0;
};

// `object` may be null.
std::vector<TimelineStep> TimelineOf(const json::Value& object,
                                     const std::vector<json::Value>& pods);

}  // namespace coppice::page
