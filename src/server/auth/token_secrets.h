#pragma once

#include "server/core/core.h"

namespace coppice::server {

inline constexpr char kTokenSecretType[] = "kubernetes.io/service-account-token";
inline constexpr char kTokenSecretAccount[] = "kubernetes.io/service-account.name";

// Adds a token of its account to a secret of the type above. The token is valid as long as the
// secret and the account exist.
void FillTokenSecret(Core& core, const json::Value& secret);

}  // namespace coppice::server
