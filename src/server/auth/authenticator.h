#pragma once

#include "base/result.h"
#include "http/message.h"
#include "server/core/core.h"

namespace coppice::server {

// Who sent the request: a client certificate of ours, a service account's token, or nobody in
// particular. kUnauthorized for credentials that are wrong.
base::Result<User> Authenticate(Core& core, const http::Request& request);

// Applies Impersonate-User, -Group and -Uid headers, which need the right to impersonate.
base::Result<User> Impersonate(Core& core, const http::Request& request, User user);

}  // namespace coppice::server
