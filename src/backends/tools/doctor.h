#pragma once

#include "backends/framework/registry.h"
#include "base/clock.h"
#include "kube/client/client.h"

namespace coppice::backends {

// Reports what a cluster serves and how each backend would work on it: `coppice doctor`. Writes
// nothing: it probes optional fields by dry-run creates and permissions by
// SelfSubjectAccessReviews, and finds out what a backend can express by translating sample gangs.
//
//   server:    {version}
//   apis:      [{resource, versions}]                      served ones
//   missing:   [resource]                                  needed by some backend, not served
//   fields:    [{resource, field, kept}]                   optional and gated fields
//   backends:  [{name, schedulerName, works, schedulerSeen, reason, wishes: {gang: native, …},
//                missingRights}]
//
// A backend works if its objects can be written and its scheduler shows signs of running
// (scheduler_signs.h); `schedulerSeen` is absent if we may not look for such signs.
//
// A wish is `native`, `approximated: …`, `dropped: …` or `refused: …`.
base::Result<json::Value> Diagnose(kube::Client& client, const BackendSet& backends,
                                   base::Time now);

}  // namespace coppice::backends
