#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "server/core/core.h"

namespace coppice::server {

inline constexpr std::string_view kTokenIssuer = "https://kubernetes.default.svc.cluster.local";

// A token of the account, with the audiences, lifetime and bound object of a TokenRequest's spec.
base::Result<std::string> MakeToken(Core& core, const json::Value& account,
                                    const json::Value& spec);

// serviceaccounts/token: answers a TokenRequest.
base::Result<Outcome> RequestToken(Core& core, const Request& request, const json::Value& body);

// The user of a token. kUnauthorized if it is forged, expired, for another audience, or if its
// account or bound object is gone. No audiences: the API server's own.
struct VerifiedToken {
  User user;
  std::vector<std::string> audiences;
};
base::Result<VerifiedToken> VerifyToken(Core& core, const std::string& token,
                                        const std::vector<std::string>& audiences = {});

}  // namespace coppice::server
