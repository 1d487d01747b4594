#pragma once

#include "backends/framework/registry.h"
#include "base/clock.h"
#include "kube/client/client.h"

namespace coppice::backends {

// What a cluster serves of what backends need, and how each backend would get along with it:
// `coppice doctor`. Writes nothing: optional fields are probed by dry-run creates, rights by
// SelfSubjectAccessReviews, and what a backend can say by translating sample gangs with what was
// found.
//
//   server:    {version}
//   apis:      [{resource, versions}]                      served ones
//   missing:   [resource]                                  needed by some backend, not served
//   fields:    [{resource, field, kept}]                   optional and gated fields
//   backends:  [{name, schedulerName, works, schedulerSeen, reason, wishes: {gang: native, …},
//                missingRights}]
//
// A backend works when its objects can be written and its scheduler shows signs of running
// (scheduler_signs.h); `schedulerSeen` is absent where that cannot be seen.
//
// A wish reads `native`, `approximated: …`, `dropped: …` or `refused: …`.
base::Result<json::Value> Diagnose(kube::Client& client, const BackendSet& backends,
                                   base::Time now);

}  // namespace coppice::backends
