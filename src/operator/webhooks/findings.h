#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "kube/client/client.h"

namespace coppice::operators::webhooks {

// Webhooks that block every change because nothing answers them, each with a suggested fix. For
// PodCliqueSets: webhooks that call a Service without a server (Grove's while it is down, or those
// of an installation that was not removed completely). Of our own: also webhooks that call the URL
// of a process that was killed. A server that does not answer within `patience` counts as down.
// Objects that we may not read are skipped.
std::vector<std::string> UnservedWebhooks(
    kube::Client& client, std::chrono::milliseconds patience = std::chrono::seconds(2));

}  // namespace coppice::operators::webhooks
