#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/why/why_target.h"
#include "json/value.h"
#include "kube/client/client.h"

namespace coppice::cli {

// Something that may wait.
struct WaitingTarget {
  WhyTarget target;
  std::string name;   // "gang/serve-0": what other commands call it.
  std::string since;  // When its oldest pod that waits was created.
  std::string queue;  // "" if it has none.
  int64_t pods = 0;   // How many pods wait.
};

// Everything with pods that are missing, not placed or not Ready, in one namespace ("": all), once
// each. With a selector, only what has these labels itself or on a pod. Reads objects alone;
// whether and why it waits is for WhyReader to say. Pods that one controller made from one template
// are one entry.
base::Result<std::vector<WaitingTarget>> FindWaiting(kube::Client& client, const std::string& ns,
                                                     const std::string& selector);

// Sets whose objects cannot be created, by name and namespace.
base::Result<std::vector<api::ObjectKey>> FindFailingSets(kube::Client& client,
                                                          const std::string& ns,
                                                          const std::string& selector);

}  // namespace coppice::cli
