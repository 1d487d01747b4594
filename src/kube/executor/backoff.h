#pragma once

#include <algorithm>

#include "base/clock.h"

namespace coppice::kube {

// Delays that double from `first` up to `most`.
struct Backoff {
  base::Duration first = std::chrono::milliseconds(5);
  base::Duration most = std::chrono::seconds(1000);

  // The delay before attempt number `failures` + 1; `failures` counts from 0.
  base::Duration After(int failures) const {
    const double factor = static_cast<double>(int64_t{1} << std::clamp(failures, 0, 62));
    const double delay = static_cast<double>(first.count()) * factor;
    return delay >= static_cast<double>(most.count())
               ? most
               : base::Duration(static_cast<base::Duration::rep>(delay));
  }
};

}  // namespace coppice::kube
