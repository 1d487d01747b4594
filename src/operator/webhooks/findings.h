#pragma once

#include <string>
#include <vector>

#include "kube/client.h"

namespace coppice::operators::webhooks {

// Webhooks for PodCliqueSets that call a Service which nobody serves: of Grove, while it is away,
// or of an installation that was not removed whole. Every change of a set is refused meanwhile.
// What may not be read is not found.
std::vector<std::string> UnservedWebhooks(kube::Client& client);

}  // namespace coppice::operators::webhooks
