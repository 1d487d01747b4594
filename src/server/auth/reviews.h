#pragma once

#include "server/core/core.h"

namespace coppice::server {

// TokenReview, SubjectAccessReview and similar kinds, which are answered and not stored.
bool IsReview(const ServedResource& served);
base::Result<Outcome> AnswerReview(Core& core, const Request& request, json::Value body);

}  // namespace coppice::server
