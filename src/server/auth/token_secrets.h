#pragma once

#include "server/core/core.h"

namespace coppice::server {

inline constexpr char kTokenSecretType[] = "kubernetes.io/service-account-token";
inline constexpr char kTokenSecretAccount[] = "kubernetes.io/service-account.name";

// Puts a token of its account into a secret of the type above. The token lives as long as the
// secret and the account do.
void FillTokenSecret(Core& core, const json::Value& secret);

}  // namespace coppice::server
