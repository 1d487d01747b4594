#pragma once

#include "server/core/core.h"

namespace coppice::server {

// TokenReview, SubjectAccessReview and their relatives: objects that are answered, not stored.
bool IsReview(const ServedResource& served);
base::Result<Outcome> AnswerReview(Core& core, const Request& request, json::Value body);

}  // namespace coppice::server
