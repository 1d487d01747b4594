#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace coppice::services::numaexporter {

// One unary gRPC call over a unix socket: sends `message`, returns the answer's message. Speaks
// just as much HTTP/2 as that takes: one stream, headers without compression, no reading of headers
// (a call that fails brings no message, which is the error). Answers above 16 MiB are refused.
base::Result<std::string> CallGrpc(const std::string& socket_path, std::string_view method,
                                   std::string_view message, base::Duration timeout);

}  // namespace coppice::services::numaexporter
