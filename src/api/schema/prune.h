#pragma once

#include <string>
#include <vector>

#include "api/schema/model/schema.h"
#include "json/value.h"

namespace coppice::api {

// The object without the fields that its schema does not know. At the root apiVersion, kind and
// metadata stay, and in embedded resources too. `unknown`, where given, receives the paths of what
// was dropped, sorted ("spec.foo", "spec.list[0].x").
json::Value Prune(const Schema& schema, const json::Value& object,
                  std::vector<std::string>* unknown = nullptr);

// The object with the schema's defaults in place of what is missing. A null where the schema does
// not allow one counts as missing.
json::Value ApplyDefaults(const Schema& schema, const json::Value& object);

}  // namespace coppice::api
