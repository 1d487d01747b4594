#pragma once

#include "base/result.h"
#include "json/value.h"
#include "kube/client.h"

namespace coppice::cli {

// What stands written about gangs and pods that our scheduler does not know, in the form of
// ReadWhy's answers.
json::Value WhatTheGangSays(const json::Value& gang);
base::Result<json::Value> WhatThePodSays(kube::Client& client, const json::Value& pod);

}  // namespace coppice::cli
