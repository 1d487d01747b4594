#pragma once

#include <string_view>

#include "base/error.h"
#include "http/message.h"
#include "json/value.h"

namespace coppice::kube {

// The error code for an HTTP status without further details.
base::ErrorCode CodeFromHttp(int status);

// The typed error in a Kubernetes Status object. `http_status` decides where the Status does not.
base::Error ErrorFromStatus(const json::Value& status, int http_status);

// The typed error in a response that is not a success, whatever its body.
base::Error ErrorFromResponse(const http::Response& response);

}  // namespace coppice::kube
