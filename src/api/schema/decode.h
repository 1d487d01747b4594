#pragma once

#include <string>
#include <vector>

#include "api/schema/model/schema.h"
#include "base/result.h"
#include "json/value.h"

namespace coppice::api {

// An object of a built-in kind as Kubernetes would read and write it back: unknown fields and nulls
// dropped, quantities in canonical form, empty optional fields left out, structs that are always
// there put in. Fails with kInvalidArgument and the API server's text where a value has the wrong
// type ("json: cannot unmarshal string into Go struct field PodSpec.spec.priority of type int32").
//
// `unknown`, where given, receives the paths of unknown fields, for strict validation. `known`,
// where given, is an object of this form already: what `object` shares with it is not read again.
base::Result<json::Value> DecodeBuiltin(const Schema& kind, const json::Value& object,
                                        std::vector<std::string>* unknown = nullptr,
                                        const json::Value* known = nullptr);

}  // namespace coppice::api
