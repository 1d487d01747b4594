#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "kube/config/cluster_config.h"

namespace coppice::kube {

// "Bearer <token>", never refreshed.
std::shared_ptr<CredentialSource> FixedToken(std::string token);
// "Basic …".
std::shared_ptr<CredentialSource> BasicAuth(const std::string& user, const std::string& password);
// The token in a file that others renew, as in every pod: read again each minute, and when the
// server refuses it. `clock` must outlive the source.
std::shared_ptr<CredentialSource> TokenFile(std::string path, const base::Clock& clock);

}  // namespace coppice::kube
