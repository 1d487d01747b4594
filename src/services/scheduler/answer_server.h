#pragma once

#include <optional>

#include "http/message.h"
#include "services/scheduler/service.h"

namespace coppice::services::scheduler {

// Answers questions about the future over HTTP; nullopt for other paths. Nothing is changed.
//   GET  /what-if?cordon=N&drain=N&fail=SELECTOR&add-nodes=4&like=N&quota=team-a=gpu:16
//   POST /what-if?…  with PodGroups and their pods as YAML or JSON documents, to submit
//   GET  /eta?namespace=NS&group=NAME
// Parameters may be repeated. Answers are documents as of `coppice whatif -o json` and `coppice
// eta -o json`; errors are 400, 404, 405 or 503, with the reason as text.
std::optional<http::Response> AnswerQuestion(Service& service, const http::Request& request);

}  // namespace coppice::services::scheduler
