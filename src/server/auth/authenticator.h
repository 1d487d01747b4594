#pragma once

#include "base/result.h"
#include "http/message.h"
#include "server/core/core.h"

namespace coppice::server {

// Authenticates a request: a client certificate signed by our CA, a service account token, or
// anonymous. kUnauthorized for invalid credentials.
base::Result<User> Authenticate(Core& core, const http::Request& request);

// Applies Impersonate-User, -Group and -Uid headers, if the user may impersonate.
base::Result<User> Impersonate(Core& core, const http::Request& request, User user);

}  // namespace coppice::server
