#pragma once

#include <string>

#include "base/result.h"
#include "server/core/core.h"

// The object that a service account token is bound to: a Pod, a Secret or a Node. The token expires
// with it.
namespace coppice::server {

// Adds the object that `ref` (a TokenRequest's boundObjectRef) names to `claims`, the token's
// "kubernetes.io" part: its name and uid, and for a pod those of its node. kNotFound when there is
// no such object, kConflict when it has another uid, kInvalidArgument for other kinds and for the
// pod of another account.
base::Status BindClaims(Core& core, const api::ObjectKey& account, const json::Value& ref,
                        json::Value& claims);

// kUnauthorized once the account or the bound object in `claims` is gone, has another uid, or has
// been due for deletion for more than a minute.
base::Status CheckClaims(Core& core, const json::Value& claims);

}  // namespace coppice::server
