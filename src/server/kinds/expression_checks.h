#pragma once

#include <string>

#include "json/value.h"
#include "server/model/kind_rules.h"

namespace coppice::server {

// The expressions in one field of a list's items compile.
void CheckExpressions(const json::Value& list, std::string_view field, const std::string& path,
                      Causes& causes);
// The same for match conditions, which need names of their own.
void CheckConditions(const json::Value& conditions, const std::string& path, Causes& causes);

}  // namespace coppice::server
