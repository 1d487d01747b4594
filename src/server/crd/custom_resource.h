#pragma once

#include <memory>

#include "api/schema/model/schema.h"
#include "json/value.h"
#include "server/model/kind_rules.h"

namespace coppice::server {

// The rules of one version of a custom resource. `schema` may be null and must outlive the rules.
std::shared_ptr<const KindRules> MakeCustomResourceRules(const json::Value& version,
                                                         const api::Schema* schema);

}  // namespace coppice::server
