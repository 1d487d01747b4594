#pragma once

#include <memory>

#include "json/value.h"
#include "server/kind_rules.h"

namespace coppice::server {

// The rules of one version of a custom resource, from its schema.
std::shared_ptr<const KindRules> MakeCustomResourceRules(const json::Value& crd,
                                                         const json::Value& version);

}  // namespace coppice::server
