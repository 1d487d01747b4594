#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "kube/client/client.h"

namespace coppice::operators::webhooks {

// Webhooks that refuse every change because nobody answers them, each with what to do about it:
// for PodCliqueSets, those that call a Service which nobody serves (of Grove, while it is away, or
// of an installation that was not removed whole); of our own, also those that call the URL of a
// process that was killed. Whoever does not answer within `patience` is not there. What may not be
// read is not found.
std::vector<std::string> UnservedWebhooks(
    kube::Client& client, std::chrono::milliseconds patience = std::chrono::seconds(2));

}  // namespace coppice::operators::webhooks
