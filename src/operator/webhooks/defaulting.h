#pragma once

#include "json/value.h"

namespace coppice::operators::webhooks {

// Sets the defaults of a PodCliqueSet that its schema does not: restart policy, grace period,
// replicas and minimum of cliques, lower bounds of autoscaling, termination delay and headless
// service. Idempotent.
void DefaultPodCliqueSet(json::Value& set);

}  // namespace coppice::operators::webhooks
