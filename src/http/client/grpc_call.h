#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace coppice::http {

// One unary gRPC call over a unix socket: sends `message`, returns the response's message. Blocks
// for up to `timeout` (kTimeout). A server that cannot be reached, violates the protocol or returns
// a status other than OK gives kUnavailable; a response above 16 MiB gives kTooLarge. Thread-safe:
// every call has its own connection.
//
//   COPPICE_ASSIGN(const std::string pods, CallGrpc(socket, "/v1.PodResourcesLister/List", "",
//   10s));
base::Result<std::string> CallGrpc(const std::string& socket_path, std::string_view method,
                                   std::string_view message, base::Duration timeout);

}  // namespace coppice::http
