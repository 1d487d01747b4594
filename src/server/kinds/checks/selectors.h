#pragma once

#include <string>

#include "json/value.h"
#include "server/model/kind_rules.h"

// Selectors inside of objects: which pods or nodes are meant.
namespace coppice::server {

// Labels as a plain map; also those of an object's template.
void CheckLabels(const json::Value& labels, const std::string& path, Causes& causes);
// {matchLabels, matchExpressions}.
void CheckLabelSelector(const json::Value& selector, const std::string& path, Causes& causes);
// {nodeSelectorTerms: […]}.
void CheckNodeSelector(const json::Value& selector, const std::string& path, Causes& causes);
// {matchExpressions, matchFields}.
void CheckNodeSelectorTerm(const json::Value& term, const std::string& path, Causes& causes);

}  // namespace coppice::server
