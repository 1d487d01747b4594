#pragma once

#include "json/value.h"

namespace coppice::operators::webhooks {

// Fills in what a PodCliqueSet leaves open, beyond the defaults of its schema: restart policy,
// grace period, replicas and minimum of cliques, lower bounds of autoscaling, termination delay and
// headless service. Idempotent.
void DefaultPodCliqueSet(json::Value& set);

}  // namespace coppice::operators::webhooks
