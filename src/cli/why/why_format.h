#pragma once

#include <string>

#include "api/view/answers.h"
#include "engine/model/explanation.h"
#include "json/value.h"
#include "services/scheduler/answers/answer_json.h"

namespace coppice::cli {

using services::scheduler::ExplanationJson;

// Formats a list of explanations for humans, in lines of at most `width` columns; 0: any length.
std::string FormatWhy(const json::Value& answers, size_t width = 0);
// Whether the alternative is what a person would do, and the changes only what would suffice: GPUs
// to add to a node, where another rack is needed.
bool IsForPeople(view::answers::Explanation answer);
// "can never run here": the verdict in words.
std::string VerdictText(view::answers::Explanation answer);

}  // namespace coppice::cli
