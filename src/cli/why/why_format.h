#pragma once

#include <string>

#include "engine/explain/explain.h"
#include "json/value.h"
#include "services/scheduler/answers/answer_json.h"

namespace coppice::cli {

using services::scheduler::ExplanationJson;

// Formats a list of explanations for humans.
std::string FormatWhy(const json::Value& answers);

}  // namespace coppice::cli
