#pragma once

#include <vector>

#include "api/schema/model/schema.h"
#include "base/error.h"
#include "json/value.h"

// What is wrong with an object, in the words of the Kubernetes API server.
namespace coppice::api {

// Everything, in the API server's order: the schema, uniqueness in sets and map lists, then the
// rules (which need a well-formed object). On an update pass the object as it was: fields that did
// not change are not complained about, and rules may compare.
std::vector<base::FieldCause> ValidateObject(const Schema& schema, const json::Value& object,
                                             const json::Value* old = nullptr);

// The steps of it.
std::vector<base::FieldCause> ValidateSchema(const Schema& schema, const json::Value& value,
                                             const json::Value* old);
std::vector<base::FieldCause> ValidateLists(const Schema& schema, const json::Value& value);
std::vector<base::FieldCause> ValidateRules(const Schema& schema, const json::Value& value,
                                            const json::Value* old);

}  // namespace coppice::api
